/* Every query and every part of its answer, on the device that the first argument names, or with
 * "gpu" on that of SWATH_TEST_DEVICE, lavapipe or any. */
#include "check.h"

static void edit(const swath_engine *engine) {
    swath_symbols a = text("kitten"), b = text("sitting");
    swath_edit_options options = {.size = sizeof options};
    swath_query *query = NULL;
    options.flags = SWATH_PATH;
    CHECK_OK(swath_query_edit(&a, &b, &options, &query));
    swath_answer *answer = answer_of(engine, query);
    uint64_t distance;
    CHECK_OK(swath_answer_distance(answer, &distance));
    CHECK(distance == 3);
    const char *cigar, *again;
    CHECK_OK(swath_answer_cigar(answer, &cigar));
    CHECK(strcmp(cigar, "1X3=1X1=1D") == 0);
    CHECK_OK(swath_answer_cigar(answer, &again));
    CHECK(cigar == again);
    const swath_block *blocks;
    size_t len;
    CHECK_OK(swath_answer_blocks(answer, &blocks, &len));
    CHECK(len == 1 && blocks[0].a == 0 && blocks[0].b == 0 && blocks[0].len == 6);
    swath_run_record record = {.size = sizeof record};
    CHECK_OK(swath_answer_run(answer, &record));
    CHECK(record.method[0] && record.device[0] && record.seconds >= 0 && record.cells == 42);
    const char *json;
    CHECK_OK(swath_answer_json(answer, &json));
    CHECK(strstr(json, "\"distance\"") && strstr(json, record.method));
    swath_answer_free(answer);

    /* A bound, and a piece of the target. */
    options.flags = SWATH_BOUNDED;
    options.max_distance = 2;
    CHECK_OK(swath_query_edit(&a, &b, &options, &query));
    answer = answer_of(engine, query);
    CHECK_ERROR(swath_answer_distance(answer, &distance), SWATH_NO_PART, "more than the bound 2");
    CHECK_ERROR(swath_answer_cigar(answer, &cigar), SWATH_NO_PART, "bound");
    swath_answer_free(answer);

    swath_symbols piece = text("ACGT"), target = text("TTTACCTTTT");
    swath_edit_options infix = {.size = sizeof infix};
    infix.mode = "infix";
    infix.flags = SWATH_STARTS | SWATH_PATH;
    CHECK_OK(swath_query_edit(&piece, &target, &infix, &query));
    answer = answer_of(engine, query);
    const swath_piece *pieces;
    CHECK_OK(swath_answer_pieces(answer, &pieces, &len));
    CHECK(len == 1 && pieces[0].start == 3 && pieces[0].end == 7);
    CHECK_OK(swath_answer_cigar(answer, &cigar));
    CHECK(strcmp(cigar, "2=1X1=") == 0);
    swath_answer_free(answer);

    /* Ambiguous letters, and numbers beside bytes. */
    swath_symbols letters = text("GANTRC"), bases = text("GATTAC");
    swath_edit_options iupac = {.size = sizeof iupac};
    iupac.matching = "iupac";
    CHECK_OK(swath_query_edit(&letters, &bases, &iupac, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_distance(answer, &distance));
    CHECK(distance == 0);
    swath_answer_free(answer);

    uint32_t points[5] = {'g', 'r', 'o', 0xdf, 'e'};
    swath_symbols numbers = swath_numbers(points, 5), bytes = text("grosse");
    CHECK_OK(swath_query_edit(&numbers, &bytes, NULL, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_distance(answer, &distance));
    CHECK(distance == 2);
    CHECK_ERROR(swath_answer_length(answer, &distance), SWATH_NO_PART, "'edit' has no length");
    CHECK_ERROR(swath_answer_blocks(answer, &blocks, &len), SWATH_NO_PART, "SWATH_PATH");
    swath_answer_free(answer);
}

static void subsequence_and_supersequence(const swath_engine *engine) {
    swath_symbols a = text("nematode knowledge"), b = text("empty bottle");
    swath_lcs_options path = {.size = sizeof path, .flags = SWATH_PATH};
    swath_query *query = NULL;
    uint64_t length;
    swath_symbols symbols;
    CHECK_OK(swath_query_lcs(&a, &b, &path, &query));
    swath_answer *answer = answer_of(engine, query);
    CHECK_OK(swath_answer_length(answer, &length));
    CHECK_OK(swath_answer_symbols(answer, &symbols));
    CHECK(length == 7 && symbols.len == 7 && symbols.width == SWATH_BYTES);
    CHECK(memcmp(symbols.data, "emt ole", 7) == 0);
    const swath_block *blocks;
    size_t len;
    CHECK_OK(swath_answer_blocks(answer, &blocks, &len));
    CHECK(len > 1 && blocks[0].a == 1 && blocks[0].b == 0 && blocks[0].len == 2);
    swath_answer_free(answer);

    uint32_t points[3] = {7, 70000, 9};
    swath_symbols numbers = swath_numbers(points, 3);
    CHECK_OK(swath_query_lcs(&numbers, &numbers, &path, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_symbols(answer, &symbols));
    CHECK(symbols.len == 3 && symbols.width == SWATH_NUMBERS);
    CHECK(memcmp(symbols.data, points, sizeof points) == 0);
    swath_answer_free(answer);

    swath_symbols inputs[3] = {text("cab"), text("abac"), text("bca")};
    swath_scs_options options = {.size = sizeof options, .flags = SWATH_PATH};
    CHECK_OK(swath_query_scs(inputs, 2, &options, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_length(answer, &length));
    CHECK_OK(swath_answer_symbols(answer, &symbols));
    CHECK(length == 5 && symbols.len == 5 && memcmp(symbols.data, "cabac", 5) == 0);
    const swath_placement *placements;
    const uint64_t *offsets;
    CHECK_OK(swath_answer_embeddings(answer, &placements, &offsets, &len));
    CHECK(len == 2 && offsets[0] == 0 && offsets[2] > offsets[1]);
    for (size_t input = 0; input < len; input++) {
        uint64_t next = 0;
        for (uint64_t i = offsets[input]; i < offsets[input + 1]; i++) {
            CHECK(placements[i].input == next && placements[i].at + placements[i].len <= 5);
            const char *here = (const char *)symbols.data + placements[i].at;
            const char *there = (const char *)inputs[input].data + placements[i].input;
            CHECK(memcmp(here, there, placements[i].len) == 0);
            next += placements[i].len;
        }
        CHECK(next == inputs[input].len);
    }
    swath_answer_free(answer);
    CHECK_OK(swath_query_scs(inputs, 3, NULL, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_length(answer, &length));
    CHECK(length == 6);
    CHECK_ERROR(swath_answer_symbols(answer, &symbols), SWATH_NO_PART, "SWATH_PATH");
    swath_answer_free(answer);
}

static void substrings(const swath_engine *engine) {
    words records;
    swath_strings inputs[2] = {swath_one_string(text("xxABCyyABC")), *split(&records, "yy zABCz ")};
    swath_query *query = NULL;
    uint64_t length;
    size_t len;
    CHECK_OK(swath_query_substring(inputs, 2, NULL, &query));
    swath_answer *answer = answer_of(engine, query);
    CHECK_OK(swath_answer_length(answer, &length));
    const swath_position *positions;
    const uint64_t *offsets;
    CHECK_OK(swath_answer_occurrences(answer, &positions, &offsets, &len));
    CHECK(length == 3 && len == 1 && offsets[1] == 3);
    CHECK(positions[1].input == 0 && positions[1].start == 7 && positions[1].strand == 1);
    CHECK(positions[2].input == 1 && positions[2].record == 1 && positions[2].start == 1);
    swath_answer_free(answer);

    const swath_match *matches;
    CHECK_OK(swath_query_matches(inputs, 2, 3, NULL, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_matches(answer, &matches, &len));
    CHECK(len == 2 && matches[1].a.start == 7 && matches[1].b.record == 1 && matches[1].len == 3);
    swath_answer_free(answer);

    swath_strings strands[2] = {swath_one_string(text("GATTACA")), swath_one_string(text("TGTAATC"))};
    swath_substring_options options = {.size = sizeof options, .flags = SWATH_BOTH_STRANDS};
    CHECK_OK(swath_query_substring(strands, 2, &options, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_length(answer, &length));
    CHECK_OK(swath_answer_occurrences(answer, &positions, &offsets, &len));
    CHECK(length == 7 && positions[1].strand == -1);
    swath_answer_free(answer);
}

static void pairs(const swath_engine *engine) {
    words queries, targets;
    split(&queries, "stream steam team ");
    split(&targets, "team mast ");
    swath_query *query = NULL;
    const void *values;
    size_t len;
    uint32_t width;
    CHECK_OK(swath_query_pairs(&queries.list, &targets.list, NULL, &query));
    swath_answer *answer = answer_of(engine, query);
    CHECK_OK(swath_answer_values(answer, &values, &len, &width));
    CHECK(len == 6 && width == 1 && memcmp(values, "\2\6\1\5\0\4", 6) == 0);
    const swath_pair_value *kept;
    CHECK_ERROR(swath_answer_pairs(answer, &kept, &len), SWATH_NO_PART, "SWATH_KEPT");
    swath_answer_free(answer);

    swath_pair_options options = {.size = sizeof options};
    options.flags = SWATH_KEPT | SWATH_BOUNDED;
    options.within = 1;
    CHECK_OK(swath_query_pairs(&queries.list, NULL, &options, &query));
    swath_answer *first = NULL;
    CHECK_OK(swath_run(engine, query, NULL, &first));
    answer = answer_of(engine, query); /* A second run has pairs of its own. */
    CHECK_OK(swath_answer_pairs(first, &kept, &len));
    CHECK(len == 2);
    swath_answer_free(first);
    CHECK_OK(swath_answer_pairs(answer, &kept, &len));
    CHECK(len == 2 && kept[1].query == 1 && kept[1].target == 2 && kept[1].value == 1);
    swath_answer_free(answer);

    swath_pair list[2] = {{2, 0}, {0, 1}};
    swath_pair_options listed = {.size = sizeof listed};
    listed.selection = "list";
    double similarity = 0;
    CHECK_OK(swath_similarity("token-sort", NULL, 3 << 16 | 31, 17, 14, &similarity));
    CHECK(similarity > 90.3225 && similarity < 90.3226);
    CHECK_OK(swath_similarity(NULL, "global", 3, 6, 7, &similarity));
    CHECK(similarity > 0.571 && similarity < 0.572);
    CHECK_ERROR(swath_similarity("cosine", NULL, 3, 6, 7, &similarity), SWATH_INVALID_ARGUMENT,
                "cosine");
    listed.measure = "lcs";
    listed.list = list;
    listed.list_len = 2;
    CHECK_OK(swath_query_pairs(&queries.list, &targets.list, &listed, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_values(answer, &values, &len, &width));
    CHECK(len == 2 && memcmp(values, "\4\2", 2) == 0);
    swath_answer_free(answer);

    /* The second of two shares. */
    swath_pair_options share = {.size = sizeof share};
    share.share = 1;
    share.shares = 2;
    CHECK_OK(swath_query_pairs(&queries.list, &targets.list, &share, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_values(answer, &values, &len, &width));
    CHECK(len > 0 && len < 6);
    swath_answer_free(answer);
}

static void neighbors_and_clusters(const swath_engine *engine) {
    words list;
    split(&list, "stream steam team cat ");
    swath_neighbor_options options = {.size = sizeof options};
    swath_query *query = NULL;
    size_t len;
    options.within = 1;
    CHECK_OK(swath_query_neighbors(&list.list, NULL, &options, &query));
    swath_answer *answer = answer_of(engine, query);
    const swath_neighbor *neighbors;
    CHECK_OK(swath_answer_neighbors(answer, &neighbors, &len));
    CHECK(len == 2 && neighbors[1].row == 1 && neighbors[1].column == 2);
    CHECK(neighbors[1].distance == 1 && neighbors[1].strand == 1);
    swath_answer_free(answer);

    uint32_t groups[4] = {1, 1, 2, 2};
    options.row_groups = groups;
    CHECK_OK(swath_query_neighbors(&list.list, NULL, &options, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_neighbors(answer, &neighbors, &len));
    CHECK(len == 1 && neighbors[0].row == 0);
    swath_answer_free(answer);

    words umis;
    split(&umis, "ACGT TTTT ACGG ACCG AACG ");
    uint64_t counts[5] = {9, 1, 5, 2, 2};
    swath_neighbor_options other = {.size = sizeof other, .within = 1, .measure = "jaro"};
    CHECK_OK(swath_query_neighbors(&list.list, NULL, &other, &query));
    CHECK_ERROR(swath_run(engine, query, NULL, &answer), SWATH_INVALID_ARGUMENT, "'osa'");
    swath_query_free(query);
    swath_neighbor_options directional = {.size = sizeof directional, .flags = SWATH_DIRECTIONAL};
    directional.within = 1;
    directional.counts = counts;
    CHECK_OK(swath_query_clusters(&umis.list, &directional, &query));
    answer = answer_of(engine, query);
    const uint32_t *clusters;
    CHECK_OK(swath_answer_clusters(answer, &clusters, &len));
    CHECK(len == 5 && clusters[3] == 0 && clusters[4] == 2);
    CHECK_OK(swath_answer_representatives(answer, &clusters, &len));
    CHECK(len == 3 && clusters[2] == 4);
    swath_answer_free(answer);
}

static void search(const swath_engine *engine) {
    words texts;
    swath_strings pattern = swath_one_string(text("ACGTAC"));
    split(&texts, "TTTACGAACTT GGTACGTGG ");
    swath_search_options options = {.size = sizeof options, .flags = SWATH_ALIGNMENTS};
    swath_query *query = NULL;
    size_t len;
    options.within = 1;
    options.strands = "both";
    CHECK_OK(swath_query_search(&pattern, &texts.list, &options, &query));
    swath_answer *answer = answer_of(engine, query);
    const swath_place *places;
    const char *cigar;
    CHECK_OK(swath_answer_places(answer, &places, &len));
    CHECK(len == 2 && places[0].start == 3 && places[0].end == 9 && places[0].cost == 1);
    CHECK(places[1].text == 1 && places[1].pattern == 0 && places[1].strand == -1);
    CHECK_OK(swath_answer_place_cigar(answer, 0, &cigar));
    CHECK(strcmp(cigar, "3=1X2=") == 0);
    CHECK_ERROR(swath_answer_place_cigar(answer, 2, &cigar), SWATH_NO_PART, "'index' is 2");
    swath_answer_free(answer);

    swath_strings adapter = swath_one_string(text("AGATCGGAAGAGC"));
    swath_strings read = swath_one_string(text("TTGCATTGCAGATCGGA"));
    swath_search_options overhang = {.size = sizeof overhang, .flags = SWATH_ALIGNMENTS | SWATH_MAX_GAPS};
    overhang.within = 2;
    overhang.overhang = 500;
    CHECK_OK(swath_query_search(&adapter, &read, &overhang, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_places(answer, &places, &len));
    CHECK(len == 1 && places[0].start == 9 && places[0].after == 5);
    CHECK_OK(swath_answer_place_cigar(answer, 0, &cigar));
    CHECK(strcmp(cigar, "8=5S") == 0);
    swath_answer_free(answer);
}

static void trees(const swath_engine *engine) {
    uint64_t dimensions[4] = {10, 100, 5, 50}, cost;
    swath_query *query = NULL;
    const swath_node *nodes;
    size_t len;
    CHECK_OK(swath_query_matrix_chain(dimensions, 4, &query));
    swath_answer *answer = answer_of(engine, query);
    CHECK_OK(swath_answer_cost(answer, &cost));
    CHECK_OK(swath_answer_nodes(answer, &nodes, &len));
    CHECK(cost == 7500 && len == 2 && nodes[0].end == 3 && nodes[0].split == 2);
    swath_answer_free(answer);

    CHECK_OK(swath_query_rna_fold("GGGAAACCC", 9, 3, &query));
    answer = answer_of(engine, query);
    CHECK_OK(swath_answer_cost(answer, &cost));
    CHECK_OK(swath_answer_nodes(answer, &nodes, &len));
    CHECK(cost == 3 && len > 2 && nodes[0].split == SWATH_NONE);
    swath_answer_free(answer);
}

static void devices(void) {
    swath_devices *devices = NULL;
    swath_device device = {.size = sizeof device};
    CHECK_OK(swath_devices_new(&devices));
    size_t count = swath_devices_len(devices);
    CHECK(count >= 1);
    CHECK_OK(swath_devices_get(devices, count - 1, &device));
    CHECK(device.size == sizeof device && strcmp(device.selector, "cpu") == 0);
    CHECK(strcmp(device.kind, "CPU") == 0 && device.name[0] && device.reason[0]);
    CHECK_ERROR(swath_devices_get(devices, count, &device), SWATH_INVALID_ARGUMENT, "'index'");
    swath_devices_free(devices);
}

/* Selector of lavapipe, else of the first GPU, else an empty text. */
static void find_gpu(char *selector, size_t size) {
    swath_devices *devices = NULL;
    swath_device device = {.size = sizeof device};
    CHECK_OK(swath_devices_new(&devices));
    for (size_t i = 0; i + 1 < swath_devices_len(devices); i++) {
        CHECK_OK(swath_devices_get(devices, i, &device));
        if (!selector[0] || strstr(device.name, "llvmpipe"))
            snprintf(selector, size, "%s", device.selector);
    }
    swath_devices_free(devices);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    const char *device = argv[1], *named = getenv("SWATH_TEST_DEVICE");
    char selector[256] = "";
    if (strcmp(device, "gpu") == 0) {
        if (named)
            snprintf(selector, sizeof selector, "%s", named);
        else
            find_gpu(selector, sizeof selector);
        device = selector;
    }
    if (!device[0]) {
        puts("problems: skipped, there is no GPU and no software driver");
        return getenv("SWATH_REQUIRE_GPU_TESTS") != NULL;
    }
    CHECK(swath_abi_version() == SWATH_ABI_VERSION);
    CHECK(strchr(swath_version(), '.') != NULL);
    swath_engine *engine = engine_on(device);
    edit(engine);
    subsequence_and_supersequence(engine);
    substrings(engine);
    pairs(engine);
    neighbors_and_clusters(engine);
    search(engine);
    trees(engine);
    devices();
    swath_engine_free(engine);
    printf("problems: passed on %s\n", device);
    return 0;
}

/* Wrong arguments end with a code and a message that names them; outputs are not written. */
#include "check.h"

#define UNTOUCHED ((void *)(size_t)0x5a5a)

static void pointers_and_sizes(const swath_engine *engine) {
    swath_symbols a = text("kitten"), b = text("sitting");
    swath_query *query = UNTOUCHED;
    const swath_status wrong = SWATH_INVALID_ARGUMENT;
    CHECK_ERROR(swath_engine_new(NULL, NULL), wrong, "'engine'");
    CHECK_ERROR(swath_query_edit(NULL, &b, NULL, &query), wrong, "'a'");
    CHECK_ERROR(swath_query_edit(&a, NULL, NULL, &query), wrong, "'b'");
    CHECK_ERROR(swath_query_edit(&a, &b, NULL, NULL), wrong, "'query'");
    swath_symbols odd = swath_bytes(NULL, 3);
    CHECK_ERROR(swath_query_edit(&odd, &b, NULL, &query), wrong, "'a'");
    odd = swath_bytes("x", (size_t)-1);
    CHECK_ERROR(swath_query_edit(&odd, &b, NULL, &query), wrong, "'a'");
    odd = a;
    odd.width = 2;
    CHECK_ERROR(swath_query_lcs(&odd, &b, NULL, &query), wrong, "width 2");
    uint32_t numbers[2] = {1, 2};
    odd = swath_numbers((const uint32_t *)(const void *)((const char *)numbers + 1), 1);
    CHECK_ERROR(swath_query_lcs(&odd, &b, NULL, &query), wrong, "aligned");
    CHECK(query == UNTOUCHED);

    CHECK_OK(swath_query_edit(&a, &b, NULL, &query));
    swath_answer *answer = UNTOUCHED;
    swath_job *job = UNTOUCHED;
    char *plan = UNTOUCHED;
    CHECK_ERROR(swath_run(NULL, query, NULL, &answer), wrong, "'engine'");
    CHECK_ERROR(swath_run(engine, NULL, NULL, &answer), wrong, "'query'");
    CHECK_ERROR(swath_run(engine, query, NULL, NULL), wrong, "'answer'");
    CHECK_ERROR(swath_start(engine, NULL, NULL, &job), wrong, "'query'");
    CHECK_ERROR(swath_start(engine, query, NULL, NULL), wrong, "'job'");
    CHECK_ERROR(swath_plan(engine, query, NULL), wrong, "'plan'");
    CHECK(answer == UNTOUCHED && job == UNTOUCHED && plan == UNTOUCHED);
    CHECK_OK(swath_plan(engine, query, &plan));
    CHECK(strstr(plan, "\"method\"") != NULL);
    swath_text_free(plan);
    answer = answer_of(engine, query);
    uint64_t number = 77;
    size_t len = 77;
    const swath_block *blocks = UNTOUCHED;
    CHECK_ERROR(swath_answer_distance(NULL, &number), wrong, "'answer'");
    CHECK_ERROR(swath_answer_distance(answer, NULL), wrong, "'distance'");
    CHECK_ERROR(swath_answer_cost(answer, &number), SWATH_NO_PART, "cost");
    CHECK_ERROR(swath_answer_blocks(answer, &blocks, &len), SWATH_NO_PART, "blocks");
    CHECK(number == 77 && len == 77 && blocks == UNTOUCHED);
    CHECK_ERROR(swath_job_wait(NULL, &answer), wrong, "'job'");
    CHECK_ERROR(swath_job_progress(NULL, NULL), wrong, "'job'");
    swath_answer_free(answer);
}

static void options_of_other_versions(void) {
    swath_symbols a = text("kitten"), b = text("sitting");
    swath_query *query = NULL;
    struct {
        swath_edit_options known;
        uint64_t later;
    } newer = {{sizeof newer, 0, NULL, NULL, NULL, NULL, 0}, 0};
    /* The struct of a newer header, with a later option at its default and set. */
    CHECK_OK(swath_query_edit(&a, &b, &newer.known, &query));
    swath_query_free(query);
    newer.later = 1;
    CHECK_ERROR(swath_query_edit(&a, &b, &newer.known, &query), SWATH_INVALID_ARGUMENT, "newer");
    /* The struct of an older header, which ends before the mode. */
    swath_edit_options older = {.size = offsetof(swath_edit_options, mode)};
    older.mode = (const char *)UNTOUCHED;
    CHECK_OK(swath_query_edit(&a, &b, &older, &query));
    swath_query_free(query);
    swath_edit_options none = {0};
    CHECK_ERROR(swath_query_edit(&a, &b, &none, &query), SWATH_INVALID_ARGUMENT,
                "sizeof(swath_edit_options)");
    /* A result is written as far as the caller's struct goes. */
    swath_devices *devices = NULL;
    swath_device device = {.size = offsetof(swath_device, name)};
    device.name = (const char *)UNTOUCHED;
    CHECK_OK(swath_devices_new(&devices));
    CHECK_OK(swath_devices_get(devices, 0, &device));
    CHECK(device.selector[0] && device.name == (const char *)UNTOUCHED);
    device.size = 1;
    CHECK_ERROR(swath_devices_get(devices, 0, &device), SWATH_INVALID_ARGUMENT, "sizeof(swath_device)");
    swath_devices_free(devices);
}

static void names_flags_and_values(const swath_engine *engine) {
    const swath_status wrong = SWATH_INVALID_ARGUMENT;
    swath_symbols a = text("kitten"), b = text("sitting"), empty = swath_bytes(NULL, 0);
    swath_query *query = NULL;
    swath_edit_options edit = {.size = sizeof edit};
    edit.mode = "sideways";
    CHECK_ERROR(swath_query_edit(&a, &b, &edit, &query), wrong, "global, prefix, infix");
    edit.mode = "\xff";
    CHECK_ERROR(swath_query_edit(&a, &b, &edit, &query), wrong, "options.mode");
    edit.mode = "infix";
    edit.method = "magic";
    CHECK_ERROR(swath_query_edit(&a, &b, &edit, &query), wrong, "magic");
    edit.method = NULL;
    edit.matching = "blosum";
    CHECK_ERROR(swath_query_edit(&a, &b, &edit, &query), wrong, "exact, iupac");
    edit.matching = NULL;
    edit.flags = 1u << 31;
    CHECK_ERROR(swath_query_edit(&a, &b, &edit, &query), wrong, "options.flags");
    edit.flags = 0;
    CHECK_OK(swath_query_edit(&empty, &b, &edit, &query));
    swath_answer *answer = NULL;
    CHECK_ERROR(swath_run(engine, query, NULL, &answer), wrong, "query is empty");
    swath_query_free(query);

    uint64_t falling[3] = {0, 9, 4};
    swath_strings list = {swath_bytes("steamteam", 9), NULL, 2};
    CHECK_ERROR(swath_query_pairs(&list, NULL, NULL, &query), wrong, "'queries.offsets'");
    list.offsets = falling;
    CHECK_ERROR(swath_query_pairs(&list, NULL, NULL, &query), wrong, "offset");
    falling[1] = 10;
    CHECK_ERROR(swath_query_neighbors(&list, NULL, NULL, &query), wrong, "offset");
    uint64_t offsets[3] = {0, 5, 9};
    list.offsets = offsets;
    swath_pair_options pairs = {.size = sizeof pairs};
    pairs.flags = SWATH_KEPT;
    CHECK_ERROR(swath_query_pairs(&list, NULL, &pairs, &query), wrong, "SWATH_BOUNDED");
    pairs.flags = 0;
    pairs.selection = "zip";
    CHECK_ERROR(swath_query_pairs(&list, NULL, &pairs, &query), wrong, "'targets'");
    pairs.selection = "symmetric";
    CHECK_ERROR(swath_query_pairs(&list, &list, &pairs, &query), wrong, "'targets'");
    pairs.selection = "diagonal";
    CHECK_ERROR(swath_query_pairs(&list, &list, &pairs, &query), wrong, "cross, symmetric");
    pairs.selection = "list";
    pairs.list_len = 1;
    CHECK_ERROR(swath_query_pairs(&list, &list, &pairs, &query), wrong, "options.list");
    swath_pair pair = {7, 0};
    pairs.list = &pair;
    CHECK_OK(swath_query_pairs(&list, &list, &pairs, &query));
    CHECK(swath_run(engine, query, NULL, &answer) == wrong);
    swath_query_free(query);

    swath_search_options search = {.size = sizeof search};
    search.exact_head = search.exact_tail = 1;
    CHECK_ERROR(swath_query_search(&list, &list, &search, &query), wrong, "exact_tail");
    uint64_t dimensions[3] = {4, 0, 2};
    CHECK_ERROR(swath_query_matrix_chain(dimensions, 3, &query), wrong, "dimensions[1]");
    CHECK_ERROR(swath_query_rna_fold("GELF", 4, 3, &query), wrong, "base 2");
    uint32_t numbers[1] = {70000};
    swath_strings dna[1] = {swath_one_string(swath_numbers(numbers, 1))};
    swath_substring_options strands = {.size = sizeof strands, .flags = SWATH_BOTH_STRANDS};
    CHECK_ERROR(swath_query_substring(dna, 1, &strands, &query), wrong, "bytes");

    swath_engine *other = NULL;
    swath_engine_options options = {.size = sizeof options};
    options.device = "no such device";
    CHECK_ERROR(swath_engine_new(&options, &other), SWATH_DEVICE_ERROR, "available");
    options.device = "cpu";
    options.threads = 5000;
    CHECK_ERROR(swath_engine_new(&options, &other), wrong, "threads");
    options.threads = 0;
    options.host_memory = 1;
    CHECK_OK(swath_engine_new(&options, &other));
    swath_neighbor_options near = {.size = sizeof near, .within = 1};
    CHECK_OK(swath_query_neighbors(&list, NULL, &near, &query));
    CHECK_ERROR(swath_run(other, query, NULL, &answer), SWATH_MEMORY_ERROR, "raise the limit");
    swath_query_free(query);
    swath_engine_free(other);
    CHECK(query != NULL && answer == NULL);
}

static void null_handles_are_ignored(void) {
    swath_engine_free(NULL);
    swath_query_free(NULL);
    swath_answer_free(NULL);
    swath_job_free(NULL);
    swath_job_cancel(NULL);
    swath_cancel_set(NULL);
    swath_cancel_free(NULL);
    swath_devices_free(NULL);
    swath_text_free(NULL);
    CHECK(swath_devices_len(NULL) == 0);
}

int main(void) {
    CHECK(swath_error_message()[0] == 0);
    swath_engine *engine = engine_on("cpu");
    pointers_and_sizes(engine);
    options_of_other_versions();
    names_flags_and_values(engine);
    null_handles_are_ignored();
    swath_engine_free(engine);
    puts("errors: passed");
    return 0;
}

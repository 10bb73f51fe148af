/* edlib's functions: results and CIGARs, equalities, empty sequences, wrong arguments.
 *
 * The first argument is a table of pairs with edlib's distances and ends. */
#include "check.h"
#include "swath_edlib.h"

static EdlibAlignResult align(const char *query, const char *target, EdlibAlignConfig config) {
    return edlibAlign(query, (int)strlen(query), target, (int)strlen(target), config);
}

static void parts(void) {
    EdlibAlignConfig config = edlibNewAlignConfig(-1, EDLIB_MODE_HW, EDLIB_TASK_PATH, NULL, 0);
    EdlibAlignResult result = align("ACTG", "CACTRT", config);
    CHECK(result.status == EDLIB_STATUS_OK && result.editDistance == 1);
    CHECK(result.alphabetLength == 5 && result.numLocations == 2);
    CHECK(result.startLocations[0] == 1 && result.endLocations[0] == 3);
    CHECK(result.endLocations[1] == 4 && result.alignmentLength == 4);
    char *cigar = edlibAlignmentToCigar(result.alignment, 4, EDLIB_CIGAR_EXTENDED);
    CHECK(strcmp(cigar, "3=1I") == 0);
    free(cigar);
    cigar = edlibAlignmentToCigar(result.alignment, 4, EDLIB_CIGAR_STANDARD);
    CHECK(strcmp(cigar, "3M1I") == 0);
    free(cigar);
    edlibFreeAlignResult(result);

    result = align("elephant", "telephone", edlibDefaultAlignConfig());
    CHECK(result.status == EDLIB_STATUS_OK && result.editDistance == 3);
    CHECK(result.numLocations == 1 && result.endLocations[0] == 8);
    CHECK(result.startLocations == NULL && result.alignment == NULL);
    edlibFreeAlignResult(result);

    config.k = 0;
    result = align("ACTG", "CACTRT", config);
    CHECK(result.status == EDLIB_STATUS_OK && result.editDistance == -1);
    CHECK(result.endLocations == NULL && result.numLocations == 0);
    edlibFreeAlignResult(result);

    config.k = -1;
    result = align("", "ACTG", config);
    CHECK(result.editDistance == 0 && result.endLocations[0] == -1 && result.alignment == NULL);
    edlibFreeAlignResult(result);
}

static void equalities(void) {
    EdlibEqualityPair wildcards[6] = {{'R', 'A'}, {'R', 'G'}, {'N', 'A'},
                                      {'N', 'C'}, {'N', 'G'}, {'N', 'T'}};
    EdlibAlignConfig config = edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_PATH, wildcards, 6);
    EdlibAlignResult result = align("GANTRC", "GATTAC", config);
    CHECK(result.editDistance == 0 && result.alphabetLength == 6);
    CHECK(result.alignment[2] == EDLIB_EDOP_MATCH);
    edlibFreeAlignResult(result);
    result = align("RN", "CY", config); /* R is not C; N is not Y. */
    CHECK(result.editDistance == 2);
    edlibFreeAlignResult(result);

    /* Letter case: 26 pairs, which are transitive. */
    EdlibEqualityPair cases[26];
    for (int i = 0; i < 26; i++) {
        cases[i].first = (char)('a' + i);
        cases[i].second = (char)('A' + i);
    }
    config = edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_DISTANCE, cases, 26);
    result = align("Kitten", "sITTing", config);
    CHECK(result.editDistance == 3 && result.alphabetLength == 9);
    edlibFreeAlignResult(result);

    /* 25 pairs that are not. */
    for (int i = 0; i < 26; i++)
        cases[i].second = '*';
    result = align("Kitten", "sITTing", config);
    CHECK(result.status == EDLIB_STATUS_ERROR);
    CHECK(strstr(swath_error_message(), "24 or less") != NULL);
    edlibFreeAlignResult(result);
}

static void wrong_arguments(void) {
    EdlibAlignConfig config = edlibDefaultAlignConfig();
    unsigned char steps[2] = {0, 4};
    CHECK(edlibAlign(NULL, 3, "ACT", 3, config).status == EDLIB_STATUS_ERROR);
    CHECK(edlibAlign("ACT", -1, "ACT", 3, config).status == EDLIB_STATUS_ERROR);
    CHECK(strstr(swath_error_message(), "queryLength") != NULL);
    config.mode = (EdlibAlignMode)7;
    CHECK(align("ACT", "ACT", config).status == EDLIB_STATUS_ERROR);
    CHECK(edlibAlignmentToCigar(steps, 2, EDLIB_CIGAR_EXTENDED) == NULL);
    CHECK(edlibAlignmentToCigar(steps, -2, EDLIB_CIGAR_EXTENDED) == NULL);
    CHECK(edlibAlignmentToCigar(steps, 1, (EdlibCigarFormat)2) == NULL);
    char *cigar = edlibAlignmentToCigar(NULL, 0, EDLIB_CIGAR_STANDARD);
    CHECK(cigar != NULL && cigar[0] == 0);
    free(cigar);
}

/* Distances and locations that edlib itself gives, as lines of mode, query, target, distance and
 * half-open locations. */
static void table(const char *path) {
    FILE *file = fopen(path, "r");
    char line[8192];
    int rows = 0;
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        line[strcspn(line, "\n")] = 0;
        char *fields[5];
        char *next = line;
        for (int i = 0; i < 5; i++) {
            fields[i] = next;
            next += strcspn(next, "\t");
            if (*next)
                *next++ = 0;
        }
        EdlibAlignMode mode = fields[0][0] == 'g'   ? EDLIB_MODE_NW
                              : fields[0][0] == 'p' ? EDLIB_MODE_SHW
                                                    : EDLIB_MODE_HW;
        EdlibAlignConfig config = edlibNewAlignConfig(-1, mode, EDLIB_TASK_LOC, NULL, 0);
        EdlibAlignResult result = align(fields[1], fields[2], config);
        CHECK(result.status == EDLIB_STATUS_OK && result.editDistance == atoi(fields[3]));
        int locations = 0;
        for (char *place = strtok(fields[4], " "); place; place = strtok(NULL, " ")) {
            int start, end;
            CHECK(sscanf(place, "%d..%d", &start, &end) == 2 && locations < result.numLocations);
            CHECK(result.endLocations[locations] == end - 1);
            CHECK(result.startLocations[locations] == start);
            locations++;
        }
        CHECK(locations == result.numLocations && locations > 0);
        edlibFreeAlignResult(result);
        rows++;
    }
    fclose(file);
    CHECK(rows >= 100);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    table(argv[1]);
    parts();
    equalities();
    wrong_arguments();
    puts("edlib: passed");
    return 0;
}

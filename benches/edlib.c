/* Times calls of edlib's interface: pairs of two FASTA files, or the same call many times.
 *
 * Arguments: query file, target file, mode (NW, SHW, HW), task (distance, locations, path), calls.
 * Prints the distance, the number of locations, and milliseconds for a call. */
#define _POSIX_C_SOURCE 200809L
#include <edlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *sequence_of(const char *path, int *len) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    static char line[1 << 21];
    char *sequence = malloc(1 << 23);
    *len = 0;
    while (sequence && fgets(line, sizeof line, file)) {
        size_t count = strcspn(line, "\r\n");
        if (line[0] == '>' || *len + count > 1 << 23)
            continue;
        memcpy(sequence + *len, line, count);
        *len += (int)count;
    }
    fclose(file);
    return sequence;
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + (double)time.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "usage: %s query target mode task calls\n", argv[0]);
        return 2;
    }
    int query_len, target_len, calls = atoi(argv[5]);
    char *query = sequence_of(argv[1], &query_len), *target = sequence_of(argv[2], &target_len);
    EdlibAlignMode mode = strcmp(argv[3], "NW") == 0    ? EDLIB_MODE_NW
                          : strcmp(argv[3], "SHW") == 0 ? EDLIB_MODE_SHW
                                                        : EDLIB_MODE_HW;
    EdlibAlignTask task = argv[4][0] == 'd'   ? EDLIB_TASK_DISTANCE
                          : argv[4][0] == 'l' ? EDLIB_TASK_LOC
                                              : EDLIB_TASK_PATH;
    EdlibAlignConfig config = edlibNewAlignConfig(-1, mode, task, NULL, 0);
    double best = 1e300;
    for (int call = 0; call < calls; call++) {
        double start = now_ms();
        EdlibAlignResult result = edlibAlign(query, query_len, target, target_len, config);
        double elapsed = now_ms() - start;
        best = elapsed < best ? elapsed : best;
        if (call == 0)
            printf("distance %d, %d locations", result.editDistance, result.numLocations);
        edlibFreeAlignResult(result);
    }
    printf(", best %.3f ms\n", best);
    free(query);
    free(target);
    return 0;
}

/* Longest common subsequence of two genomes, with progress on the terminal. Ctrl-C cancels it.
 *
 *     cc genomes.c $(pkg-config --cflags --libs swath) -o genomes
 *     ./genomes a.fasta b.fasta [device]
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "swath.h"

static swath_cancel *cancel;

static void on_interrupt(int signal) {
    (void)signal;
    swath_cancel_set(cancel);
}

static void on_progress(const swath_progress *progress, void *user) {
    int *percent = user;
    int next = (int)(100 * progress->fraction);
    if (next != *percent) {
        *percent = next;
        fprintf(stderr, "\r%3d %%", next);
    }
}

/* The bases of all records of a FASTA file, or null. */
static char *bases_of(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    char *bases = NULL;
    size_t size = 0;
    *len = 0;
    if (!file)
        return NULL;
    int is_header = 0;
    for (int byte; (byte = getc(file)) != EOF;) {
        if (byte == '>')
            is_header = 1;
        if (!is_header && isalpha(byte)) {
            if (*len == size) {
                size = size ? 2 * size : 1 << 20;
                char *larger = realloc(bases, size);
                if (!larger) {
                    free(bases);
                    fclose(file);
                    return NULL;
                }
                bases = larger;
            }
            bases[(*len)++] = (char)toupper(byte);
        }
        if (byte == '\n')
            is_header = 0;
    }
    fclose(file);
    return bases;
}

static int failed(const char *what) {
    fprintf(stderr, "\n%s: %s\n", what, swath_error_message());
    return 1;
}

static int print(const swath_answer *answer) {
    uint64_t length;
    const swath_block *blocks;
    size_t count;
    swath_run_record record = {.size = sizeof record};
    if (swath_answer_length(answer, &length) != SWATH_OK ||
        swath_answer_blocks(answer, &blocks, &count) != SWATH_OK ||
        swath_answer_run(answer, &record) != SWATH_OK)
        return failed("answer");
    printf("common subsequence of %llu bases in %zu runs\n", (unsigned long long)length, count);
    printf("%s on %s in %.2f s\n", record.method, record.device, record.seconds);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s a.fasta b.fasta [device]\n", argv[0]);
        return 2;
    }
    size_t a_len, b_len;
    char *a = bases_of(argv[1], &a_len), *b = bases_of(argv[2], &b_len);
    if (!a || !b) {
        fprintf(stderr, "cannot read bases from %s\n", a ? argv[2] : argv[1]);
        return 1;
    }

    swath_engine_options options = {.size = sizeof options, .device = argc > 3 ? argv[3] : "auto"};
    swath_engine *engine = NULL;
    if (swath_engine_new(&options, &engine) != SWATH_OK)
        return failed("engine");

    swath_symbols first = swath_bytes(a, a_len), second = swath_bytes(b, b_len);
    swath_lcs_options path = {.size = sizeof path, .flags = SWATH_PATH};
    swath_query *query = NULL;
    if (swath_query_lcs(&first, &second, &path, &query) != SWATH_OK)
        return failed("query");
    free(a);
    free(b);

    int percent = -1;
    cancel = swath_cancel_new();
    swath_control control = {
        .size = sizeof control, .progress = on_progress, .user = &percent, .cancel = cancel};
    signal(SIGINT, on_interrupt);
    swath_answer *answer = NULL;
    swath_status status = swath_run(engine, query, &control, &answer);
    int code = status == SWATH_OK ? print(answer) : failed(status == SWATH_CANCELLED ? "stopped" : "run");

    swath_answer_free(answer);
    swath_cancel_free(cancel);
    swath_query_free(query);
    swath_engine_free(engine);
    return code;
}

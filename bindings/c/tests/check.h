/* Checks of the tests: a failure prints its place and the last message, and ends the program. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "swath.h"

#define CHECK(condition)                                                                    \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: %s\nlast message: %s\n", __FILE__, __LINE__, #condition, \
                    swath_error_message());                                                 \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

#define CHECK_OK(call) CHECK((call) == SWATH_OK)

/* An error with this code, whose message names this. */
#define CHECK_ERROR(call, code, name)                             \
    do {                                                          \
        CHECK((call) == (code));                                  \
        CHECK(strstr(swath_error_message(), (name)) != NULL);     \
    } while (0)

static inline swath_engine *engine_on(const char *device) {
    swath_engine_options options = {.size = sizeof options};
    swath_engine *engine = NULL;
    options.device = device;
    options.threads = 2;
    CHECK_OK(swath_engine_new(&options, &engine));
    return engine;
}

/* Runs a query once and frees it. */
static inline swath_answer *answer_of(const swath_engine *engine, swath_query *query) {
    swath_answer *answer = NULL;
    CHECK_OK(swath_run(engine, query, NULL, &answer));
    swath_query_free(query);
    return answer;
}

static inline swath_symbols text(const char *text) {
    return swath_bytes(text, strlen(text));
}

/* A list of words with a space behind each. */
typedef struct words {
    char bytes[256];
    uint64_t offsets[32];
    swath_strings list;
} words;

static inline const swath_strings *split(words *words, const char *line) {
    size_t len = 0, count = 0;
    words->offsets[0] = 0;
    for (; *line; line++) {
        if (*line == ' ')
            words->offsets[++count] = len;
        else
            words->bytes[len++] = *line;
    }
    words->list.symbols = swath_bytes(words->bytes, len);
    words->list.offsets = words->offsets;
    words->list.len = count;
    return &words->list;
}

#endif

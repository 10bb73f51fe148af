/* Jobs, progress, cancellation, threads and fork. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define SYMBOLS 60000

/* Random letters of a fixed seed. */
static char *letters(uint64_t seed) {
    char *letters = malloc(SYMBOLS);
    CHECK(letters != NULL);
    for (size_t i = 0; i < SYMBOLS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        letters[i] = "ACGT"[seed >> 62];
    }
    return letters;
}

/* An LCS of unrelated sequences, whose whole table is computed. Its inputs are freed here. */
static swath_query *long_query(void) {
    char *a = letters(1), *b = letters(2);
    swath_symbols first = swath_bytes(a, SYMBOLS), second = swath_bytes(b, SYMBOLS);
    swath_lcs_options options = {.size = sizeof options, .flags = SWATH_PATH};
    swath_query *query = NULL;
    CHECK_OK(swath_query_lcs(&first, &second, &options, &query));
    free(a);
    free(b);
    return query;
}

static void pause_ms(long ms) {
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

typedef struct reports {
    double last;
    int count;
    int is_rising;
} reports;

static void report(const swath_progress *progress, void *user) {
    reports *reports = user;
    reports->is_rising &= progress->fraction >= reports->last && progress->done <= progress->total;
    reports->last = progress->fraction;
    reports->count++;
}

static void a_job_reports_progress_and_gives_its_answer_once(const swath_engine *engine) {
    reports seen = {0, 0, 1};
    swath_control control = {.size = sizeof control};
    control.progress = report;
    control.user = &seen;
    swath_query *query = long_query();
    swath_job *job = NULL;
    CHECK_OK(swath_start(engine, query, &control, &job));
    swath_query_free(query);
    swath_answer *answer = NULL, *second = NULL;
    swath_progress progress = {.size = sizeof progress};
    double last = 0;
    int polls = 0;
    swath_status status;
    while ((status = swath_job_poll(job, &answer)) == SWATH_RUNNING) {
        CHECK_OK(swath_job_progress(job, &progress));
        CHECK(progress.fraction >= last && progress.fraction <= 1);
        last = progress.fraction;
        polls++;
        pause_ms(1);
    }
    CHECK(status == SWATH_OK && polls > 0);
    CHECK(seen.count > 1 && seen.is_rising && seen.last == 1);
    CHECK_OK(swath_job_progress(job, &progress));
    CHECK(progress.fraction == 1);
    CHECK_ERROR(swath_job_wait(job, &second), SWATH_INVALID_ARGUMENT, "taken before");
    swath_job_free(job);
    uint64_t length;
    swath_symbols symbols;
    CHECK_OK(swath_answer_length(answer, &length));
    CHECK_OK(swath_answer_symbols(answer, &symbols));
    CHECK(length > SYMBOLS / 2 && symbols.len == length && second == NULL);
    swath_answer_free(answer);
}

static void jobs_can_be_cancelled_and_freed(const swath_engine *engine) {
    swath_query *query = long_query();
    swath_job *job = NULL;
    swath_answer *answer = NULL;
    CHECK_OK(swath_start(engine, query, NULL, &job));
    swath_job_cancel(job);
    CHECK(swath_job_wait(job, &answer) == SWATH_CANCELLED);
    CHECK(answer == NULL);
    swath_job_free(job);
    /* Freed while it runs. */
    CHECK_OK(swath_start(engine, query, NULL, &job));
    swath_job_free(job);
    /* By a handle that was set before. */
    swath_cancel *cancel = swath_cancel_new();
    swath_control control = {.size = sizeof control};
    control.cancel = cancel;
    swath_cancel_set(cancel);
    CHECK(swath_run(engine, query, &control, &answer) == SWATH_CANCELLED);
    CHECK_OK(swath_start(engine, query, &control, &job));
    swath_cancel_free(cancel);
    CHECK(swath_job_wait(job, &answer) == SWATH_CANCELLED);
    swath_job_free(job);
    swath_query_free(query);
}

static void *cancel_soon(void *cancel) {
    pause_ms(5);
    swath_cancel_set(cancel);
    return NULL;
}

static void another_thread_cancels_a_run(const swath_engine *engine) {
    swath_query *query = long_query();
    swath_cancel *cancel = swath_cancel_new();
    swath_control control = {.size = sizeof control};
    control.cancel = cancel;
    pthread_t thread;
    swath_answer *answer = NULL;
    CHECK(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
    CHECK(swath_run(engine, query, &control, &answer) == SWATH_CANCELLED);
    CHECK(pthread_join(thread, NULL) == 0);
    swath_cancel_free(cancel);
    swath_query_free(query);
}

typedef struct shared {
    const swath_engine *engine;
    swath_query *query;
    swath_job *job;
} shared;

static void *use_shared(void *argument) {
    const shared *shared = argument;
    for (int call = 0; call < 50; call++) {
        swath_answer *answer = NULL;
        uint64_t distance = 0;
        CHECK_OK(swath_run(shared->engine, shared->query, NULL, &answer));
        CHECK_OK(swath_answer_distance(answer, &distance));
        CHECK(distance == 3);
        swath_answer_free(answer);
        /* The message belongs to the thread. */
        CHECK_ERROR(swath_answer_distance(NULL, &distance), SWATH_INVALID_ARGUMENT, "'answer'");
    }
    return NULL;
}

static void *wait_for(void *argument) {
    const shared *shared = argument;
    swath_answer *answer = NULL;
    swath_status status = swath_job_wait(shared->job, &answer);
    CHECK(status == SWATH_OK || status == SWATH_INVALID_ARGUMENT);
    swath_answer_free(answer);
    return answer;
}

static void threads_share_handles(const swath_engine *engine) {
    swath_symbols a = text("kitten"), b = text("sitting");
    shared shared = {engine, NULL, NULL};
    CHECK_OK(swath_query_edit(&a, &b, NULL, &shared.query));
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, use_shared, &shared) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    swath_query_free(shared.query);

    /* Four threads wait for one job; one gets the answer, all return. */
    swath_query *query = long_query();
    CHECK_OK(swath_start(engine, query, NULL, &shared.job));
    swath_query_free(query);
    int answers = 0;
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, wait_for, &shared) == 0);
    for (int i = 0; i < 4; i++) {
        void *answer;
        CHECK(pthread_join(threads[i], &answer) == 0);
        answers += answer != NULL;
    }
    CHECK(answers == 1);
    swath_job_free(shared.job);
}

static void a_forked_child_has_threads_of_its_own(const swath_engine *engine) {
    swath_query *query = long_query();
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        swath_answer *answer = NULL;
        uint64_t length = 0;
        int failed = swath_run(engine, query, NULL, &answer) != SWATH_OK ||
                     swath_answer_length(answer, &length) != SWATH_OK || length < SYMBOLS / 2;
        _exit(failed);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    swath_query_free(query);
}

int main(void) {
    swath_engine *engine = engine_on("cpu");
    a_job_reports_progress_and_gives_its_answer_once(engine);
    jobs_can_be_cancelled_and_freed(engine);
    another_thread_cancels_a_run(engine);
    threads_share_handles(engine);
    a_forked_child_has_threads_of_its_own(engine);
    /* A job goes on without its engine and its query. */
    swath_query *query = long_query();
    swath_job *job = NULL;
    swath_answer *answer = NULL;
    CHECK_OK(swath_start(engine, query, NULL, &job));
    swath_engine_free(engine);
    swath_query_free(query);
    CHECK_OK(swath_job_wait(job, &answer));
    swath_job_free(job);
    swath_answer_free(answer);
    puts("jobs: passed");
    return 0;
}

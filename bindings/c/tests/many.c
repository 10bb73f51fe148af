/* 10,000 calls: queries, runs, jobs, parts and errors. Checkers of memory run it. */
#include "check.h"
#include "swath_edlib.h"

int main(int argc, char **argv) {
    int calls = argc > 1 ? atoi(argv[1]) : 10000;
    CHECK(calls > 0);
    swath_engine *engine = engine_on("cpu");
    for (int call = 0; call < calls; call++) {
        char a[40], b[40];
        int a_len = call % 40, b_len = call / 7 % 40;
        for (int i = 0; i < 40; i++) {
            a[i] = "ACGT"[(call + i * i) % 4];
            b[i] = "ACGT"[(call / 3 + i) % 4];
        }
        if (call % 2) {
            EdlibAlignConfig config = edlibNewAlignConfig(-1, EDLIB_MODE_NW, EDLIB_TASK_PATH, NULL, 0);
            EdlibAlignResult result = edlibAlign(a, a_len, b, b_len, config);
            CHECK(result.status == EDLIB_STATUS_OK && result.editDistance <= 40);
            if (result.alignment) {
                char *cigar = edlibAlignmentToCigar(result.alignment, result.alignmentLength,
                                                    EDLIB_CIGAR_EXTENDED);
                CHECK(cigar != NULL);
                free(cigar);
            }
            edlibFreeAlignResult(result);
            continue;
        }
        swath_symbols first = swath_bytes(a, (size_t)a_len), second = swath_bytes(b, (size_t)b_len);
        swath_query *query = NULL;
        swath_answer *answer = NULL;
        swath_edit_options options = {.size = sizeof options, .flags = SWATH_PATH};
        CHECK_OK(swath_query_edit(&first, &second, &options, &query));
        if (call % 16 == 0) {
            swath_job *job = NULL;
            CHECK_OK(swath_start(engine, query, NULL, &job));
            if (call % 32 == 0)
                CHECK_OK(swath_job_wait(job, &answer));
            swath_job_free(job);
        } else {
            CHECK_OK(swath_run(engine, query, NULL, &answer));
        }
        swath_query_free(query);
        uint64_t distance, cost;
        const char *cigar;
        const swath_block *blocks;
        size_t len;
        if (answer) {
            CHECK_OK(swath_answer_distance(answer, &distance));
            CHECK(distance <= 40);
            CHECK_OK(swath_answer_cigar(answer, &cigar));
            CHECK_OK(swath_answer_blocks(answer, &blocks, &len));
            for (size_t i = 0; i < len; i++)
                CHECK(blocks[i].a + blocks[i].len <= (uint64_t)a_len);
            CHECK_ERROR(swath_answer_cost(answer, &cost), SWATH_NO_PART, "cost");
        }
        swath_answer_free(answer);
    }
    swath_engine_free(engine);
    printf("many: %d calls passed\n", calls);
    return 0;
}

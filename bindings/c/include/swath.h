/* swath: dynamic programming and string problems on CPUs and GPUs.
 *
 * This file is generated from bindings/c/src by bindings/c/header.sh.
 *
 * Errors. A function that can fail returns a swath_status. After an error swath_error_message()
 * says what is wrong and names the way out. Then outputs are not written. Wrong arguments (null, a
 * wrong size, an unknown name, offsets that fall) are SWATH_INVALID_ARGUMENT. No panic leaves the
 * library. Memory that the system refuses to the work itself ends the process.
 *
 * Ownership. Handles (swath_engine, swath_query, swath_job, swath_answer, swath_cancel,
 * swath_devices) belong to the caller, who frees each once with the function of its type. Null may be
 * freed; a handle must not be freed twice, nor used after or while it is freed. Inputs and options
 * are copied: they may change or be freed when a function returns. Arrays and texts of an answer or
 * of a list of devices belong to it and live as long as it does. Handles may be freed in any order:
 * a job keeps its engine and its query, an answer keeps its query.
 *
 * Threads. All functions may be called from any thread. One engine, query, job, answer or cancel
 * handle may be used by several threads at the same time. The message of an error belongs to the
 * thread that it occurred on. Progress is reported on threads of the library.
 *
 * Structs. Options, and structs with results that may grow, begin with their size. Zeros are the
 * defaults, so that a struct is set up by {.size = sizeof options}. A program runs with an older or
 * newer library as long as SWATH_ABI_VERSION is the same. Pointers in structs may be null unless it
 * is said otherwise.
 *
 * Processes. After fork a child may use an engine, which starts threads of its own; its GPU does not
 * work there: "auto" then takes the CPU, and a named device is SWATH_DEVICE_ERROR. Do not fork while
 * another thread runs a call. The library installs no signal handlers; the one function that a
 * handler may call is swath_cancel_set. It prints nothing but the place of a defect in itself, and
 * opens no device before a call is expected to be faster there, or an engine is created that names
 * one. Drivers may print: Mesa's does if XDG_RUNTIME_DIR is not set.
 */


#ifndef SWATH_H
#define SWATH_H

#include <stddef.h>
#include <stdint.h>

/**
 * Symbols are bytes.
 */
#define SWATH_BYTES 1

/**
 * Symbols are numbers of type `uint32_t`, such as code points.
 */
#define SWATH_NUMBERS 4

/**
 * Version of the functions and structs of this header. It changes when a program has to be
 * compiled anew.
 */
#define SWATH_ABI_VERSION 1

/**
 * A position that is not known, or a split that a node does not have.
 */
#define SWATH_NONE UINT64_MAX

/**
 * Only pairs within the bound are in the answer.
 */
#define SWATH_KEPT 16

/**
 * Clusters grow from more to less abundant strings only.
 */
#define SWATH_DIRECTIONAL 32

/**
 * Places have alignments.
 */
#define SWATH_ALIGNMENTS 64

/**
 * `max_substitutions` is a bound.
 */
#define SWATH_MAX_SUBSTITUTIONS 128

/**
 * `max_gaps` is a bound.
 */
#define SWATH_MAX_GAPS 256

/**
 * The answer has the path: the alignment, subsequence or supersequence itself.
 */
#define SWATH_PATH 1

/**
 * The answer has the starts of infix pieces.
 */
#define SWATH_STARTS 2

/**
 * `max_distance`, or `within` of pairs, is a bound.
 */
#define SWATH_BOUNDED 4

/**
 * Both strands of DNA are compared.
 */
#define SWATH_BOTH_STRANDS 8

/**
 * An answer, with its parts and the record of its call. Any number of threads may read it.
 */
typedef struct swath_answer swath_answer;

/**
 * Cancels calls from any thread.
 */
typedef struct swath_cancel swath_cancel;

/**
 * Devices of this machine, the CPU last.
 */
typedef struct swath_devices swath_devices;

/**
 * Devices, threads and memory that calls use. Any number of threads may use one engine at the same
 * time. A job keeps the engine that it runs on.
 */
typedef struct swath_engine swath_engine;

/**
 * A call on another thread.
 */
typedef struct swath_job swath_job;

/**
 * A problem with its inputs and options. It does not change, and any number of threads may run it
 * at the same time.
 */
typedef struct swath_query swath_query;

/**
 * Result of a function: `SWATH_OK` or the kind of its error.
 */
typedef int32_t swath_status;

/**
 * A sequence: bytes, or numbers of 32 bits. A byte equals the number of its value.
 */
typedef struct swath_symbols {
    /**
     * The first symbol. May be null if there are none.
     */
    const void *data;
    /**
     * Number of symbols.
     */
    size_t len;
    /**
     * `SWATH_BYTES` or `SWATH_NUMBERS`.
     */
    uint32_t width;
} swath_symbols;

/**
 * The record of a call. The texts belong to the answer.
 */
typedef struct swath_run_record {
    /**
     * `sizeof(swath_run_record)`.
     */
    size_t size;
    /**
     * The method that answered, never "auto".
     */
    const char *method;
    /**
     * The device that answered.
     */
    const char *device;
    /**
     * Time of the call in seconds.
     */
    double seconds;
    /**
     * Size of the problem, such as the cells of the whole table.
     */
    double cells;
} swath_run_record;

/**
 * A run of paired symbols. In an alignment paired symbols may differ.
 */
typedef struct swath_block {
    /**
     * First position in `a`.
     */
    uint64_t a;
    /**
     * First position in `b`.
     */
    uint64_t b;
    /**
     * Number of pairs.
     */
    uint64_t len;
} swath_block;

/**
 * A piece of the target at the distance of the answer.
 */
typedef struct swath_piece {
    /**
     * First position; `SWATH_NONE` if it was not asked for.
     */
    uint64_t start;
    /**
     * Position after the last symbol.
     */
    uint64_t end;
} swath_piece;

/**
 * A run of symbols of an input in a supersequence.
 */
typedef struct swath_placement {
    /**
     * First position in the input.
     */
    uint64_t input;
    /**
     * First position in the supersequence.
     */
    uint64_t at;
    /**
     * Number of symbols.
     */
    uint64_t len;
} swath_placement;

/**
 * Position of a substring in an input.
 */
typedef struct swath_position {
    /**
     * Index of the input.
     */
    uint32_t input;
    /**
     * Index of the record in the input.
     */
    uint32_t record;
    /**
     * First symbol in the record, on both strands counted from its start.
     */
    uint64_t start;
    /**
     * 1 for the forward strand, -1 for the reverse strand.
     */
    int32_t strand;
} swath_position;

/**
 * Two equal runs in two inputs.
 */
typedef struct swath_match {
    /**
     * The run in the earlier input.
     */
    struct swath_position a;
    /**
     * The run in the later input.
     */
    struct swath_position b;
    /**
     * Number of symbols.
     */
    uint64_t len;
} swath_match;

/**
 * A query, a target and their value.
 */
typedef struct swath_pair_value {
    /**
     * Position of the query in its list.
     */
    uint64_t query;
    /**
     * Position of the target in its list.
     */
    uint64_t target;
    /**
     * Distance, or length.
     */
    uint32_t value;
} swath_pair_value;

/**
 * Two strings within the distance.
 */
typedef struct swath_neighbor {
    /**
     * Position of the first string.
     */
    uint32_t row;
    /**
     * Position of the second string.
     */
    uint32_t column;
    /**
     * Edit distance.
     */
    uint32_t distance;
    /**
     * 1; -1 if the reverse complement of one of them is nearer.
     */
    int32_t strand;
} swath_neighbor;

/**
 * A piece of a text near a pattern.
 */
typedef struct swath_place {
    /**
     * First symbol of the piece.
     */
    uint64_t start;
    /**
     * Position after its last symbol.
     */
    uint64_t end;
    /**
     * Position of the text in its list.
     */
    uint32_t text;
    /**
     * Position of the pattern in its list.
     */
    uint32_t pattern;
    /**
     * 1 for the pattern as given, -1 for its reverse complement.
     */
    int32_t strand;
    /**
     * Edit distance, and the cost of symbols that stick out.
     */
    uint32_t cost;
    /**
     * Symbols of the pattern before the start of the text.
     */
    uint32_t before;
    /**
     * Symbols of the pattern behind the end of the text.
     */
    uint32_t after;
} swath_place;

/**
 * Inner node of a tree: a range of two or more leaves, and its split.
 */
typedef struct swath_node {
    /**
     * First leaf.
     */
    uint64_t start;
    /**
     * One past the last leaf.
     */
    uint64_t end;
    /**
     * First leaf of the right part; `SWATH_NONE` if the first and last leaf enclose the rest.
     */
    uint64_t split;
} swath_node;

/**
 * A device. The texts belong to the list.
 */
typedef struct swath_device {
    /**
     * `sizeof(swath_device)`.
     */
    size_t size;
    /**
     * Name for `swath_engine_options`, such as "vulkan:0".
     */
    const char *selector;
    /**
     * Name of the adapter.
     */
    const char *name;
    /**
     * "discrete GPU", "integrated GPU", "virtual GPU", "software", "other" or "CPU".
     */
    const char *kind;
    /**
     * Name and version of the driver.
     */
    const char *driver;
    /**
     * Why "auto" takes the device or not.
     */
    const char *reason;
    /**
     * 1 for the device that "auto" takes for large inputs.
     */
    uint32_t is_auto;
} swath_device;

/**
 * Options of `swath_engine_new`. Zeros are the defaults.
 */
typedef struct swath_engine_options {
    /**
     * `sizeof(swath_engine_options)`.
     */
    size_t size;
    /**
     * "auto" (the default), "cpu", "vulkan:0", "cuda:0" or another selector of `swath_device`, a
     * part of a device's name, or several of these with commas between them.
     */
    const char *device;
    /**
     * Limit of device memory in bytes; 0 for three quarters of the device's.
     */
    uint64_t device_memory;
    /**
     * Limit of stored tables in host memory in bytes; 0 for at most 4 GiB.
     */
    uint64_t host_memory;
    /**
     * Number of CPU threads, up to 1024; 0 for all processors.
     */
    uint32_t threads;
    /**
     * Time limit of one submission to a GPU in milliseconds; 0 for 60. A smaller one keeps a
     * desktop that draws with the same GPU responsive.
     */
    uint32_t slice_ms;
} swath_engine_options;

/**
 * Progress of a call.
 */
typedef struct swath_progress {
    /**
     * `sizeof(swath_progress)`.
     */
    size_t size;
    /**
     * Part of the call that is done, from 0 to 1. It never falls, and is 1 only at the end.
     */
    double fraction;
    /**
     * Cells of tables that were computed.
     */
    uint64_t done;
    /**
     * Cells that are expected. It may grow.
     */
    uint64_t total;
} swath_progress;

/**
 * Progress callback and cancellation of a call. Zeros are the defaults.
 */
typedef struct swath_control {
    /**
     * `sizeof(swath_control)`.
     */
    size_t size;
    /**
     * Called with the progress and `user`, or null. Threads of swath call it, one at a time. It has
     * to be short, must not call a function with the same job, and must not unwind: no C++
     * exception and no `longjmp` may leave it.
     */
    void (*progress)(const struct swath_progress *progress, void *user);
    /**
     * Passed to `progress`. It has to live until the call, or its job, has ended.
     */
    void *user;
    /**
     * Cancels the call, or null. It may be freed once the call has started.
     */
    const struct swath_cancel *cancel;
} swath_control;

/**
 * A list of sequences in one buffer: string `i` is `symbols[offsets[i]]` to
 * `symbols[offsets[i + 1]]`, excluded. Without offsets all symbols are one string.
 */
typedef struct swath_strings {
    /**
     * The symbols of all strings.
     */
    struct swath_symbols symbols;
    /**
     * `len + 1` positions in `symbols`, ascending; or null for one string of all symbols.
     */
    const uint64_t *offsets;
    /**
     * Number of strings; 1 if `offsets` is null.
     */
    size_t len;
} swath_strings;

/**
 * A string of each list, by position from 0.
 */
typedef struct swath_pair {
    /**
     * Position in the first list.
     */
    uint32_t query;
    /**
     * Position in the second list.
     */
    uint32_t target;
} swath_pair;

/**
 * Options of `swath_query_pairs`. Zeros are the defaults.
 */
typedef struct swath_pair_options {
    /**
     * `sizeof(swath_pair_options)`.
     */
    size_t size;
    /**
     * `SWATH_BOUNDED`, `SWATH_KEPT`.
     */
    uint32_t flags;
    /**
     * "cross" (the default: each query with each target), "symmetric" (each pair of one list
     * once), "zip" (the i-th query with the i-th target) or "list" (the pairs of `list`).
     */
    const char *selection;
    /**
     * "edit" (the default), "indel", "lcs", "hamming", "osa", "jaro", "jaro-winkler", "ratio",
     * "partial-ratio", "token-sort" or "token-set"; `swath_similarity` makes similarities of values.
     */
    const char *measure;
    /**
     * "global" (the default), "prefix" or "infix".
     */
    const char *mode;
    /**
     * Greatest distance of interest, with `SWATH_BOUNDED`.
     */
    uint64_t within;
    /**
     * Pairs of the selection "list".
     */
    const struct swath_pair *list;
    /**
     * Number of pairs in `list`.
     */
    size_t list_len;
    /**
     * Share of the pairs that is computed, from 0, if `shares` is not 0.
     */
    uint64_t share;
    /**
     * Number of shares, such as that of computers; 0 for one.
     */
    uint64_t shares;
} swath_pair_options;

/**
 * Options of `swath_query_neighbors` and `swath_query_clusters`. Zeros are the defaults.
 */
typedef struct swath_neighbor_options {
    /**
     * `sizeof(swath_neighbor_options)`.
     */
    size_t size;
    /**
     * `SWATH_BOTH_STRANDS`; for clusters also `SWATH_DIRECTIONAL`.
     */
    uint32_t flags;
    /**
     * Greatest distance.
     */
    uint64_t within;
    /**
     * Share of the strings that are indexed, from 0, if `shares` is not 0. Not for clusters.
     */
    uint64_t share;
    /**
     * Number of shares; 0 for one. Not for clusters.
     */
    uint64_t shares;
    /**
     * Group of each row: only strings of equal groups are compared. Or null.
     */
    const uint32_t *row_groups;
    /**
     * Group of each column, for two lists. Or null.
     */
    const uint32_t *column_groups;
    /**
     * Abundance of each string, for clusters. Or null.
     */
    const uint64_t *counts;
    /**
     * "edit" (the default), "hamming" or "osa".
     */
    const char *measure;
} swath_neighbor_options;

/**
 * Options of `swath_query_search`. Zeros are the defaults.
 */
typedef struct swath_search_options {
    /**
     * `sizeof(swath_search_options)`.
     */
    size_t size;
    /**
     * `SWATH_ALIGNMENTS`, `SWATH_MAX_SUBSTITUTIONS`, `SWATH_MAX_GAPS`.
     */
    uint32_t flags;
    /**
     * Greatest number of edits.
     */
    uint64_t within;
    /**
     * "forward" (the default), "reverse" or "both", for DNA.
     */
    const char *strands;
    /**
     * "minima" (the default: one place for each occurrence), "best" or "ends".
     */
    const char *choice;
    /**
     * "exact" (the default), or "iupac": ambiguous letters of DNA match what they stand for.
     */
    const char *matching;
    /**
     * Number of symbols at the start of each pattern that match without an edit.
     */
    size_t exact_head;
    /**
     * Number of symbols at the end of each pattern that match without an edit; not with `exact_head`.
     */
    size_t exact_tail;
    /**
     * IUPAC letters that follow a place, such as "NGG". Or null.
     */
    const char *motif;
    /**
     * Greatest number of substitutions, with `SWATH_MAX_SUBSTITUTIONS`.
     */
    uint64_t max_substitutions;
    /**
     * Greatest number of inserted and deleted symbols, with `SWATH_MAX_GAPS`.
     */
    uint64_t max_gaps;
    /**
     * Cost of a symbol that sticks out of the text in thousandths of an edit, up to 1000; 0 if none
     * may.
     */
    uint32_t overhang;
} swath_search_options;

/**
 * Options of `swath_query_edit`. Zeros are the defaults.
 */
typedef struct swath_edit_options {
    /**
     * `sizeof(swath_edit_options)`.
     */
    size_t size;
    /**
     * `SWATH_PATH`, `SWATH_STARTS`, `SWATH_BOUNDED`.
     */
    uint32_t flags;
    /**
     * "global" (the default), "prefix" (of `b`) or "infix" (a piece of `b`).
     */
    const char *mode;
    /**
     * "left" or "right" moves gaps that have several places.
     */
    const char *gaps;
    /**
     * "auto" (the default) or another method.
     */
    const char *method;
    /**
     * "exact" (the default), or "iupac": ambiguous letters of DNA match what they stand for.
     */
    const char *matching;
    /**
     * Greatest distance of interest, with `SWATH_BOUNDED`.
     */
    uint64_t max_distance;
} swath_edit_options;

/**
 * Options of `swath_query_lcs`. Zeros are the defaults.
 */
typedef struct swath_lcs_options {
    /**
     * `sizeof(swath_lcs_options)`.
     */
    size_t size;
    /**
     * `SWATH_PATH`.
     */
    uint32_t flags;
    /**
     * "auto" (the default) or another method.
     */
    const char *method;
    /**
     * "exact" (the default), or "iupac": ambiguous letters of DNA match what they stand for.
     */
    const char *matching;
} swath_lcs_options;

/**
 * Options of `swath_query_scs`. Zeros are the defaults.
 */
typedef struct swath_scs_options {
    /**
     * `sizeof(swath_scs_options)`.
     */
    size_t size;
    /**
     * `SWATH_PATH`.
     */
    uint32_t flags;
    /**
     * "auto" (the default) or another method.
     */
    const char *method;
} swath_scs_options;

/**
 * Options of `swath_query_substring` and `swath_query_matches`. Zeros are the defaults.
 */
typedef struct swath_substring_options {
    /**
     * `sizeof(swath_substring_options)`.
     */
    size_t size;
    /**
     * `SWATH_BOTH_STRANDS`.
     */
    uint32_t flags;
    /**
     * "auto" (the default) or another method.
     */
    const char *method;
    /**
     * Number of inputs that have to contain the substring; 0 for all.
     */
    uint64_t inputs;
} swath_substring_options;

/**
 * The function did what it says.
 */
#define SWATH_OK 0

/**
 * An argument is null, out of its range, or an unknown name. The message says which and what to give.
 */
#define SWATH_INVALID_ARGUMENT 1

/**
 * The device is unknown, cannot be opened, or was lost.
 */
#define SWATH_DEVICE_ERROR 2

/**
 * The memory of the host or of the device does not suffice, or a limit in the options.
 */
#define SWATH_MEMORY_ERROR 3

/**
 * The call was cancelled.
 */
#define SWATH_CANCELLED 4

/**
 * The answer has no such part: it is one of another problem, or the part was not asked for, or the
 * distance exceeds the bound.
 */
#define SWATH_NO_PART 5

/**
 * The job still runs.
 */
#define SWATH_RUNNING 6

/**
 * A defect in swath or in a driver. Please report it.
 */
#define SWATH_INTERNAL_ERROR 7

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Gives the edit distance: for `swath_query_edit`. `SWATH_NO_PART` if it exceeds the bound.
 *
 *     uint64_t distance;
 *     if (swath_answer_distance(answer, &distance) == SWATH_OK)
 *         printf("%llu\n", (unsigned long long)distance);
 */
swath_status swath_answer_distance(const struct swath_answer *answer, uint64_t *distance);

/**
 * Gives the length of the subsequence, supersequence or substring: for `swath_query_lcs`,
 * `swath_query_scs` and `swath_query_substring`.
 *
 *     uint64_t length;
 *     if (swath_answer_length(answer, &length) == SWATH_OK)
 *         printf("%llu\n", (unsigned long long)length);
 */
swath_status swath_answer_length(const struct swath_answer *answer, uint64_t *length);

/**
 * Gives the cost of the best tree: multiplications for `swath_query_matrix_chain`, base pairs for
 * `swath_query_rna_fold`.
 *
 *     uint64_t cost;
 *     if (swath_answer_cost(answer, &cost) == SWATH_OK)
 *         printf("%llu\n", (unsigned long long)cost);
 */
swath_status swath_answer_cost(const struct swath_answer *answer, uint64_t *cost);

/**
 * Gives the alignment as a CIGAR with `=` and `X`: for `swath_query_edit` with `SWATH_PATH`. The
 * text belongs to the answer.
 *
 *     const char *cigar;
 *     if (swath_answer_cigar(answer, &cigar) == SWATH_OK)
 *         puts(cigar);
 */
swath_status swath_answer_cigar(const struct swath_answer *answer, const char **cigar);

/**
 * Gives the alignment of place `index`, from 0, as a CIGAR: for `swath_query_search` with
 * `SWATH_ALIGNMENTS`. Symbols of the pattern outside of the text are soft clips, `S`. The text
 * belongs to the answer.
 *
 *     const char *cigar;
 *     if (swath_answer_place_cigar(answer, 0, &cigar) == SWATH_OK)
 *         puts(cigar);
 */
swath_status swath_answer_place_cigar(const struct swath_answer *answer,
                                      size_t index,
                                      const char **cigar);

/**
 * Gives the symbols of the subsequence or supersequence: for `swath_query_lcs` and
 * `swath_query_scs` with `SWATH_PATH`. They belong to the answer, and are numbers if an input was.
 *
 *     swath_symbols symbols;
 *     if (swath_answer_symbols(answer, &symbols) == SWATH_OK && symbols.width == SWATH_BYTES)
 *         fwrite(symbols.data, 1, symbols.len, stdout);
 */
swath_status swath_answer_symbols(const struct swath_answer *answer, struct swath_symbols *symbols);

/**
 * Gives the whole answer and the record of its call as JSON, which has parts for which there is no
 * function. The text belongs to the answer.
 *
 *     const char *json;
 *     if (swath_answer_json(answer, &json) == SWATH_OK)
 *         puts(json);
 */
swath_status swath_answer_json(const struct swath_answer *answer, const char **text);

/**
 * Gives the method, the device and the time of the call.
 *
 *     swath_run_record record = {.size = sizeof record};
 *     if (swath_answer_run(answer, &record) == SWATH_OK)
 *         printf("%s on %s in %.3f s\n", record.method, record.device, record.seconds);
 */
swath_status swath_answer_run(const struct swath_answer *answer, struct swath_run_record *record);

/**
 * Frees an answer and all that belongs to it. Null is ignored.
 *
 *     swath_answer_free(answer);
 *     answer = NULL;
 */
void swath_answer_free(struct swath_answer *answer);

/**
 * Gives the runs of paired symbols, in order: for `swath_query_edit` and `swath_query_lcs` with
 * `SWATH_PATH`. The array belongs to the answer.
 *
 *     const swath_block *blocks;
 *     size_t len;
 *     if (swath_answer_blocks(answer, &blocks, &len) == SWATH_OK && len > 0)
 *         printf("%llu\n", (unsigned long long)blocks[0].a);
 */
swath_status swath_answer_blocks(const struct swath_answer *answer,
                                 const struct swath_block **blocks,
                                 size_t *len);

/**
 * Gives the pieces of the target at the distance, by end: for `swath_query_edit` in the modes
 * "prefix" and "infix". The array belongs to the answer.
 *
 *     const swath_piece *pieces;
 *     size_t len;
 *     if (swath_answer_pieces(answer, &pieces, &len) == SWATH_OK && len > 0)
 *         printf("%llu\n", (unsigned long long)pieces[0].end);
 */
swath_status swath_answer_pieces(const struct swath_answer *answer,
                                 const struct swath_piece **pieces,
                                 size_t *len);

/**
 * Gives the runs of each input in the supersequence: for `swath_query_scs` with `SWATH_PATH`. Input
 * `i` has `placements[offsets[i]]` to `placements[offsets[i + 1]]`, excluded; `len` is the number of
 * inputs. The arrays belong to the answer.
 *
 *     const swath_placement *placements;
 *     const uint64_t *offsets;
 *     size_t len;
 *     if (swath_answer_embeddings(answer, &placements, &offsets, &len) == SWATH_OK)
 *         printf("%zu inputs\n", len);
 */
swath_status swath_answer_embeddings(const struct swath_answer *answer,
                                     const struct swath_placement **placements,
                                     const uint64_t **offsets,
                                     size_t *len);

/**
 * Gives the places of each longest common substring: for `swath_query_substring`. Substring `i` has
 * `positions[offsets[i]]` to `positions[offsets[i + 1]]`, excluded; `len` is the number of
 * substrings. The arrays belong to the answer.
 *
 *     const swath_position *positions;
 *     const uint64_t *offsets;
 *     size_t len;
 *     if (swath_answer_occurrences(answer, &positions, &offsets, &len) == SWATH_OK)
 *         printf("%zu substrings\n", len);
 */
swath_status swath_answer_occurrences(const struct swath_answer *answer,
                                      const struct swath_position **positions,
                                      const uint64_t **offsets,
                                      size_t *len);

/**
 * Gives the maximal matches, in order: for `swath_query_matches`. The array belongs to the answer.
 *
 *     const swath_match *matches;
 *     size_t len;
 *     if (swath_answer_matches(answer, &matches, &len) == SWATH_OK)
 *         printf("%zu matches\n", len);
 */
swath_status swath_answer_matches(const struct swath_answer *answer,
                                  const struct swath_match **matches,
                                  size_t *len);

/**
 * Gives the value of each pair, in the order of the selection: for `swath_query_pairs` without
 * `SWATH_KEPT`. A value has `width` bytes: 1, 2 or 4, the fewest that hold all possible values. The
 * array belongs to the answer.
 *
 *     const void *values;
 *     size_t len;
 *     uint32_t width;
 *     if (swath_answer_values(answer, &values, &len, &width) == SWATH_OK && width == 1 && len > 0)
 *         printf("%u\n", ((const uint8_t *)values)[0]);
 */
swath_status swath_answer_values(const struct swath_answer *answer,
                                 const void **values,
                                 size_t *len,
                                 uint32_t *width);

/**
 * Gives the pairs within the bound, in order: for `swath_query_pairs` with `SWATH_KEPT`. The array
 * belongs to the answer.
 *
 *     const swath_pair_value *pairs;
 *     size_t len;
 *     if (swath_answer_pairs(answer, &pairs, &len) == SWATH_OK)
 *         printf("%zu pairs\n", len);
 */
swath_status swath_answer_pairs(const struct swath_answer *answer,
                                const struct swath_pair_value **pairs,
                                size_t *len);

/**
 * Gives the pairs of strings, by row and column: for `swath_query_neighbors`. The array belongs to
 * the answer.
 *
 *     const swath_neighbor *neighbors;
 *     size_t len;
 *     if (swath_answer_neighbors(answer, &neighbors, &len) == SWATH_OK)
 *         printf("%zu pairs\n", len);
 */
swath_status swath_answer_neighbors(const struct swath_answer *answer,
                                    const struct swath_neighbor **neighbors,
                                    size_t *len);

/**
 * Gives the places, by text, start, end, pattern and strand: for `swath_query_search`. The array
 * belongs to the answer.
 *
 *     const swath_place *places;
 *     size_t len;
 *     if (swath_answer_places(answer, &places, &len) == SWATH_OK)
 *         printf("%zu places\n", len);
 */
swath_status swath_answer_places(const struct swath_answer *answer,
                                 const struct swath_place **places,
                                 size_t *len);

/**
 * Gives the inner nodes of the best tree in preorder: for `swath_query_matrix_chain` and
 * `swath_query_rna_fold`. The array belongs to the answer.
 *
 *     const swath_node *nodes;
 *     size_t len;
 *     if (swath_answer_nodes(answer, &nodes, &len) == SWATH_OK)
 *         printf("%zu products\n", len);
 */
swath_status swath_answer_nodes(const struct swath_answer *answer,
                                const struct swath_node **nodes,
                                size_t *len);

/**
 * Gives the cluster of each string, from 0: for `swath_query_clusters`. The array belongs to the
 * answer.
 *
 *     const uint32_t *clusters;
 *     size_t len;
 *     if (swath_answer_clusters(answer, &clusters, &len) == SWATH_OK)
 *         printf("%zu strings\n", len);
 */
swath_status swath_answer_clusters(const struct swath_answer *answer,
                                   const uint32_t **clusters,
                                   size_t *len);

/**
 * Gives the most abundant string of each cluster: for `swath_query_clusters`. The array belongs to
 * the answer.
 *
 *     const uint32_t *representatives;
 *     size_t len;
 *     if (swath_answer_representatives(answer, &representatives, &len) == SWATH_OK)
 *         printf("%zu clusters\n", len);
 */
swath_status swath_answer_representatives(const struct swath_answer *answer,
                                          const uint32_t **representatives,
                                          size_t *len);

/**
 * Lists the devices. This loads drivers, which takes some milliseconds, and opens no device.
 *
 *     swath_devices *devices = NULL;
 *     if (swath_devices_new(&devices) == SWATH_OK) {
 *         swath_device device = {.size = sizeof device};
 *         for (size_t i = 0; i < swath_devices_len(devices); i++)
 *             if (swath_devices_get(devices, i, &device) == SWATH_OK)
 *                 printf("%s: %s\n", device.selector, device.name);
 *         swath_devices_free(devices);
 *     }
 */
swath_status swath_devices_new(struct swath_devices **devices);

/**
 * Number of devices; 0 for null.
 *
 *     size_t count = swath_devices_len(devices);
 */
size_t swath_devices_len(const struct swath_devices *devices);

/**
 * Describes device `index`, from 0.
 *
 *     swath_device device = {.size = sizeof device};
 *     if (swath_devices_get(devices, 0, &device) == SWATH_OK)
 *         printf("%s\n", device.reason);
 */
swath_status swath_devices_get(const struct swath_devices *devices,
                               size_t index,
                               struct swath_device *device);

/**
 * Frees a list of devices. Null is ignored.
 *
 *     swath_devices_free(devices);
 */
void swath_devices_free(struct swath_devices *devices);

/**
 * Version of the functions that the library has, to compare with `SWATH_ABI_VERSION`.
 *
 *     if (swath_abi_version() != SWATH_ABI_VERSION)
 *         fprintf(stderr, "swath.h and libswath do not belong together\n");
 */
uint32_t swath_abi_version(void);

/**
 * Version of the library as text.
 *
 *     printf("swath %s\n", swath_version());
 */
const char *swath_version(void);

/**
 * Creates an engine. A device named in the options is opened here. With "auto" it is opened by the
 * first call that is expected to be faster there, and never if none is; then this takes
 * microseconds. `options` may be null. A device of the application itself (its Vulkan, Metal or
 * Direct3D device) can be used from Rust only.
 *
 *     swath_engine_options options = {.size = sizeof options};
 *     options.device = "cpu";
 *     if (swath_engine_new(&options, &engine) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_engine_new(const struct swath_engine_options *options,
                              struct swath_engine **engine);

/**
 * Frees an engine. Null is ignored. Jobs that were started on it go on.
 *
 *     swath_engine_free(engine);
 *     engine = NULL;
 */
void swath_engine_free(struct swath_engine *engine);

/**
 * Starts a query on another thread. `control` may be null. The job keeps the engine and the query, so
 * that the caller may free its own handles of them at once.
 *
 *     swath_job *job = NULL;
 *     if (swath_start(engine, query, NULL, &job) == SWATH_OK)
 *         swath_job_wait(job, &answer);
 *     swath_job_free(job);
 */
swath_status swath_start(const struct swath_engine *engine,
                         const struct swath_query *query,
                         const struct swath_control *control,
                         struct swath_job **job);

/**
 * Gives the progress of a job.
 *
 *     swath_progress progress = {.size = sizeof progress};
 *     if (swath_job_progress(job, &progress) == SWATH_OK)
 *         printf("%.0f %%\n", 100 * progress.fraction);
 */
swath_status swath_job_progress(const struct swath_job *job, struct swath_progress *progress);

/**
 * Gives the answer if the job has ended, and `SWATH_RUNNING` while it runs, without waiting. An
 * answer, or an error, is given once.
 *
 *     if (swath_job_poll(job, &answer) == SWATH_OK)
 *         swath_answer_free(answer);
 */
swath_status swath_job_poll(const struct swath_job *job, struct swath_answer **answer);

/**
 * Waits until the job ends, and gives the answer. An answer, or an error, is given once.
 *
 *     if (swath_job_wait(job, &answer) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_job_wait(const struct swath_job *job, struct swath_answer **answer);

/**
 * Cancels a job; it ends with `SWATH_CANCELLED` within about one slice. Safe in any thread. Null is
 * ignored.
 *
 *     swath_job_cancel(job);
 *     swath_job_wait(job, &answer);
 */
void swath_job_cancel(const struct swath_job *job);

/**
 * Frees a job, and cancels it if it still runs. It does not wait: a progress callback may be called
 * until the call has ended, so wait for the job before its `user` is freed. Null is ignored.
 *
 *     swath_job_free(job);
 */
void swath_job_free(struct swath_job *job);

/**
 * Similarity from a value of a pair by `swath_query_pairs`, of strings of `query` and `target`
 * symbols: from 0 to 1, by ratios to 100.
 *
 *     double similarity;
 *     if (swath_similarity("edit", "global", 3, 6, 7, &similarity) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_similarity(const char *measure,
                              const char *mode,
                              uint32_t value,
                              uint64_t query,
                              uint64_t target,
                              double *similarity);

/**
 * Creates the query of the values of pairs of strings: distances, or lengths of common
 * subsequences. `targets` may be null: then pairs are of one list, "symmetric" by default. The
 * answer has values, or with `SWATH_KEPT` the pairs within the bound. Inputs are copied.
 *
 *     uint64_t offsets[3] = {0, 5, 9};
 *     swath_strings words = {swath_bytes("steamteam", 9), offsets, 2};
 *     if (swath_query_pairs(&words, NULL, NULL, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_pairs(const struct swath_strings *queries,
                               const struct swath_strings *targets,
                               const struct swath_pair_options *options,
                               struct swath_query **query);

/**
 * Creates the query of all pairs of strings within an edit distance, of two lists or, if `columns`
 * is null, of one. Its answer has neighbors. Inputs are copied.
 *
 *     uint64_t offsets[3] = {0, 5, 9};
 *     swath_strings words = {swath_bytes("steamteam", 9), offsets, 2};
 *     swath_neighbor_options options = {.size = sizeof options};
 *     options.within = 1;
 *     if (swath_query_neighbors(&words, NULL, &options, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_neighbors(const struct swath_strings *rows,
                                   const struct swath_strings *columns,
                                   const struct swath_neighbor_options *options,
                                   struct swath_query **query);

/**
 * Creates the query of the clusters of a list: strings that a chain of pairs within the distance
 * connects. Its answer has clusters. Inputs are copied.
 *
 *     uint64_t offsets[3] = {0, 5, 9};
 *     swath_strings words = {swath_bytes("steamteam", 9), offsets, 2};
 *     swath_neighbor_options options = {.size = sizeof options};
 *     options.within = 1;
 *     if (swath_query_clusters(&words, &options, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_clusters(const struct swath_strings *strings,
                                  const struct swath_neighbor_options *options,
                                  struct swath_query **query);

/**
 * Creates the query of all places of patterns in texts within a number of edits. Its answer has
 * places. Inputs are copied.
 *
 *     swath_strings pattern = swath_one_string(swath_bytes("team", 4));
 *     swath_strings text = swath_one_string(swath_bytes("a stream", 8));
 *     swath_search_options options = {.size = sizeof options};
 *     options.within = 1;
 *     if (swath_query_search(&pattern, &text, &options, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_search(const struct swath_strings *patterns,
                                const struct swath_strings *texts,
                                const struct swath_search_options *options,
                                struct swath_query **query);

/**
 * Frees a query. Null is ignored. Jobs and answers keep what they need of it.
 *
 *     swath_query_free(query);
 */
void swath_query_free(struct swath_query *query);

/**
 * Runs a query on this thread and the threads of the engine, and gives the answer. `control` may be
 * null. Answers are verified against the inputs.
 *
 *     if (swath_run(engine, query, NULL, &answer) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_run(const struct swath_engine *engine,
                       const struct swath_query *query,
                       const struct swath_control *control,
                       struct swath_answer **answer);

/**
 * Describes how a query would run, without running it: method, device, memory and expected time,
 * as JSON. Free the text with `swath_text_free`.
 *
 *     char *plan = NULL;
 *     if (swath_plan(engine, query, &plan) == SWATH_OK)
 *         printf("%s\n", plan);
 *     swath_text_free(plan);
 */
swath_status swath_plan(const struct swath_engine *engine,
                        const struct swath_query *query,
                        char **plan);

/**
 * Frees a text that the caller owns. Null is ignored.
 *
 *     swath_text_free(plan);
 */
void swath_text_free(char *text);

/**
 * Creates a handle that cancels calls whose control names it.
 *
 *     swath_cancel *cancel = swath_cancel_new();
 *     swath_control control = {.size = sizeof control};
 *     control.cancel = cancel;
 */
struct swath_cancel *swath_cancel_new(void);

/**
 * Cancels the calls, also later ones. They end with `SWATH_CANCELLED` within about one slice. Safe
 * in any thread and in a signal handler.
 *
 *     swath_cancel_set(cancel);
 */
void swath_cancel_set(const struct swath_cancel *cancel);

/**
 * Frees a cancel handle. Null is ignored. Calls go on.
 *
 *     swath_cancel_free(cancel);
 */
void swath_cancel_free(struct swath_cancel *cancel);

/**
 * Creates the query of the edit distance (Levenshtein) of `a`, the query sequence, and `b`, the
 * target. Its answer has a distance; with `SWATH_PATH` also a CIGAR and blocks; in the modes
 * "prefix" and "infix" also pieces. Inputs are copied.
 *
 *     swath_symbols a = swath_bytes("kitten", 6), b = swath_bytes("sitting", 7);
 *     swath_edit_options options = {.size = sizeof options, .flags = SWATH_PATH};
 *     if (swath_query_edit(&a, &b, &options, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_edit(const struct swath_symbols *a,
                              const struct swath_symbols *b,
                              const struct swath_edit_options *options,
                              struct swath_query **query);

/**
 * Creates the query of the longest common subsequence of two sequences. Its answer has a length;
 * with `SWATH_PATH` also blocks and symbols. Inputs are copied.
 *
 *     swath_symbols a = swath_bytes("ABCBDAB", 7), b = swath_bytes("BDCABA", 6);
 *     if (swath_query_lcs(&a, &b, NULL, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_lcs(const struct swath_symbols *a,
                             const struct swath_symbols *b,
                             const struct swath_lcs_options *options,
                             struct swath_query **query);

/**
 * Creates the query of the shortest common supersequence of `count` sequences. Its answer has a
 * length; with `SWATH_PATH` also symbols and embeddings. Inputs are copied.
 *
 *     swath_symbols inputs[2] = {swath_bytes("cab", 3), swath_bytes("abac", 4)};
 *     if (swath_query_scs(inputs, 2, NULL, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_scs(const struct swath_symbols *inputs,
                             size_t count,
                             const struct swath_scs_options *options,
                             struct swath_query **query);

/**
 * Creates the query of the longest common substrings of `count` inputs, each a list of records.
 * Its answer has a length and occurrences. Inputs are copied.
 *
 *     swath_strings inputs[2] = {swath_one_string(swath_bytes("xxABCyyABC", 10)),
 *                                swath_one_string(swath_bytes("zABCz", 5))};
 *     if (swath_query_substring(inputs, 2, NULL, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_substring(const struct swath_strings *inputs,
                                   size_t count,
                                   const struct swath_substring_options *options,
                                   struct swath_query **query);

/**
 * Creates the query of all maximal matches of at least `min_length` symbols between `count`
 * inputs, each a list of records. Its answer has matches. Inputs are copied.
 *
 *     swath_strings inputs[2] = {swath_one_string(swath_bytes("xxABCyyABC", 10)),
 *                                swath_one_string(swath_bytes("zABCz", 5))};
 *     if (swath_query_matches(inputs, 2, 3, NULL, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_matches(const struct swath_strings *inputs,
                                 size_t count,
                                 uint64_t min_length,
                                 const struct swath_substring_options *options,
                                 struct swath_query **query);

/**
 * Message of the last function of this thread that returned an error: what is wrong, and the way
 * out. It is valid until the next error of this thread, and empty before the first.
 *
 *     if (swath_engine_new(&options, &engine) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
const char *swath_error_message(void);

/**
 * Creates the query of the cheapest order to multiply a chain of matrices: matrix `i` has
 * `dimensions[i]` rows and `dimensions[i + 1]` columns. Its answer has a cost and the nodes of a
 * tree.
 *
 *     uint64_t dimensions[4] = {10, 100, 5, 50};
 *     if (swath_query_matrix_chain(dimensions, 4, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_matrix_chain(const uint64_t *dimensions,
                                      size_t len,
                                      struct swath_query **query);

/**
 * Creates the query of the fold of an RNA sequence with the most base pairs, with at least
 * `min_loop` bases between the two of a pair. Its answer has a cost, the number of pairs, and the
 * nodes of a tree; a node without a split is a pair of its first and its last base.
 *
 *     if (swath_query_rna_fold("GGGAAACCC", 9, 3, &query) != SWATH_OK)
 *         fprintf(stderr, "%s\n", swath_error_message());
 */
swath_status swath_query_rna_fold(const char *bases,
                                  size_t len,
                                  size_t min_loop,
                                  struct swath_query **query);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SWATH_H */

#ifdef __cplusplus
extern "C" {
#endif

/* A sequence of `len` bytes, such as a text. It is not copied.
 *
 *     swath_symbols a = swath_bytes("kitten", 6);
 */
static inline swath_symbols swath_bytes(const void *data, size_t len) {
    swath_symbols symbols;
    symbols.data = data;
    symbols.len = len;
    symbols.width = SWATH_BYTES;
    return symbols;
}

/* A sequence of `len` numbers, such as code points. It is not copied.
 *
 *     uint32_t points[3] = {0xe4, 0xf6, 0xfc};
 *     swath_symbols a = swath_numbers(points, 3);
 */
static inline swath_symbols swath_numbers(const uint32_t *data, size_t len) {
    swath_symbols symbols;
    symbols.data = data;
    symbols.len = len;
    symbols.width = SWATH_NUMBERS;
    return symbols;
}

/* A list of one sequence.
 *
 *     swath_strings text = swath_one_string(swath_bytes("a stream", 8));
 */
static inline swath_strings swath_one_string(swath_symbols symbols) {
    swath_strings strings;
    strings.symbols = symbols;
    strings.offsets = NULL;
    strings.len = 1;
    return strings;
}

#ifdef __cplusplus
}
#endif

/* The functions, structs and constants of edlib 1.2.7, computed by swath.
 *
 * A program that includes edlib.h is compiled with this header instead, or with its own edlib.h, and
 * is linked with -lswath instead of -ledlib: names, types and layouts are the same. Link only one of
 * the two libraries.
 *
 * Differences from edlib:
 * - Additional equalities that are not transitive (wildcards) may be at most 24 pairs; more are
 *   EDLIB_STATUS_ERROR. Transitive ones, such as letter case, may be any number.
 * - If several alignments or starts are optimal, another one may be given. The distance, the ends
 *   and the number of locations are the same.
 * - A null pointer with a length, a negative length and an unknown mode or task are
 *   EDLIB_STATUS_ERROR; swath_error_message() of swath.h says why.
 * - Large inputs use all processors, or a GPU if that is expected to be faster.
 *
 * Any number of threads may call the functions at the same time. Arrays and texts of results are
 * from malloc.
 */
#ifndef SWATH_EDLIB_H
#define SWATH_EDLIB_H

/* The guard of edlib.h, which declares the same. */
#define EDLIB_H

#ifndef EDLIB_API
#define EDLIB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define EDLIB_STATUS_OK 0
#define EDLIB_STATUS_ERROR 1

/* Steps of an alignment. */
#define EDLIB_EDOP_MATCH 0
/* A symbol of the query opposite a gap, `I`. */
#define EDLIB_EDOP_INSERT 1
/* A symbol of the target opposite a gap, `D`. */
#define EDLIB_EDOP_DELETE 2
#define EDLIB_EDOP_MISMATCH 3

/* The part of the target to align with. */
typedef enum {
    EDLIB_MODE_NW,  /* All of it. */
    EDLIB_MODE_SHW, /* The prefix that is nearest. */
    EDLIB_MODE_HW   /* The piece that is nearest. */
} EdlibAlignMode;

/* Parts of the result. Each includes the ones before it. */
typedef enum {
    EDLIB_TASK_DISTANCE, /* The distance, and where pieces at this distance end. */
    EDLIB_TASK_LOC,      /* Where they start. */
    EDLIB_TASK_PATH      /* The alignment with the first of them. */
} EdlibAlignTask;

typedef enum {
    EDLIB_CIGAR_STANDARD, /* M for matches and mismatches. */
    EDLIB_CIGAR_EXTENDED  /* = for matches, X for mismatches. */
} EdlibCigarFormat;

/* Two characters that are equal. */
typedef struct {
    char first;
    char second;
} EdlibEqualityPair;

typedef struct {
    int k; /* Greatest distance of interest; negative for any. */
    EdlibAlignMode mode;
    EdlibAlignTask task;
    const EdlibEqualityPair *additionalEqualities; /* May be null if there are none. */
    int additionalEqualitiesLength;
} EdlibAlignConfig;

typedef struct {
    int status;               /* EDLIB_STATUS_OK, or EDLIB_STATUS_ERROR: then the rest is undefined. */
    int editDistance;         /* -1 if it exceeds k. */
    int *endLocations;        /* Last position of each piece, from 0; null above k. */
    int *startLocations;      /* First position of each piece; null if not asked for. */
    int numLocations;
    unsigned char *alignment; /* Steps from the start of the query; null if not asked for. */
    int alignmentLength;
    int alphabetLength;       /* Number of distinct characters. */
} EdlibAlignResult;

/* Options with these values.
 *
 *     EdlibAlignConfig config = edlibNewAlignConfig(10, EDLIB_MODE_HW, EDLIB_TASK_PATH, NULL, 0);
 */
EDLIB_API EdlibAlignConfig edlibNewAlignConfig(int k, EdlibAlignMode mode, EdlibAlignTask task,
                                               const EdlibEqualityPair *additionalEqualities,
                                               int additionalEqualitiesLength);

/* The distance of whole sequences without a bound.
 *
 *     EdlibAlignConfig config = edlibDefaultAlignConfig();
 */
EDLIB_API EdlibAlignConfig edlibDefaultAlignConfig(void);

/* Aligns two sequences. Free the result with edlibFreeAlignResult.
 *
 *     EdlibAlignResult result = edlibAlign("ACTG", 4, "CACTRT", 6, config);
 *     if (result.status == EDLIB_STATUS_OK)
 *         printf("%d\n", result.editDistance);
 *     edlibFreeAlignResult(result);
 */
EDLIB_API EdlibAlignResult edlibAlign(const char *query, int queryLength, const char *target,
                                      int targetLength, EdlibAlignConfig config);

/* The CIGAR of an alignment. Free it with free. Null for unknown steps.
 *
 *     char *cigar = edlibAlignmentToCigar(result.alignment, result.alignmentLength,
 *                                         EDLIB_CIGAR_EXTENDED);
 */
EDLIB_API char *edlibAlignmentToCigar(const unsigned char *alignment, int alignmentLength,
                                      EdlibCigarFormat cigarFormat);

/* Frees the arrays of a result.
 *
 *     edlibFreeAlignResult(result);
 */
EDLIB_API void edlibFreeAlignResult(EdlibAlignResult result);

#ifdef __cplusplus
}
#endif

#endif /* SWATH_EDLIB_H */


/** Symbols: code points of a string, bytes, or numbers of 32 bits. */
export type Sequence = string | Uint8Array | Uint32Array;

/** `auto` is WebGPU if a call is expected to be faster there, on hardware, else the CPU. */
export type Device = 'auto' | 'webgpu' | 'cpu';

export interface EngineOptions {
    /** Default of the calls: `auto`. */
    device?: Device;
    /** Budget for host memory in bytes: 1 GiB by default. */
    hostMemory?: number;
    /** Budget for device memory in bytes: 1 GiB by default. */
    deviceMemory?: number;
    /** Time limit of one submission to a GPU in milliseconds: 8 by default. */
    sliceMs?: number;
}

export interface Progress {
    /** From 0 to 1, which is the end. Falls only if a device is lost and the CPU takes over. */
    fraction: number;
    /** Cells computed, and cells expected. */
    done: number;
    total: number;
}

export interface CallOptions {
    device?: Device;
    onProgress?: (progress: Progress) => void;
    /** Ends the call with an error whose name is `AbortError`. */
    signal?: AbortSignal;
}

/** Error of a call. */
export interface SwathError extends Error {
    code: 'invalid-argument' | 'device' | 'memory' | 'cancelled' | 'internal';
}

export interface LcsOptions extends CallOptions {
    path?: boolean;
    method?: string;
    /** `iupac`: ambiguous letters of DNA match what they stand for. */
    matching?: 'exact' | 'iupac';
}

export interface EditOptions extends LcsOptions {
    /** Against all of `b`, a prefix of it or a piece of it. */
    mode?: 'global' | 'prefix' | 'infix';
    /** Greatest distance of interest. */
    maxDistance?: number;
    /** Locates the starts of pieces, too. */
    starts?: boolean;
    /** Moves gaps that have several places. */
    gaps?: 'left' | 'right';
}

export interface CompareOptions extends CallOptions {
    method?: string;
    matching?: 'exact' | 'iupac';
    gaps?: 'left' | 'right';
}

export interface ScsOptions extends CallOptions {
    path?: boolean;
    method?: string;
}

export interface MatchesOptions extends CallOptions {
    method?: string;
    /** Matches of DNA with its reverse strand, too. */
    bothStrands?: boolean;
}

export interface SubstringOptions extends MatchesOptions {
    /** Number of inputs that have to contain the substring: all by default. */
    inputs?: number;
}

export interface SearchOptions extends CallOptions {
    /** Greatest distance: 0 by default. */
    within?: number;
    alignments?: boolean;
    strands?: 'forward' | 'reverse' | 'both';
    /** Every end, local minima (the default), or the least of those. */
    choice?: 'ends' | 'minima' | 'best';
    matching?: 'exact' | 'iupac';
}

/** Record of a call. */
export interface Run {
    method: string;
    /** `cpu`, or the name of the adapter. */
    device: string;
    seconds: number;
    cells: number;
    computedCells: number;
}

export interface LcsAnswer {
    run: Run;
    length: number;
    /** Position in `a`, position in `b` and length of each run of pairs, with `path`. */
    blocks?: Uint32Array;
    /** The subsequence, of the type of `a`, with `path`. */
    symbols?: Sequence;
}

export interface EditAnswer {
    run: Run;
    /** `null` if it exceeds the bound. */
    distance: number | null;
    /** The bound that the distance exceeds. */
    moreThan?: number;
    /** Alignment with `=`, `X`, `I` (in `a` alone) and `D`, with `path`. */
    cigar?: string;
    /** Position in `a`, position in `b` and length of each run of pairs, with `path`. */
    blocks?: Uint32Array;
    /** Pieces of `b` at the distance, in the modes `prefix` and `infix`. */
    pieces?: { start?: number; end: number }[];
}

export interface CompareAnswer {
    run: Run;
    distance: number;
    /** Share of equal symbols among the columns of the alignment. */
    similarity: number;
    equal: number;
    substitutions: number;
    onlyA: number;
    onlyB: number;
    /** Start and end in `a`, start and end in `b` of each difference, from 0, ends excluded. */
    differences: Uint32Array;
    /** Position in `a`, position in `b` and length of each run of pairs. */
    blocks: Uint32Array;
}

export interface ScsAnswer {
    run: Run;
    length: number;
    lowerBound: number;
    /** False if a shorter one may exist, for three or more inputs. */
    exact: boolean;
    symbols?: Sequence;
}

export interface SubstringPlace {
    input: number;
    record: number;
    start: number;
    strand: '+' | '-';
}

export interface SubstringAnswer {
    run: Run;
    length: number;
    /** Places of each longest substring. */
    substrings: SubstringPlace[][];
}

export interface MatchesAnswer {
    run: Run;
    /** Position in `a`, position in `b`, length, and 1 if it is on the reverse strand. */
    matches: Uint32Array;
}

export interface SearchPlace {
    pattern: number;
    text: number;
    start: number;
    end: number;
    strand: '+' | '-';
    cost: number;
    cigar?: string;
}

export interface SearchAnswer {
    run: Run;
    places: SearchPlace[];
}

export interface TreeAnswer {
    run: Run;
    cost: bigint;
    /** Start, end and split of each node; the split is the end in a node without one. */
    nodes: Uint32Array;
}

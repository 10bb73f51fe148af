// neighbors/index: sorted keys with the records of their strings.
//
// Frequent: as in index.wgsl.
// Parts:    strings.cu.
BINDING(3, const u32, keys)
BINDING(4, const u32, numbers)
BINDING(5, const u32, starts)

struct Run {
    u32 first;
    u32 end;
};

DEVICE Run run_of(const Arguments& at, u32 key, u32 part, u32 shift) {
    const u32 bucket = key << (part >> 24u) >> shift;
    u32 first = starts(at)[bucket];
    const u32 bucket_end = starts(at)[bucket + 1u];
    u32 end = bucket_end;
    while (first < end) {
        const u32 middle = (first + end) / 2u;
        if (keys(at)[middle] < key) {
            first = middle + 1u;
        } else {
            end = middle;
        }
    }
    u32 begin = first;
    end = bucket_end;
    while (begin < end) {
        const u32 middle = (begin + end) / 2u;
        if (keys(at)[middle] <= key) {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    return {first, end};
}

DEVICE bool is_frequent(const Arguments& at, const Run& run) {
    if (run.first == run.end) {
        return false;
    }
    const u32 len = records(at)[2u * numbers(at)[run.first]].y;
    return run.end - run.first > tables(at)[LENGTH_WORDS * len + 2u];
}

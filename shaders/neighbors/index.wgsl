// neighbors/index: sorted keys with the records of their strings.
//
// Frequent: a key with more strings than their lengths allow, all of them equally many. Its strings
//           go on to the next level.
// Parts:    strings.wgsl.
@group(0) @binding(3) var<storage, read> keys: array<u32>;
@group(0) @binding(4) var<storage, read> numbers: array<u32>;
@group(0) @binding(5) var<storage, read> starts: array<u32>;

struct Run {
    first: u32,
    end: u32,
}

fn run_of(key: u32, part: u32, shift: u32) -> Run {
    let bucket = (key << (part >> 24u)) >> shift;
    var first = starts[bucket];
    let bucket_end = starts[bucket + 1u];
    var end = bucket_end;
    while first < end {
        let middle = (first + end) / 2u;
        if keys[middle] < key {
            first = middle + 1u;
        } else {
            end = middle;
        }
    }
    var begin = first;
    end = bucket_end;
    while begin < end {
        let middle = (begin + end) / 2u;
        if keys[middle] <= key {
            begin = middle + 1u;
        } else {
            end = middle;
        }
    }
    return Run(first, end);
}

fn is_frequent(run: Run) -> bool {
    if run.first == run.end {
        return false;
    }
    let len = records[2u * numbers[run.first]].y;
    return run.end - run.first > tables[LENGTH_WORDS * len + 2u];
}

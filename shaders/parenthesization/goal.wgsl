// parenthesization/goal: what is best, and the numbers of the problem.
@group(0) @binding(0) var<storage, read> inputs: array<Value>;   // as the problem has them

fn better(a: Value, b: Value) -> bool {
    if GREATEST == 1u {
        return less(b, a);
    }
    return less(a, b);
}

// The better of both; a where they are equal.
fn best_of(a: Value, b: Value) -> Value {
    return select(a, b, better(b, a));
}

// What every cost is at least as good as.
fn worst() -> Value {
    if GREATEST == 1u {
        return LOWEST;
    }
    return OVERFLOW;
}


// parenthesization/goal: direction of the optimisation, and the inputs of the problem.
@group(0) @binding(0) var<storage, read> inputs: array<Value>;   // laid out by the problem

fn better(a: Value, b: Value) -> bool {
    if GREATEST == 1u {
        return less(b, a);
    }
    return less(a, b);
}

// The better of both; a if they are equal.
fn best_of(a: Value, b: Value) -> Value {
    return select(a, b, better(b, a));
}

// Identity of best_of.
fn worst() -> Value {
    if GREATEST == 1u {
        return LOWEST;
    }
    return OVERFLOW;
}


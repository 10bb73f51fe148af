// parenthesization/operators: order, sum and product of costs, for types with native operators and
// no overflow checks.
//
// Needs:    Value.
fn less(a: Value, b: Value) -> bool {
    return a < b;
}

fn plus(a: Value, b: Value) -> Value {
    return a + b;
}

// For integers also valid if a and b have overflowed but their difference fits.
fn minus(a: Value, b: Value) -> Value {
    return a - b;
}

fn times(a: Value, b: Value) -> Value {
    return a * b;
}

// parenthesization/operators: order, sums and products of costs whose type has operators that need no check and no care.
//
// Needs:    Value. Twin: operators.cu.
fn less(a: Value, b: Value) -> bool {
    return a < b;
}

fn plus(a: Value, b: Value) -> Value {
    return a + b;
}

// In integers also of two sums that do not fit, where their difference does.
fn minus(a: Value, b: Value) -> Value {
    return a - b;
}

fn times(a: Value, b: Value) -> Value {
    return a * b;
}

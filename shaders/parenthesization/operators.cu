// parenthesization/operators: order, sum and product of costs, for types with native operators and
// no overflow checks.
//
// Needs:    Value. Twin: operators.wgsl.
DEVICE bool less(Value a, Value b) {
    return a < b;
}

DEVICE Value plus(Value a, Value b) {
    return a + b;
}

// For integers also valid if a and b have overflowed but their difference fits.
DEVICE Value minus(Value a, Value b) {
    return a - b;
}

DEVICE Value times(Value a, Value b) {
    return a * b;
}

// parenthesization/operators: order, sums and products of costs whose type has operators that need no check and no care.
//
// Needs:    Value. Twin: operators.wgsl.
DEVICE bool less(Value a, Value b) {
    return a < b;
}

DEVICE Value plus(Value a, Value b) {
    return a + b;
}

// In integers also of two sums that do not fit, where their difference does.
DEVICE Value minus(Value a, Value b) {
    return a - b;
}

DEVICE Value times(Value a, Value b) {
    return a * b;
}

// parenthesization/goal: direction of the optimisation, and the inputs of the problem.
BINDING(0, const Value, inputs)     // laid out by the problem

DEVICE bool better(Value a, Value b) {
    return GREATEST == 1u ? less(b, a) : less(a, b);
}

// The better of both; a if they are equal.
DEVICE Value best_of(Value a, Value b) {
    return select(a, b, better(b, a));
}

// Identity of best_of.
DEVICE Value worst() {
    return GREATEST == 1u ? LOWEST : OVERFLOW;
}

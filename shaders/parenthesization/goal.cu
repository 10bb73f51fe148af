// parenthesization/goal: what is best, and the numbers of the problem.
BINDING(0, const Value, inputs)     // as the problem has them

DEVICE bool better(Value a, Value b) {
    return GREATEST == 1u ? less(b, a) : less(a, b);
}

// The better of both; a where they are equal.
DEVICE Value best_of(Value a, Value b) {
    return select(a, b, better(b, a));
}

// What every cost is at least as good as.
DEVICE Value worst() {
    return GREATEST == 1u ? LOWEST : OVERFLOW;
}

// parenthesization/perimeter: weight of a triangle: its perimeter.
//
// Inputs:   x and y of each corner. Twin: problems/polygon.rs.
struct Corner {
    Value x;
    Value y;
};
struct Outer {
    Corner i;
    Corner j;
    Value across;
};
typedef Corner Inner;

DEVICE Value leaf(const Arguments& at, u32 i) {
    return value(0u);
}

DEVICE Inner inner(const Arguments& at, u32 k) {
    return {inputs(at)[2u * k], inputs(at)[2u * k + 1u]};
}

DEVICE Value side(Corner a, Corner b) {
    const Value x = minus(a.x, b.x);
    const Value y = minus(a.y, b.y);
    return root(plus(times(x, x), times(y, y)));
}

DEVICE Outer outer(const Arguments& at, u32 i, u32 j) {
    const Corner a = inner(at, i);
    const Corner b = inner(at, j);
    return {a, b, side(a, b)};
}

DEVICE Value weight(Outer outer, Inner inner) {
    return plus(plus(side(outer.i, inner), side(inner, outer.j)), outer.across);
}

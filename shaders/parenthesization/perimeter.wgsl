// parenthesization/perimeter: weight of a triangle: its perimeter.
//
// Inputs:   x and y of each corner. Twin: problems/polygon.rs.
struct Outer {
    i: vec2<Value>,
    j: vec2<Value>,
    across: Value,
}
alias Inner = vec2<Value>;

fn leaf(i: u32) -> Value {
    return value(0u);
}

fn outer(i: u32, j: u32) -> Outer {
    let a = inner(i);
    let b = inner(j);
    return Outer(a, b, side(a, b));
}

fn inner(k: u32) -> Inner {
    return vec2<Value>(inputs[2u * k], inputs[2u * k + 1u]);
}

fn side(a: vec2<Value>, b: vec2<Value>) -> Value {
    let x = minus(a.x, b.x);
    let y = minus(a.y, b.y);
    return root(plus(times(x, x), times(y, y)));
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return plus(plus(side(outer.i, inner), side(inner, outer.j)), outer.across);
}


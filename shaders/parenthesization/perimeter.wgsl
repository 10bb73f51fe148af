// parenthesization/perimeter: the weight of a triangle is its perimeter.
//
// Inputs:   x and y of each corner. Twin: problems/polygon.rs.
struct Outer {
    i: vec2<f32>,
    j: vec2<f32>,
    across: f32,
}
alias Inner = vec2<f32>;

fn leaf(i: u32) -> Value {
    return 0.0;
}

fn outer(i: u32, j: u32) -> Outer {
    let a = inner(i);
    let b = inner(j);
    return Outer(a, b, distance(a, b));
}

fn inner(k: u32) -> Inner {
    return vec2<f32>(inputs[2u * k], inputs[2u * k + 1u]);
}

fn weight(outer: Outer, inner: Inner) -> Value {
    return distance(outer.i, inner) + distance(inner, outer.j) + outer.across;
}


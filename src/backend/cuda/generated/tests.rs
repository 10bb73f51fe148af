//! Texts that results do not show: declarations, loads, unrolled loops, and what is refused. Results of
//! constructs on devices are compared in tests/it/constructs.rs.

use super::*;

fn options() -> Options {
    Options {
        launch: Launch::Separate,
        bindings: vec![(0, Access::ReadWrite), (1, Access::Read)],
        buffer_words: 4,
        checks: false,
        subgroups: true,
        workgroup_bytes: 1024,
    }
}

fn translated(wgsl: &str, options: &Options) -> Result<String> {
    let text = generate(wgsl, options)?;
    Ok(text
        .strip_prefix(PRELUDE)
        .expect("it begins so")
        .to_string())
}

/// A kernel with these statements, after these declarations.
fn kernel(declarations: &str, statements: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @group(0) @binding(1) var<storage, read> given: array<u32>;
         struct Params {{ length: u32, other: u32 }}
         var<immediate> params: Params;
         {declarations}
         @compute @workgroup_size(64)
         fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {{
             {statements}
         }}"
    )
}

/// Requires that the translation has these texts, in this order.
#[track_caller]
fn assert_has(declarations: &str, statements: &str, expected: &[&str]) {
    let text = translated(&kernel(declarations, statements), &options())
        .unwrap_or_else(|error| panic!("{error}"));
    let mut rest = &text[..];
    for wanted in expected {
        let found = rest.find(wanted);
        let start = found.unwrap_or_else(|| panic!("{wanted} is expected in {text}"));
        rest = &rest[start + wanted.len()..];
    }
}

#[track_caller]
fn refused(wgsl: &str, options: &Options) -> GenerateError {
    match translated(wgsl, options) {
        Ok(text) => panic!("{text}"),
        Err(error) => error,
    }
}

#[test]
fn declarations_of_a_kernel() {
    assert_has(
        "struct Pair { place: vec2<u32>, length: u32 }
         var<workgroup> wg_sums: array<Pair, 4>;
         var<private> seed: u32 = 7u;
         fn scaled(value: u32) -> u32 { return value * params.length; }
         fn next(pointer: ptr<function, u32>) { *pointer = *pointer + 1u; }",
        "var place = seed; next(&place); wg_sums[lane].length = scaled(place); out[group.x] = wg_sums[0].length;",
        &[
            "struct Params_ {\n    u32 length_;\n    u32 other_;\n};\n",
            "struct Pair_ {\n    Vector<u32, 2> place_;\n    u32 length_;\n};\n",
            "DEVICE u32* out_(const Arguments& at) { return static_cast<u32*>(at.binding[0]); }",
            "DEVICE const u32* given_(const Arguments& at) { return static_cast<const u32*>(at.binding[1]); }",
            "__shared__ List<Pair_, 4> wg_sums_;",
            "struct Context {\n    const Arguments& at;\n    const Params_& params;\n    u32 seed_ = 7u;\n};\n",
            "DEVICE u32 scaled_(Context& in, const u32 value_) {",
            "DEVICE void next_(u32& pointer_) {",
            "KERNEL(64) {\n    Context in = context_of(at, pass);",
            "const u32 lane_ = threadIdx.x;",
            "const Vector<u32, 3> group_ = Vector<u32, 3>{blockIdx.x, blockIdx.y, blockIdx.z};",
            "u32 place_ = u32{};",
            "next_(place_);",
            "scaled_(in, ",
        ],
    );
}

#[test]
fn cooperative_kernels_run_several_passes_and_chained_ones_are_refused() {
    let wgsl = kernel("", "");
    let launch = |launch| Options {
        launch,
        ..options()
    };
    let text = translated(&wgsl, &launch(Launch::Cooperative)).expect("it is translated");
    assert!(text.contains("KERNEL_IN_STEP(64) {"), "{text}");
    let error = refused(&wgsl, &launch(Launch::Chained)).to_string();
    assert_eq!(
        error,
        "a launch of chained passes cannot be translated to CUDA"
    );
}

#[test]
fn constant_divisors_and_shifts_stay_operators() {
    assert_has(
        "",
        "out[6] = given[2] / 3u; out[8] = given[1] >> given[2]; out[9] = given[1] << 5u;",
        &[" / 3u)", " >> (", " & 31u))", " << 5u)"],
    );
}

#[test]
fn reals_convert_and_round() {
    assert_has(
        "",
        "let x = bitcast<f32>(given[lane]); let y = f32(given[1]);
         out[0] = u32(floor(x) + ceil(y)); out[1] = bitcast<u32>(sqrt(fma(x, y, 1.5)));
         out[2] = u32(x % y < -2.0f); out[3] = u32(clamp(x, 0.0, 1.0) > y);
         out[4] = u32(f64(x)); let v = vec2<f32>(x, y); let u = vec2<u32>(v); out[5] = u.x + u.y;",
        &[
            "const f32 x_ = bitcast<f32>(",
            "convert<u32>((round_down(x_) + round_up(y_)))",
            "square_root(fused(x_, y_, 1.5e0f))",
            "(remainder_of(x_, y_) < (-2e0f))",
            "clamped(x_, 0e0f, 1e0f)",
            "convert<u32>(f64(x_))",
            "convert<Vector<u32, 2>>(v_)",
        ],
    );
}

#[test]
fn buffers_that_are_only_read_are_read_through_their_cache() {
    assert_has(
        "",
        "let word = given[lane]; out[0] = word; out[1] = out[2] + arrayLength(&given);",
        &[
            "const u32 word_ = load_read_only(&given_(in.at)[lane_]);",
            "= out_(in.at)[2u];",
            "array_length<u32>(in.at, 1u)",
        ],
    );
}

#[test]
fn subgroups_are_warps() {
    assert_has(
        "",
        "let votes = subgroupBallot(lane > 3u); let word = subgroupShuffleUp(lane, 1u);
         out[0] = votes.x + subgroupExclusiveAdd(word) + subgroupShuffle(word, 3u) + subgroupMin(word);
         if subgroupAll(word > 1u) { out[1] = subgroupAdd(word); }",
        &[
            "Vector<u32, 4>{__ballot_sync(ALL_LANES, (lane_ > 3u)), 0u, 0u, 0u}",
            "__shfl_up_sync(ALL_LANES, lane_, 1u)",
            "subgroup_exclusive_add(word_)",
            "__shfl_sync(ALL_LANES, word_, 3u)",
            "subgroup_min(word_)",
            "(__ballot_sync(ALL_LANES, (word_ > 1u)) == ALL_LANES)",
            "subgroup_add(word_)",
        ],
    );
    let without = Options {
        subgroups: false,
        ..options()
    };
    let wgsl = kernel("", "out[0] = subgroupAdd(lane);");
    assert!(matches!(refused(&wgsl, &without), GenerateError::Wgsl(_)));
}

#[test]
fn loops_are_unrolled_by_their_bounds() {
    let body = |head: &str, body: &str| format!("var sum = 0u; {head} {{ {body} }} out[0] = sum;");
    for (head, inside, pragma) in [
        (
            "for (var i = 0u; i < 16u; i++)",
            "sum += given[i];",
            "#pragma unroll\n",
        ),
        (
            "for (var i = 0u; i < 100u; i++)",
            "sum += given[i];",
            "#pragma unroll 8\n",
        ),
        (
            "for (var i = 0u; i < 100u; i++)",
            "for (var j = 0u; j < i; j++) { sum += given[j]; }",
            "#pragma unroll 1\n",
        ),
        (
            "for (var i = 0u; i < params.length; i++)",
            "sum += given[i];",
            "#pragma unroll 1\n",
        ),
        (
            "for (var i = lane; i < 16u; i += 4u)",
            "sum += given[i];",
            "#pragma unroll 1\n",
        ),
        ("while sum != 5u", "sum += 1u;", "for (;;) {"),
    ] {
        assert_has(
            "",
            &body(head, inside),
            &[pragma, "for (;;) {"][..1 + usize::from(pragma.starts_with('#'))],
        );
    }
    // An array in registers.
    assert_has(
        "",
        "var kept: array<u32, 40>; for (var i = 0u; i < 40u; i++) { kept[i] = given[i]; }
         for (var i = 0u; i < 40u; i++) { out[i] = kept[39u - i]; }",
        &["#pragma unroll\n", "#pragma unroll\n"],
    );
}

#[test]
fn loops_keep_what_follows_a_jump() {
    assert_has(
        "",
        "for (var i = 0u; i < params.length; i++) { if given[i] == 0u { continue; } out[i] = 1u; }",
        &["for (;; [&] {", "i_ = ", "}()) {", "continue;"],
    );
    assert_has(
        "",
        "var i = 0u; loop { if given[i] == 0u { continue; } out[i] = 1u;
             continuing { i++; break if i == params.length; } }",
        &[
            "for (bool goes_on = true; goes_on; goes_on = [&] {",
            "return !",
            "}()) {",
        ],
    );
    assert_has(
        "",
        "var i = 0u; loop { let word = given[i]; out[i] = word;
             continuing { i += word; break if i >= params.length; } }",
        &["for (;;) {", "const u32 word_", "word_);", "if (", "break;"],
    );
    // The value of the body is not in scope where the jump goes.
    let wgsl = kernel(
        "",
        "var i = 0u; loop { let word = given[i]; if word == 0u { continue; } out[i] = word;
             continuing { i += word; break if i >= params.length; } }",
    );
    if let Ok(text) = translated(&wgsl, &options()) {
        panic!("{text}");
    }
}

#[test]
fn constants_and_arrays_are_values() {
    assert_has(
        "const TABLE = array<u32, 3>(1u, 2u, 3u); const STEP = vec2<i32>(-1, 2);",
        "var table = TABLE; out[0] = table[lane]; let v = STEP + vec2<i32>(i32(lane)); out[1] = u32(v.x);",
        &[
            "List<u32, 3>{{1u, 2u, 3u}}",
            "wrapping_add(Vector<i32, 2>{(-1), 2}, ",
        ],
    );
    // As the WGSL says, though the positive number is none.
    assert_has(
        "",
        "out[0] = u32(i32(lane) + i32(-2147483648));",
        &["i32(0x80000000u)"],
    );
    assert_has(
        "",
        "out[0] = u32(u64(lane) * 5lu >> 32u);",
        &["(u64(lane_) * 5ull)"],
    );
}

#[test]
fn checked_kernels_clamp_indices_and_end_no_loop_on_their_own() {
    let checked = Options {
        checks: true,
        ..options()
    };
    let wgsl = kernel(
        "var<workgroup> wg_words: array<u32, 8>;",
        "var v = vec3<u32>(1u); v[lane] = 2u;
         loop { wg_words[given[lane]] = v[params.other]; if wg_words[3] == 7u { break; } }
         out[given[0] * 2u] = given[7];",
    );
    let text = translated(&wgsl, &checked).expect("it is translated");
    for wanted in [
        "v_[within(lane_, 3u)] = 2u;",
        "may_go_on();",
        "wg_words_[within(",
        ", 8u)]",
        "wg_words_[3u]",
        "within(7u, array_length<u32>(in.at, 1u))",
        ", array_length<u32>(in.at, 0u))] = ",
    ] {
        assert!(text.contains(wanted), "{wanted} is expected in {text}");
    }
    let large = kernel("@group(0) @binding(1) var<storage> own: array<u32, 5>;", "");
    let error = refused(&large, &checked).to_string();
    assert!(error.contains("may be smaller"), "{error}");
}

#[test]
fn declared_buffers_are_those_of_the_host() {
    for (declared, reason) in [
        (
            "@group(0) @binding(2) var<storage> own: array<u32>;",
            "nothing is bound there",
        ),
        (
            "@group(1) @binding(0) var<storage> own: array<u32>;",
            "not in group 0",
        ),
        (
            "@group(0) @binding(0) var<storage> own: array<u32>;",
            "access differs",
        ),
    ] {
        let error = refused(&kernel(declared, ""), &options()).to_string();
        assert!(
            error.contains("the buffer own ") && error.contains(reason),
            "{error}"
        );
    }
}

#[test]
fn what_has_no_translation_is_an_error_that_names_it() {
    for (declarations, statements, named) in [
        (
            "",
            "let m = mat2x2<f32>(1.0, 2.0, 3.0, 4.0); out[0] = u32(m[0].x);",
            "Matrix",
        ),
        ("", "out[0] = u32(sin(f32(lane)));", "the function Sin"),
        (
            "",
            "out[0] = firstLeadingBit(bitcast<u32>(-1i)) + u32(firstLeadingBit(i32(lane)));",
            "FirstLeadingBit",
        ),
        ("override size: u32 = 3u;", "out[0] = size;", "an override"),
        (
            "var<workgroup> own: array<u32, 400>;",
            "own[0] = 1u;",
            "1600 bytes of workgroup memory",
        ),
        (
            "struct Odd { a: vec3<u32>, b: u32 } @group(0) @binding(1) var<storage> odd: array<Odd>;",
            "out[0] = odd[lane].b;",
            "the layout of Odd_",
        ),
        (
            "",
            "out[0] = u32(subgroupAdd(f32(lane)));",
            "an exchange of",
        ),
    ] {
        let error = refused(&kernel(declarations, statements), &options()).to_string();
        assert!(error.contains(named), "{named} is expected in {error}");
    }
    let error = refused("fn main( {}", &options());
    assert!(matches!(error, GenerateError::Wgsl(_)), "{error}");
    let wide = "@compute @workgroup_size(8, 8) fn main() {}";
    assert!(
        refused(wide, &options())
            .to_string()
            .contains("more than one dimension")
    );
}

#[test]
fn aliases_of_parts_keep_their_names() {
    let parts = "// alias Not = u32;
        alias Inner = Value; /* alias Nor = f32; */ alias Outer
            = vec2< Value >;
        fn leaf() -> Value { return 0u; } alias Four = array<u32, 4u>;";
    let wgsl = format!("alias Value = u32;\n{parts}\n{}", kernel("", ""));
    let start = wgsl.find(parts).expect("it is there");
    let range = start..start + parts.len();
    let text = generate_parts(&wgsl, &[range], &options()).expect("it is known");
    for expected in [
        "using Inner = Value;\n",
        "using Outer = Vector<Value, 2>;\n",
        "using Four = List<u32,4u>;\n",
        "DEVICE u32 leaf() {\n",
        "DEVICE u32 leaf(const Context&) { return leaf(); }\n",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(!text.contains("Not") && !text.contains("Nor"), "{text}");
    assert!(!text.contains("out(") && !text.contains("PASSES"), "{text}");
}

#[test]
fn parts_that_use_the_rest_of_a_kernel_are_refused() {
    let of = |part: &str| {
        let wgsl = kernel(&format!("{part} fn own() -> u32 {{ return out[0]; }}"), "");
        let start = wgsl.find(part).expect("it is there");
        let range = start..start + part.len();
        generate_parts(&wgsl, &[range], &options()).expect_err("it is refused")
    };
    for part in [
        "fn used() -> u32 { return own(); }",
        "fn used() -> u32 { return out[0]; }",
    ] {
        assert!(matches!(of(part), GenerateError::Unsupported(_)), "{part}");
    }
}

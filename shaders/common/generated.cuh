// common/generated: definitions for CUDA text that is generated from WGSL.
//
// Order:    PASSES, this text, then the translated module: one translation unit without includes.
// Names:    identifiers of the WGSL end in '_' in the translation, those of this text do not.
// Host:     `struct Arguments` begins as that of common/prelude.cu.
// Integers: sums wrap, shift distances are taken modulo the width, and division by zero yields the
//           dividend, as in WGSL.
// Subgroup: a warp with all lanes active.
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;

#define DEVICE __device__ __forceinline__

struct Arguments {
    void* binding[8];
    u32* turns;
    u32 taken;
    u32 first;
    u32 passes;
    u32 params[PASSES][12];
    u32 workgroups[PASSES];
    u32 words[8];    // of the bindings
};

#define KERNEL(lanes)                                                                                       \
    DEVICE void kernel_pass(const Arguments& at, u32 pass);                                                 \
    extern "C" __global__ void __launch_bounds__(lanes) kernel_main(const __grid_constant__ Arguments at) { \
        kernel_pass(at, 0u);                                                                                \
    }                                                                                                       \
    DEVICE void kernel_pass(const Arguments& at, u32 pass)
// Passes that depend on all results of earlier ones: workgroups meet between them.
#define KERNEL_IN_STEP(lanes)                                                                               \
    DEVICE void kernel_pass(const Arguments& at, u32 pass);                                                 \
    extern "C" __global__ void __launch_bounds__(lanes) kernel_main(const __grid_constant__ Arguments at) { \
        for (u32 pass = 0u; pass < at.passes; pass++) {                                                     \
            if (pass > 0u) {                                                                                \
                meet(at, pass - 1u);                                                                        \
            }                                                                                               \
            if ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x < at.workgroups[pass]) {     \
                kernel_pass(at, pass);                                                                      \
            }                                                                                               \
        }                                                                                                   \
    }                                                                                                       \
    DEVICE void kernel_pass(const Arguments& at, u32 pass)

// array<T, N>
template <class T, u32 N> struct List {
    T item[N];
    DEVICE T& operator[](u32 i) { return item[i]; }
    DEVICE const T& operator[](u32 i) const { return item[i]; }
};

// Vectors have the memory layout of WGSL: three components take the space of four.
template <class T, u32 N> struct Vector;
#define VECTOR(N, space, ...)                                           \
    template <class T> struct alignas(space * sizeof(T)) Vector<T, N> { \
        T __VA_ARGS__;                                                  \
        DEVICE T& operator[](u32 i) { return (&x)[i]; }                 \
        DEVICE const T& operator[](u32 i) const { return (&x)[i]; }     \
    };
VECTOR(2, 2, x, y)
VECTOR(3, 4, x, y, z)
VECTOR(4, 4, x, y, z, w)

template <class V> struct Components;
template <class T, u32 N> struct Components<Vector<T, N>> {
    static constexpr u32 count = N;
    using Type = T;
};

#define EACH(count, ...) \
    _Pragma("unroll") for (u32 i = 0u; i < count; i++) { __VA_ARGS__; }

template <class V, class T> DEVICE V splat(T value) {
    V all;
    EACH(Components<V>::count, all[i] = value)
    return all;
}

// A function of scalars, applied to vectors of one, two or three arguments.
#define COMPONENTWISE_1(name)                                         \
    template <class T, u32 N> DEVICE Vector<T, N> name(Vector<T, N> a) { \
        EACH(N, a[i] = name(a[i]))                                    \
        return a;                                                     \
    }
#define COMPONENTWISE_2(name)                                                            \
    template <class T, u32 N> DEVICE Vector<T, N> name(Vector<T, N> a, Vector<T, N> b) { \
        EACH(N, a[i] = name(a[i], b[i]))                                                 \
        return a;                                                                        \
    }                                                                                    \
    template <class T, u32 N> DEVICE Vector<T, N> name(Vector<T, N> a, T b) {            \
        EACH(N, a[i] = name(a[i], b))                                                    \
        return a;                                                                        \
    }                                                                                    \
    template <class T, u32 N> DEVICE Vector<T, N> name(T a, Vector<T, N> b) {            \
        EACH(N, b[i] = name(a, b[i]))                                                    \
        return b;                                                                        \
    }
#define COMPONENTWISE_3(name)                                                                            \
    template <class T, u32 N> DEVICE Vector<T, N> name(Vector<T, N> a, Vector<T, N> b, Vector<T, N> c) { \
        EACH(N, a[i] = name(a[i], b[i], c[i]))                                                           \
        return a;                                                                                        \
    }
#define COMPONENTWISE_OPERATOR(op)                                                               \
    template <class T, u32 N> DEVICE Vector<T, N> operator op(Vector<T, N> a, Vector<T, N> b) {  \
        EACH(N, a[i] = a[i] op b[i])                                                             \
        return a;                                                                                \
    }                                                                                            \
    template <class T, u32 N> DEVICE Vector<T, N> operator op(Vector<T, N> a, T b) {             \
        EACH(N, a[i] = a[i] op b)                                                                \
        return a;                                                                                \
    }                                                                                            \
    template <class T, u32 N> DEVICE Vector<T, N> operator op(T a, Vector<T, N> b) {             \
        EACH(N, b[i] = a op b[i])                                                                \
        return b;                                                                                \
    }
COMPONENTWISE_OPERATOR(+)
COMPONENTWISE_OPERATOR(-)
COMPONENTWISE_OPERATOR(*)
COMPONENTWISE_OPERATOR(/)
COMPONENTWISE_OPERATOR(%)
COMPONENTWISE_OPERATOR(&)
COMPONENTWISE_OPERATOR(|)
COMPONENTWISE_OPERATOR(^)
#define COMPARISON(op)                                                                             \
    template <class T, u32 N> DEVICE Vector<bool, N> operator op(Vector<T, N> a, Vector<T, N> b) { \
        Vector<bool, N> all;                                                                       \
        EACH(N, all[i] = a[i] op b[i])                                                             \
        return all;                                                                                \
    }
COMPARISON(==)
COMPARISON(!=)
COMPARISON(<)
COMPARISON(<=)
COMPARISON(>)
COMPARISON(>=)
#define PREFIX_OPERATOR(op)                                                 \
    template <class T, u32 N> DEVICE Vector<T, N> operator op(Vector<T, N> a) { \
        EACH(N, a[i] = op a[i])                                             \
        return a;                                                           \
    }
PREFIX_OPERATOR(~)
PREFIX_OPERATOR(!)
PREFIX_OPERATOR(-)

DEVICE bool any(bool one) { return one; }
DEVICE bool all(bool one) { return one; }
template <u32 N> DEVICE bool any(Vector<bool, N> votes) {
    bool found = false;
    EACH(N, found = found || votes[i])
    return found;
}
template <u32 N> DEVICE bool all(Vector<bool, N> votes) {
    bool every = true;
    EACH(N, every = every && votes[i])
    return every;
}
template <class T, u32 N> DEVICE Vector<T, N> select(Vector<T, N> otherwise, Vector<T, N> chosen, Vector<bool, N> condition) {
    EACH(N, otherwise[i] = condition[i] ? chosen[i] : otherwise[i])
    return otherwise;
}

// Signed sums wrap.
template <class T> struct UnsignedOf { using Type = T; };
template <> struct UnsignedOf<i32> { using Type = u32; };
template <> struct UnsignedOf<i64> { using Type = u64; };
template <class T> using Unsigned = typename UnsignedOf<T>::Type;
template <class T> DEVICE T wrapping_add(T a, T b) { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
template <class T> DEVICE T wrapping_sub(T a, T b) { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
template <class T> DEVICE T wrapping_mul(T a, T b) { return T(Unsigned<T>(a) * Unsigned<T>(b)); }
template <class T> DEVICE T wrapping_negate(T a) { return T(Unsigned<T>(0) - Unsigned<T>(a)); }
COMPONENTWISE_2(wrapping_add)
COMPONENTWISE_2(wrapping_sub)
COMPONENTWISE_2(wrapping_mul)
COMPONENTWISE_1(wrapping_negate)

// Shifts by any distance, of which the low bits count.
template <class T> DEVICE T shift_left(T word, u32 distance) {
    return T(Unsigned<T>(word) << (distance & u32(8u * sizeof(T) - 1u)));
}
template <class T> DEVICE T shift_right(T word, u32 distance) { return word >> (distance & u32(8u * sizeof(T) - 1u)); }
template <class T, u32 N> DEVICE Vector<T, N> shift_left(Vector<T, N> words, Vector<u32, N> distances) {
    EACH(N, words[i] = shift_left(words[i], distances[i]))
    return words;
}
template <class T, u32 N> DEVICE Vector<T, N> shift_right(Vector<T, N> words, Vector<u32, N> distances) {
    EACH(N, words[i] = shift_right(words[i], distances[i]))
    return words;
}

// Integer division by a number that may be zero or overflow.
template <class T> DEVICE bool divides(T a, T b) {
    const bool overflows = T(-1) < T(0) && b == T(-1) && a == T(Unsigned<T>(1) << (8u * sizeof(T) - 1u));
    return b != T(0) && !overflows;
}
template <class T> DEVICE T quotient(T a, T b) { return a / (divides(a, b) ? b : T(1)); }
template <class T> DEVICE T remainder_of(T a, T b) { return a % (divides(a, b) ? b : T(1)); }
DEVICE f32 remainder_of(f32 a, f32 b) { return a - b * truncf(a / b); }
DEVICE f64 remainder_of(f64 a, f64 b) { return a - b * trunc(a / b); }
COMPONENTWISE_2(quotient)
COMPONENTWISE_2(remainder_of)

// Conversions of numbers; those of reals to integers saturate.
template <class To, class From> struct Converted {
    static DEVICE To of(From from) { return To(from); }
};
#define SATURATING(To, From, function)                                \
    template <> struct Converted<To, From> {                          \
        static DEVICE To of(From from) { return function(from); }     \
    };
SATURATING(u32, f32, __float2uint_rz)
SATURATING(i32, f32, __float2int_rz)
SATURATING(u64, f32, __float2ull_rz)
SATURATING(i64, f32, __float2ll_rz)
SATURATING(u32, f64, __double2uint_rz)
SATURATING(i32, f64, __double2int_rz)
SATURATING(u64, f64, __double2ull_rz)
SATURATING(i64, f64, __double2ll_rz)
template <class To, u32 N, class From> struct Converted<Vector<To, N>, Vector<From, N>> {
    static DEVICE Vector<To, N> of(Vector<From, N> from) {
        Vector<To, N> to;
        EACH(N, to[i] = Converted<To, From>::of(from[i]))
        return to;
    }
};
template <class To, class From> DEVICE To convert(From from) { return Converted<To, From>::of(from); }
template <class To, class From> DEVICE To bitcast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bitcast keeps the size");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

template <class T> DEVICE T lesser(T a, T b) { return min(a, b); }
template <class T> DEVICE T greater(T a, T b) { return max(a, b); }
template <class T> DEVICE T absolute(T a) { return a < T(0) ? wrapping_negate(a) : a; }
DEVICE f32 absolute(f32 a) { return fabsf(a); }
DEVICE f64 absolute(f64 a) { return fabs(a); }
DEVICE f32 square_root(f32 a) { return __fsqrt_rn(a); }
DEVICE f64 square_root(f64 a) { return __dsqrt_rn(a); }
DEVICE f32 round_down(f32 a) { return floorf(a); }
DEVICE f64 round_down(f64 a) { return floor(a); }
DEVICE f32 round_up(f32 a) { return ceilf(a); }
DEVICE f64 round_up(f64 a) { return ceil(a); }
DEVICE f32 round_to_zero(f32 a) { return truncf(a); }
DEVICE f64 round_to_zero(f64 a) { return trunc(a); }
DEVICE f32 round_to_even(f32 a) { return rintf(a); }
DEVICE f64 round_to_even(f64 a) { return rint(a); }
DEVICE f32 fused(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
DEVICE f64 fused(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
COMPONENTWISE_2(lesser)
COMPONENTWISE_2(greater)
COMPONENTWISE_1(absolute)
COMPONENTWISE_1(square_root)
COMPONENTWISE_1(round_down)
COMPONENTWISE_1(round_up)
COMPONENTWISE_1(round_to_zero)
COMPONENTWISE_1(round_to_even)
COMPONENTWISE_3(fused)
template <class T> DEVICE T clamped(T value, T low, T high) { return lesser(greater(value, low), high); }

DEVICE u32 count_ones(u32 word) { return __popc(word); }
DEVICE u32 leading_zeros(u32 word) { return __clz(word); }
// Faster than reversing the word and counting leading zeros.
DEVICE u32 trailing_zeros(u32 word) { return 32u - __clz((word - 1u) & ~word); }
DEVICE u32 first_trailing(u32 word) { return __ffs(word) - 1; }
DEVICE u32 first_leading(u32 word) { return 31 - __clz(word); }
DEVICE u32 reverse_bits(u32 word) { return __brev(word); }
COMPONENTWISE_1(count_ones)
COMPONENTWISE_1(leading_zeros)
COMPONENTWISE_1(trailing_zeros)
COMPONENTWISE_1(first_trailing)
COMPONENTWISE_1(first_leading)
COMPONENTWISE_1(reverse_bits)

// Loads through the read-only cache, in the largest units that the type's alignment allows.
template <class Unit, class T> DEVICE T load_by(const T* place) {
    struct {
        Unit unit[sizeof(T) / sizeof(Unit)];
    } units;
    EACH(sizeof(T) / sizeof(Unit), units.unit[i] = __ldg(reinterpret_cast<const Unit*>(place) + i))
    T value;
    memcpy(&value, &units, sizeof(T));
    return value;
}
template <class T> DEVICE T load_read_only(const T* place) {
    if constexpr (alignof(T) == 16) {
        return load_by<uint4>(place);
    } else if constexpr (alignof(T) == 8) {
        return load_by<uint2>(place);
    } else {
        return load_by<u32>(place);
    }
}

// Elements of the array of a binding.
template <class T> DEVICE u32 array_length(const Arguments& at, u32 binding) {
    return at.words[binding] / u32(sizeof(T) / 4u);
}
// Index of checked kernels: the last element's if there is none at `i`.
DEVICE u32 within(u32 i, u32 count) { return min(i, max(count, 1u) - 1u); }
// For loops of checked kernels, which may be endless: C++ assumes that a loop without effects ends.
DEVICE void may_go_on() { asm volatile(""); }

DEVICE void barrier() { __syncthreads(); }
template <class T> DEVICE T atomic_load(const T* place) { return *const_cast<const volatile T*>(place); }
template <class T> DEVICE void atomic_store(T* place, T word) { *const_cast<volatile T*>(place) = word; }
template <class Result, class T> DEVICE Result compare_exchange(T* place, T expected, T word) {
    const T before = atomicCAS(place, expected, word);
    return Result{before, before == expected};
}
template <class T> DEVICE T workgroup_uniform_load(const T* place) {
    barrier();
    const T loaded = *place;
    barrier();
    return loaded;
}

constexpr u32 ALL_LANES = ~0u;
template <class T> DEVICE T subgroup_inclusive_add(T sum) {
    _Pragma("unroll") for (u32 distance = 1u; distance < 32u; distance *= 2u) {
        const T before = __shfl_up_sync(ALL_LANES, sum, distance);
        sum = wrapping_add(sum, threadIdx.x % 32u >= distance ? before : T(0));
    }
    return sum;
}
template <class T> DEVICE T subgroup_exclusive_add(T word) { return wrapping_sub(subgroup_inclusive_add(word), word); }
template <class T> DEVICE T subgroup_add(T word) { return __shfl_sync(ALL_LANES, subgroup_inclusive_add(word), 31u); }
template <class T> DEVICE T subgroup_min(T word) {
    _Pragma("unroll") for (u32 distance = 16u; distance > 0u; distance /= 2u) {
        word = min(word, T(__shfl_sync(ALL_LANES, word, threadIdx.x % 32u ^ distance)));
    }
    return word;
}
template <class T> DEVICE T subgroup_max(T word) {
    _Pragma("unroll") for (u32 distance = 16u; distance > 0u; distance /= 2u) {
        word = max(word, T(__shfl_sync(ALL_LANES, word, threadIdx.x % 32u ^ distance)));
    }
    return word;
}

// Grid-wide barrier between two passes of a cooperative kernel.
DEVICE void arrive(u32* place) {
    const u32 one = 1u;
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(place), "r"(one) : "memory");
}
DEVICE u32 load_acquire(const u32* place) {
    u32 word;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
    return word;
}
DEVICE void meet(const Arguments& at, u32 pass) {
    barrier();
    if (threadIdx.x == 0u) {
        const u32 awaited = at.taken + (pass + 1u) * gridDim.x * gridDim.y * gridDim.z;
        arrive(at.turns);
        while (static_cast<i32>(load_acquire(at.turns) - awaited) < 0) {
        }
    }
    barrier();
}


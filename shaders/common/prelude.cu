// common/prelude: definitions shared by all hand-written CUDA sources, named as in WGSL.
//
// Order:    PASSES, this text, LANES and the other constants of the kernel, its parts, its own
//           text: one translation unit without includes.
// Bindings: BINDING(number, type, name) defines name(at), an array; a const type is read through
//           the read-only cache.
// Params:   PARAMS(at) are the parameters of the pass, as the kernel's struct Params.
// Chain:    a chained kernel runs up to PASSES passes per launch; PARAMS_OF(at, pass) are the
//           parameters of one. Workgroups take tickets in order, so whatever one waits for was
//           started before it, no matter how many are resident.
// In step:  a cooperative kernel, whose passes depend on all results of earlier ones, also runs up
//           to PASSES passes. All workgroups, as many as the widest pass has, are resident and
//           synchronise between passes; `pass` is the number of the pass.
// Subgroup: a warp with all lanes active; lane() is the index in the workgroup.
// Shifts:   by 32 and more are undefined here; WGSL takes the low five bits of the distance.
typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;
typedef float f32;
typedef double f64;

struct Arguments {
    void* binding[8];
    u32* turns;    // chained: tickets taken; cooperative: arrivals at the grid barrier
    u32 taken;     // value of the counter before this launch
    u32 first;     // chained: first workgroup of any pass
    u32 passes;    // passes of this launch
    u32 params[PASSES][12];
    u32 workgroups[PASSES];    // cooperative: per pass
};

#define DEVICE __device__ __forceinline__
#define KERNEL extern "C" __global__ void __launch_bounds__(LANES) kernel_main(const __grid_constant__ Arguments at)
// As KERNEL; `groups` is the number of resident workgroups per multiprocessor to compile for.
#define KERNEL_BESIDE(groups) \
    extern "C" __global__ void __launch_bounds__(LANES, groups) kernel_main(const __grid_constant__ Arguments at)
// For kernels that run with one warp per scheduler: registers are spent on early loads.
#define KERNEL_OF_FEW_WARPS KERNEL_BESIDE(LANES < WARP ? 8u : LANES < 8u * WARP ? 8u * WARP / LANES : 1u)
#define PARAMS(at) PARAMS_OF(at, 0u)
#define PARAMS_OF(at, pass) reinterpret_cast<const Params&>((at).params[pass])
#define BINDING(number, T, name) \
    DEVICE Array<T>::Type name(const Arguments& at) { return Array<T>::Type{static_cast<T*>(at.binding[number])}; }

struct u32x1 {
    u32 x;
    DEVICE u32& operator[](u32 i) { return x; }
    DEVICE u32 operator[](u32 i) const { return x; }
};

template <bool condition, class T, class Otherwise> struct Chosen { using Type = T; };
template <class T, class Otherwise> struct Chosen<false, T, Otherwise> { using Type = Otherwise; };
template <bool condition, class T, class Otherwise> using Choose = typename Chosen<condition, T, Otherwise>::Type;

// The array<u32, N> of WGSL.
template <u32 N> struct Words {
    u32 word[N];
    DEVICE u32& operator[](u32 i) { return word[i]; }
    DEVICE u32 operator[](u32 i) const { return word[i]; }
};

// Vectors have the memory layout of WGSL: three components take the space of four.
#define VECTOR(name, T, alignment, ...)                               \
    struct __align__(alignment) name {                                \
        T __VA_ARGS__;                                                \
        DEVICE T& operator[](u32 i) { return (&x)[i]; }               \
        DEVICE T operator[](u32 i) const { return (&x)[i]; }          \
    };
VECTOR(u32x2, u32, 8, x, y)
VECTOR(u32x3, u32, 16, x, y, z)
VECTOR(u32x4, u32, 16, x, y, z, w)
VECTOR(i32x2, i32, 8, x, y)
VECTOR(f32x2, f32, 8, x, y)

template <class T> struct Components;
template <> struct Components<u32x1> { static constexpr u32 count = 1u; };
template <> struct Components<u32x2> { static constexpr u32 count = 2u; };
template <> struct Components<u32x3> { static constexpr u32 count = 3u; };
template <> struct Components<u32x4> { static constexpr u32 count = 4u; };

template <class V> DEVICE V splat(u32 word) {
    V all;
#pragma unroll
    for (u32 i = 0u; i < Components<V>::count; i++) {
        all[i] = word;
    }
    return all;
}

#define COMPONENTWISE(op)                                                              \
    template <class V, u32 N = Components<V>::count> DEVICE V operator op(V a, V b) {  \
        _Pragma("unroll") for (u32 i = 0u; i < N; i++) { a[i] = a[i] op b[i]; }        \
        return a;                                                                      \
    }                                                                                  \
    template <class V, u32 N = Components<V>::count> DEVICE V operator op(V a, u32 b) { return a op splat<V>(b); } \
    template <class V, u32 N = Components<V>::count> DEVICE V& operator op##=(V& a, V b) { return a = a op b; }
COMPONENTWISE(+)
COMPONENTWISE(-)
COMPONENTWISE(&)
COMPONENTWISE(|)
COMPONENTWISE(^)
COMPONENTWISE(<<)
COMPONENTWISE(>>)

// Loads through the read-only cache, if the type allows.
template <class T> DEVICE T load_read_only(const T* place) { return *place; }
template <> DEVICE u32 load_read_only(const u32* place) { return __ldg(place); }
template <> DEVICE i32 load_read_only(const i32* place) { return __ldg(place); }
template <> DEVICE u64 load_read_only(const u64* place) { return __ldg(place); }
template <> DEVICE f32 load_read_only(const f32* place) { return __ldg(place); }
template <> DEVICE f64 load_read_only(const f64* place) { return __ldg(place); }
template <> DEVICE u32x1 load_read_only(const u32x1* place) { return {__ldg(&place->x)}; }
template <> DEVICE u32x2 load_read_only(const u32x2* place) {
    const uint2 words = __ldg(reinterpret_cast<const uint2*>(place));
    return {words.x, words.y};
}
template <> DEVICE u32x3 load_read_only(const u32x3* place) {
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(place));
    return {words.x, words.y, words.z};
}
template <> DEVICE u32x4 load_read_only(const u32x4* place) {
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(place));
    return {words.x, words.y, words.z, words.w};
}

template <class T> struct ReadOnly {
    const T* data;
    DEVICE T operator[](u32 i) const { return load_read_only(data + i); }
};
template <class T> struct Array { using Type = T*; };
template <class T> struct Array<const T> { using Type = ReadOnly<T>; };

DEVICE u32 lane() { return threadIdx.x; }
DEVICE u32x3 group() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
DEVICE u32x3 groups() { return {gridDim.x, gridDim.y, gridDim.z}; }
DEVICE u32 flat_group() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
DEVICE void barrier() { __syncthreads(); }
// As barrier(); true if any lane votes true.
DEVICE bool barrier_any(bool vote) { return __syncthreads_or(vote) != 0; }

template <class T> DEVICE T select(T otherwise, T chosen, bool condition) { return condition ? chosen : otherwise; }
template <class T> DEVICE T clamp(T value, T least, T most) { return min(max(value, least), most); }
template <class To, class From> DEVICE To bitcast(From from) {
    static_assert(sizeof(To) == sizeof(From), "a bitcast keeps the size");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}
// Any function of three bits in one instruction, which the compiler might split: bit 4a + 2b + c of
// `table` is the result.
template <u32 table> DEVICE u32 logic(u32 a, u32 b, u32 c) {
    u32 result;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(result) : "r"(a), "r"(b), "r"(c), "n"(table));
    return result;
}
// Sums that set the carry flag, add and set it, or add it. They stay in source order.
DEVICE u32 add_leaving(u32 a, u32 b) {
    u32 sum;
    asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
DEVICE u32 add_passing(u32 a, u32 b) {
    u32 sum;
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
DEVICE u32 add_entering(u32 a, u32 b) {
    u32 sum;
    asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
    return sum;
}
// Extracts a byte by a dot product, which runs on other units than shifts and sums.
DEVICE u32 byte_of(u32 word, u32 byte) {
    const u32 chosen = 1u << byte * 8u;
    const u32 none = 0u;
    u32 sum;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(word), "r"(chosen), "r"(none));
    return sum;
}
// Reverses the low `bits` bits of a word.
DEVICE u32 reversed(u32 word, u32 bits) { return __brev(word << (32u - bits)); }
// Hides how a value was computed; otherwise the compiler recomputes it at each use, from parameters
// that it loads again.
template <class T> DEVICE T* kept_in_registers(T* place) {
    T* kept;
    asm volatile("mov.u64 %0, %1;" : "=l"(kept) : "l"(place));
    return kept;
}
DEVICE u32 kept_in_registers(u32 word) {
    u32 kept;
    asm volatile("mov.u32 %0, %1;" : "=r"(kept) : "r"(word));
    return kept;
}
// Brings a word into the cache by a copy to workgroup memory that nobody waits for.
DEVICE void prefetch(u32* room, const u32* place) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(u32(__cvta_generic_to_shared(room))), "l"(place));
#endif
}
// Waits for those copies, so that `room` may be reused.
DEVICE void end_prefetching() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}
// Workgroup memory by byte address, so that accesses do not recompute its base.
template <class T> DEVICE u32 workgroup_place(const T* first) { return u32(__cvta_generic_to_shared(first)); }
template <class T> DEVICE T* at_workgroup_place(u32 place) { return static_cast<T*>(__cvta_shared_to_generic(place)); }
DEVICE u32 countOneBits(u32 word) { return __popc(word); }
DEVICE u32 countLeadingZeros(u32 word) { return __clz(word); }
// Faster than reversing the word and counting leading zeros.
DEVICE u32 countTrailingZeros(u32 word) { return 32 - __clz((word - 1u) & ~word); }
DEVICE u32 firstTrailingBit(u32 word) { return __ffs(word) - 1; }
DEVICE u32 firstLeadingBit(u32 word) { return 31 - __clz(word); }

constexpr u32 ALL_LANES = ~0u;
constexpr u32 WARP = 32u;
DEVICE u32 subgroupShuffle(u32 word, u32 from) { return __shfl_sync(ALL_LANES, word, from); }
DEVICE u32 subgroupShuffleUp(u32 word, u32 distance) { return __shfl_up_sync(ALL_LANES, word, distance); }
DEVICE u32 subgroupShuffleDown(u32 word, u32 distance) { return __shfl_down_sync(ALL_LANES, word, distance); }
DEVICE u32 subgroupBallot(bool vote) { return __ballot_sync(ALL_LANES, vote); }
DEVICE bool subgroupAll(bool vote) { return __all_sync(ALL_LANES, vote) != 0; }
DEVICE u32 subgroupMin(u32 word) {
#if __CUDA_ARCH__ >= 800
    return __reduce_min_sync(ALL_LANES, word);
#else
#pragma unroll
    for (u32 distance = WARP / 2u; distance > 0u; distance /= 2u) {
        word = min(word, subgroupShuffle(word, lane() % WARP ^ distance));
    }
    return word;
#endif
}
DEVICE u32 subgroupExclusiveAdd(u32 word) {
    u32 sum = word;
#pragma unroll
    for (u32 distance = 1u; distance < WARP; distance *= 2u) {
        const u32 before = subgroupShuffleUp(sum, distance);
        sum += (lane() % WARP >= distance) ? before : 0u;
    }
    return sum - word;
}

// atomicAdd, atomicMin, atomicMax, atomicAnd and atomicOr are those of CUDA.
DEVICE u32 atomicLoad(const u32* place) { return *const_cast<const volatile u32*>(place); }
DEVICE void atomicStore(u32* place, u32 word) { *const_cast<volatile u32*>(place) = word; }
// Words exchanged between running workgroups.
DEVICE u32 load_relaxed(const u32* place) {
    u32 word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(place));
    return word;
}
DEVICE void store_relaxed(u32* place, u32 word) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(place), "r"(word));
}
// Release: whoever sees the arrival sees all earlier writes of the workgroup.
DEVICE void arrive(u32* place) {
    const u32 one = 1u;
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" : : "l"(place), "r"(one) : "memory");
}
DEVICE u32 load_acquire(const u32* place) {
    u32 word;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(place) : "memory");
    return word;
}
template <class T> DEVICE T workgroupUniformLoad(const T* place) {
    barrier();
    const T loaded = *place;
    barrier();
    return loaded;
}

// Grid-wide barrier between two passes of a cooperative kernel.
DEVICE void meet(const Arguments& at, u32 pass) {
    barrier();
    if (lane() == 0u) {
        const u32 awaited = at.taken + (pass + 1u) * groups().x * groups().y * groups().z;
        arrive(at.turns);
        while (static_cast<i32>(load_acquire(at.turns) - awaited) < 0) {
        }
    }
    barrier();
}

#define KERNEL_IN_STEP_BOUND(...)                                                                                 \
    DEVICE void kernel_pass(const Arguments& at, u32 pass);                                                       \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__) kernel_main(const __grid_constant__ Arguments at) { \
        for (u32 pass = 0u; pass < at.passes; pass++) {                                                           \
            if (pass > 0u) {                                                                                      \
                meet(at, pass - 1u);                                                                              \
            }                                                                                                     \
            if (flat_group() < at.workgroups[pass]) {                                                             \
                kernel_pass(at, pass);                                                                            \
            }                                                                                                     \
        }                                                                                                         \
    }                                                                                                             \
    DEVICE void kernel_pass(const Arguments& at, u32 pass)
#define KERNEL_IN_STEP KERNEL_IN_STEP_BOUND(LANES)
// As KERNEL_IN_STEP; `groups` is the number of resident workgroups per multiprocessor to compile
// for.
#define KERNEL_IN_STEP_BESIDE(groups) KERNEL_IN_STEP_BOUND(LANES, groups)

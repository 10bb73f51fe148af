// common/prelude: definitions shared by all hand-written CUDA sources, after those of
// common/generated.cuh.
//
// Order:    1 PASSES, 2 common/generated.cuh, 3 this text, 4 LANES and the other constants of the
//           kernel, 5 parts translated from WGSL, 6 hand-written parts, 7 the kernel. This is one
//           translation unit without includes.
// Parts:    a translated function keeps its name. It takes `in`, the Context, as its first
//           parameter if it reads bindings or parameters; all may be called with it.
//           `context_of(at, pass)` is the Context.
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
constexpr u32 WARP = 32u;

// For kernels that run with one warp per scheduler: registers are spent on early loads.
#define KERNEL_OF_FEW_WARPS KERNEL(LANES, LANES < WARP ? 8u : LANES < 8u * WARP ? 8u * WARP / LANES : 1u)
#define PARAMS(at) PARAMS_OF(at, 0u)
#define PARAMS_OF(at, pass) reinterpret_cast<const Params&>((at).params[pass])
#define BINDING(number, T, name) \
    DEVICE Array<T>::Type name(const Arguments& at) { return Array<T>::Type{static_cast<T*>(at.binding[number])}; }

template <bool condition, class T, class Otherwise> struct Chosen { using Type = T; };
template <class T, class Otherwise> struct Chosen<false, T, Otherwise> { using Type = Otherwise; };
template <bool condition, class T, class Otherwise> using Choose = typename Chosen<condition, T, Otherwise>::Type;

template <u32 N> using Words = List<u32, N>;
using u32x1 = Vector<u32, 1>;
using u32x2 = Vector<u32, 2>;
using u32x3 = Vector<u32, 3>;
using u32x4 = Vector<u32, 4>;
COMPONENTWISE_OPERATOR(<<)
COMPONENTWISE_OPERATOR(>>)
#define ASSIGNMENT(op) \
    template <class T, u32 N> DEVICE Vector<T, N>& operator op##=(Vector<T, N>& a, Vector<T, N> b) { return a = a op b; }
ASSIGNMENT(+)
ASSIGNMENT(-)
ASSIGNMENT(&)
ASSIGNMENT(|)
ASSIGNMENT(^)
ASSIGNMENT(<<)
ASSIGNMENT(>>)

template <class T> struct ReadOnly {
    const T* data;
    DEVICE T operator[](u32 i) const { return load_read_only(data + i); }
};
template <class T> struct Array { using Type = T*; };
template <class T> struct Array<const T> { using Type = ReadOnly<T>; };

DEVICE u32 lane() { return threadIdx.x; }
DEVICE u32x3 group() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
DEVICE u32x3 groups() { return {gridDim.x, gridDim.y, gridDim.z}; }
// As barrier(); true if any lane votes true.
DEVICE bool barrier_any(bool vote) { return __syncthreads_or(vote) != 0; }

template <class T> DEVICE T select(T otherwise, T chosen, bool condition) { return condition ? chosen : otherwise; }
template <class T> DEVICE T clamp(T value, T least, T most) { return min(max(value, least), most); }
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

DEVICE u32 subgroupShuffle(u32 word, u32 from) { return __shfl_sync(ALL_LANES, word, from); }
DEVICE u32 subgroupShuffleUp(u32 word, u32 distance) { return __shfl_up_sync(ALL_LANES, word, distance); }
DEVICE u32 subgroupShuffleDown(u32 word, u32 distance) { return __shfl_down_sync(ALL_LANES, word, distance); }
DEVICE u32 subgroupBallot(bool vote) { return __ballot_sync(ALL_LANES, vote); }
DEVICE bool subgroupAll(bool vote) { return __all_sync(ALL_LANES, vote) != 0; }

// Words exchanged between running workgroups. Release: whoever sees what arrive() adds sees all
// earlier writes of the workgroup.
DEVICE u32 load_relaxed(const u32* place) {
    u32 word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(place));
    return word;
}
DEVICE void store_relaxed(u32* place, u32 word) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(place), "r"(word));
}

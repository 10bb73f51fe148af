// CUDA C++ extensions, as far as the kernels use them.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>

#include "lanes.h"

#define __device__
#define __global__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)

#define threadIdx lane_place
#define blockIdx block_place
#define gridDim grid_size

struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

inline void __syncthreads() { block_meets(0); }
inline int __syncthreads_or(int vote) { return block_meets(vote != 0); }
inline void __syncwarp() { warp_meets(SYNC, ~0u, 0, 0); }
inline unsigned __shfl_sync(unsigned mask, unsigned word, unsigned from) { return warp_meets(SHUFFLE, mask, word, from); }
inline unsigned __shfl_up_sync(unsigned mask, unsigned word, unsigned distance) {
    return warp_meets(SHUFFLE_UP, mask, word, distance);
}
inline unsigned __shfl_down_sync(unsigned mask, unsigned word, unsigned distance) {
    return warp_meets(SHUFFLE_DOWN, mask, word, distance);
}
inline unsigned __ballot_sync(unsigned mask, bool vote) { return warp_meets(BALLOT, mask, vote, 0); }

inline int __all_sync(unsigned mask, bool vote) { return __ballot_sync(mask, vote) == mask; }

template <class T> T __ldg(const T* place) { return *place; }

template <class T, class Update> T update(T* place, Update changed) {
    const T before = *place;
    *place = changed(before);
    return before;
}
#define ATOMIC(name, result)                                             \
    template <class T, class Given> T name(T* place, Given given) {      \
        const T word = given;                                            \
        return update(place, [=](T before) -> T { return result; });     \
    }
ATOMIC(atomicAdd, before + word)
ATOMIC(atomicSub, before - word)
ATOMIC(atomicMin, before < word ? before : word)
ATOMIC(atomicMax, before > word ? before : word)
ATOMIC(atomicAnd, before & word)
ATOMIC(atomicOr, before | word)
ATOMIC(atomicXor, before ^ word)
ATOMIC(atomicExch, word)
template <class T> T atomicCAS(T* place, T expected, T word) {
    return update(place, [=](T before) { return before == expected ? word : before; });
}

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __clz(unsigned word) { return word == 0 ? 32 : __builtin_clz(word); }
inline int __ffs(unsigned word) { return __builtin_ffs(static_cast<int>(word)); }
inline unsigned __brev(unsigned word) {
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; bit++) {
        reversed |= (word >> bit & 1u) << (31 - bit);
    }
    return reversed;
}
// Origin of addresses within a kernel.
static char somewhere;
inline size_t __cvta_generic_to_shared(const void* place) { return static_cast<const char*>(place) - &somewhere; }
inline void* __cvta_shared_to_generic(unsigned place) { return &somewhere + static_cast<int>(place); }
inline unsigned long long join(unsigned low, unsigned high) { return static_cast<unsigned long long>(high) << 32 | low; }
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned distance) {
    return static_cast<unsigned>(join(low, high) >> (distance & 31u));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned distance) {
    return static_cast<unsigned>(join(low, high) << (distance & 31u) >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
    unsigned chosen = 0;
    for (int byte = 0; byte < 4; byte++) {
        const unsigned from = selector >> (4 * byte) & 7u;
        chosen |= static_cast<unsigned>(join(low, high) >> (8 * from) & 255u) << (8 * byte);
    }
    return chosen;
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

#define MINIMUM_AND_MAXIMUM(T)                       \
    inline T min(T a, T b) { return b < a ? b : a; } \
    inline T max(T a, T b) { return a < b ? b : a; }
MINIMUM_AND_MAXIMUM(int)
MINIMUM_AND_MAXIMUM(unsigned)
MINIMUM_AND_MAXIMUM(long long)
MINIMUM_AND_MAXIMUM(unsigned long long)
MINIMUM_AND_MAXIMUM(float)
MINIMUM_AND_MAXIMUM(double)

inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline double __uint2double_rn(unsigned x) { return x; }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline unsigned __float_as_uint(float x) {
    unsigned bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline long long __double_as_longlong(double x) {
    long long bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
// Rounds to zero, and to the nearest number there is.
template <class To> To saturated(double x) {
    const double low = static_cast<double>(std::numeric_limits<To>::min());
    const double high = static_cast<double>(std::numeric_limits<To>::max());
    return x != x ? To(0) : x <= low ? std::numeric_limits<To>::min() : x >= high ? std::numeric_limits<To>::max() : static_cast<To>(x);
}
inline unsigned __double2uint_rz(double x) { return saturated<unsigned>(x); }
inline int __double2int_rz(double x) { return saturated<int>(x); }
inline unsigned long long __double2ull_rz(double x) { return saturated<unsigned long long>(x); }
inline long long __double2ll_rz(double x) { return saturated<long long>(x); }
inline unsigned __float2uint_rz(float x) { return saturated<unsigned>(x); }
inline int __float2int_rz(float x) { return saturated<int>(x); }
inline unsigned long long __float2ull_rz(float x) { return saturated<unsigned long long>(x); }
inline long long __float2ll_rz(float x) { return saturated<long long>(x); }

// PTX instructions used by the sources, translated to calls with underscores for dots.
inline unsigned long long ptx_mul_wide_u32(unsigned a, unsigned b) { return static_cast<unsigned long long>(a) * b; }
// Like __byte_perm; with the highest bit of a selector set, the byte is filled with its highest
// bit.
inline unsigned ptx_prmt_b32(unsigned low, unsigned high, unsigned selector) {
    unsigned chosen = __byte_perm(low, high, selector);
    for (int byte = 0; byte < 4; byte++) {
        if (selector >> (4 * byte + 3) & 1u) {
            const unsigned sign = chosen >> (8 * byte + 7) & 1u;
            chosen = (chosen & ~(255u << (8 * byte))) | (sign * 255u) << (8 * byte);
        }
    }
    return chosen;
}
inline unsigned ptx_lop3_b32(unsigned a, unsigned b, unsigned c, unsigned table) {
    unsigned result = 0;
    for (unsigned row = 0; row < 8; row++) {
        const unsigned of_row = (row & 4u ? a : ~a) & (row & 2u ? b : ~b) & (row & 1u ? c : ~c);
        result |= table >> row & 1u ? of_row : 0u;
    }
    return result;
}
// Carry flag of a lane. Lanes do not switch between setting and using it.
static unsigned carry_flag;
inline unsigned ptx_addc_cc_u32(unsigned a, unsigned b) {
    const unsigned long long sum = 0ull + a + b + carry_flag;
    carry_flag = static_cast<unsigned>(sum >> 32);
    return static_cast<unsigned>(sum);
}
inline unsigned ptx_add_cc_u32(unsigned a, unsigned b) {
    carry_flag = 0;
    return ptx_addc_cc_u32(a, b);
}
inline unsigned ptx_addc_u32(unsigned a, unsigned b) { return a + b + carry_flag; }
inline unsigned ptx_dp4a_u32_u32(unsigned a, unsigned b, unsigned sum) {
    for (int byte = 0; byte < 4; byte++) {
        sum += (a >> (8 * byte) & 255u) * (b >> (8 * byte) & 255u);
    }
    return sum;
}
template <class T> inline T* ptx_mov_u64(T* place) { return place; }
inline unsigned ptx_mov_u32(unsigned word) { return word; }
inline unsigned ptx_ld_relaxed_gpu_global_u32(const unsigned* place) { return *static_cast<const volatile unsigned*>(place); }
inline void ptx_st_relaxed_gpu_global_u32(unsigned* place, unsigned word) { *static_cast<volatile unsigned*>(place) = word; }
inline unsigned ptx_ld_acquire_gpu_global_u32(const unsigned* place) {
    others_go_on();
    return *static_cast<const volatile unsigned*>(place);
}
inline void ptx_red_release_gpu_global_add_u32(unsigned* place, unsigned word) { atomicAdd(place, word); }

// Lanes of a launch on the CPU: fibers with their own stacks, each of which runs until it waits for
// others.
//
// Checked:  All lanes of a warp take part in the same collective, with a mask of all of them.
//           No lane of a block ends while others wait at a barrier. A violation ends the process.
// Order:    Blocks, warps and lanes run in order, or in random order with CUDA_EMULATOR_SHUFFLE=1:
//           differing answers are races.
// Platform: x86-64 with the System V calling convention.
#include "lanes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

extern "C" {
Dimensions lane_place, block_place, grid_size;
void switch_stack(void** from, void* to);
}

// Saves the callee-saved registers and resumes the other stack.
asm(R"(
.text
.globl switch_stack
.type switch_stack, @function
switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");

namespace {

constexpr unsigned WARP = 32;
constexpr unsigned MOST_LANES = 1024;
constexpr size_t STACK_BYTES = 256 << 10;
constexpr size_t PAGE_BYTES = 4096;

enum State { READY, IN_COLLECTIVE, AT_BARRIER, BEHIND_OTHERS, DONE };

struct Lane {
    char* stack;
    void* stack_pointer;
    State state;
    Collective collective;
    unsigned mask, value, argument, result;
};

Lane lanes[MOST_LANES];
unsigned current, first_of_block;
void* scheduler;
void (*kernel_of_launch)(const void*);
const void* arguments_of_launch;

[[noreturn]] void broken(const char* rule) {
    fprintf(stderr, "CUDA emulator: %s: block (%u, %u, %u)\n", rule, block_place.x, block_place.y, block_place.z);
    abort();
}

void wait(State state) {
    lanes[current].state = state;
    switch_stack(&lanes[current].stack_pointer, scheduler);
}

void run_kernel() {
    kernel_of_launch(arguments_of_launch);
    wait(DONE);
    abort();
}

void start(Lane& lane) {
    if (!lane.stack) {
        // An overflow hits the guard page below the stack.
        void* pages = mmap(nullptr, STACK_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE) != 0) {
            broken("there is no memory for stacks");
        }
        lane.stack = static_cast<char*>(pages) + PAGE_BYTES;
    }
    void** top = reinterpret_cast<void**>(lane.stack + STACK_BYTES);
    *--top = nullptr;
    *--top = reinterpret_cast<void*>(run_kernel);
    for (int saved = 0; saved < 6; saved++) {
        *--top = nullptr;
    }
    lane.stack_pointer = top;
    lane.state = READY;
}

void run(unsigned number) {
    current = number;
    lane_place = {number - first_of_block, 0, 0};
    switch_stack(&scheduler, lanes[number].stack_pointer);
}

unsigned count(unsigned first, unsigned end, State state) {
    return std::count_if(lanes + first, lanes + end, [=](const Lane& lane) { return lane.state == state; });
}

// Computes the results of a warp's collective for its lanes.
void resolve(unsigned first, unsigned end) {
    unsigned there = 0, ballot = 0;
    for (unsigned number = first; number < end; number++) {
        if (lanes[number].state == IN_COLLECTIVE) {
            there |= 1u << (number - first);
            ballot |= unsigned(lanes[number].value != 0) << (number - first);
        }
    }
    const Collective collective = lanes[first + __builtin_ctz(there)].collective;
    for (unsigned number = first; number < end; number++) {
        Lane& lane = lanes[number];
        if (lane.state != IN_COLLECTIVE) {
            continue;
        }
        if (lane.collective != collective) {
            broken("lanes of a warp meet in different collectives");
        }
        if (lane.mask != there) {
            broken("the mask of a collective names lanes that are not there");
        }
        const unsigned own = number - first;
        switch (collective) {
            case SHUFFLE: lane.result = lanes[first + lane.argument % WARP].value; break;
            case SHUFFLE_UP: lane.result = lanes[own < lane.argument ? number : number - lane.argument].value; break;
            case SHUFFLE_DOWN: lane.result = lanes[number + lane.argument < end ? number + lane.argument : number].value; break;
            case BALLOT: lane.result = ballot; break;
            case SYNC: break;
        }
    }
    for (unsigned number = first; number < end; number++) {
        if (lanes[number].state == IN_COLLECTIVE) {
            lanes[number].state = READY;
        }
    }
}

// Order in which `count` blocks, warps or lanes run.
std::vector<unsigned> turns(unsigned count) {
    static const bool shuffles = getenv("CUDA_EMULATOR_SHUFFLE") != nullptr;
    static std::mt19937 random;
    std::vector<unsigned> order(count);
    std::iota(order.begin(), order.end(), 0);
    if (shuffles) {
        std::shuffle(order.begin(), order.end(), random);
    }
    return order;
}

// Runs a warp until all its lanes have ended or wait for the block or for other blocks.
void run_warp(unsigned first, unsigned end) {
    for (;;) {
        for (unsigned own : turns(end - first)) {
            if (lanes[first + own].state == READY) {
                run(first + own);
            }
        }
        if (count(first, end, IN_COLLECTIVE) == 0) {
            return;
        }
        if (count(first, end, AT_BARRIER) != 0) {
            broken("lanes of a warp wait at a barrier and in a collective");
        }
        resolve(first, end);
    }
}

// Runs a block until it ends or yields to other blocks; returns whether it has ended.
bool run_block(unsigned block, unsigned first, unsigned block_lanes) {
    const unsigned end = first + block_lanes;
    block_place = {block % grid_size.x, block / grid_size.x % grid_size.y, block / grid_size.x / grid_size.y};
    first_of_block = first;
    for (;;) {
        for (unsigned warp : turns((block_lanes + WARP - 1) / WARP)) {
            run_warp(first + warp * WARP, std::min(first + warp * WARP + WARP, end));
        }
        if (count(first, end, DONE) == block_lanes) {
            return true;
        }
        if (count(first, end, BEHIND_OTHERS) != 0) {
            std::for_each(lanes + first, lanes + end, [](Lane& lane) {
                lane.state = lane.state == BEHIND_OTHERS ? READY : lane.state;
            });
            return false;
        }
        if (count(first, end, DONE) != 0) {
            broken("lanes are done where others wait at a barrier");
        }
        const bool voted = std::any_of(lanes + first, lanes + end, [](const Lane& lane) { return lane.value != 0; });
        for (unsigned number = first; number < end; number++) {
            lanes[number].state = READY;
            lanes[number].result = voted;
        }
    }
}

// Runs the grid, `together` blocks at a time.
void run_grid(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned block_lanes, unsigned together) {
    // Workgroup memory is the kernel's static memory.
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> guard(one_at_a_time);
    kernel_of_launch = kernel;
    arguments_of_launch = arguments;
    grid_size = blocks;
    const std::vector<unsigned> order = turns(blocks.x * blocks.y * blocks.z);
    for (size_t begun = 0; begun < order.size(); begun += together) {
        const unsigned count = std::min<size_t>(together, order.size() - begun);
        std::for_each(lanes, lanes + count * block_lanes, start);
        std::vector<bool> done(count);
        while (std::find(done.begin(), done.end(), false) != done.end()) {
            for (unsigned place : turns(count)) {
                done[place] = done[place] || run_block(order[begun + place], place * block_lanes, block_lanes);
            }
        }
    }
}

}  // namespace

unsigned block_meets(unsigned vote) {
    const unsigned number = current;
    lanes[number].value = vote;
    wait(AT_BARRIER);
    return lanes[number].result;
}

unsigned warp_meets(Collective collective, unsigned mask, unsigned value, unsigned argument) {
    const unsigned number = current;
    lanes[number].collective = collective;
    lanes[number].mask = mask;
    lanes[number].value = value;
    lanes[number].argument = argument;
    wait(IN_COLLECTIVE);
    return lanes[number].result;
}

void others_go_on() {
    wait(BEHIND_OTHERS);
}

unsigned lanes_at_once() {
    return MOST_LANES;
}

void launch(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned block_lanes) {
    run_grid(kernel, arguments, blocks, block_lanes, 1);
}

void launch_at_once(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned block_lanes) {
    run_grid(kernel, arguments, blocks, block_lanes, blocks.x * blocks.y * blocks.z);
}

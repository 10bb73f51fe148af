// Lanes of a launch on the CPU: what kernels and the driver need of them.
#pragma once

struct Dimensions {
    unsigned x, y, z;
};

// What a collective of a warp gives its lanes.
enum Collective { SHUFFLE, SHUFFLE_UP, BALLOT, SYNC };

extern "C" {
extern Dimensions lane_place, block_place, grid_size;

// Waits for all lanes of the block.
void block_meets();

// Waits for the lanes of the mask, all of the warp that are there, and gives what the collective makes of their values.
unsigned warp_meets(Collective collective, unsigned mask, unsigned value, unsigned argument);

// Runs a kernel, one block after the other.
void launch(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned lanes);
}

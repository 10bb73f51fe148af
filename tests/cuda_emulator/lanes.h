// Lanes of a launch on the CPU: interface for kernels and the driver.
#pragma once

struct Dimensions {
    unsigned x, y, z;
};

// Collectives of a warp.
enum Collective { SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, BALLOT, SYNC };

extern "C" {
extern Dimensions lane_place, block_place, grid_size;

// Waits for all lanes of the block; returns whether any of them votes.
unsigned block_meets(unsigned vote);

// Waits for the lanes of the mask, which must be all lanes of the warp, and returns the collective
// of their values.
unsigned warp_meets(Collective collective, unsigned mask, unsigned value, unsigned argument);

// Yields to all other lanes; required while waiting for a word of another block.
void others_go_on();

// Maximum number of lanes of blocks that run simultaneously.
unsigned lanes_at_once();

// Runs a kernel without workgroup memory, whose blocks may wait for each other.
void launch_at_once(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned lanes);

// Runs a kernel, one block after the other.
void launch(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned lanes);
}

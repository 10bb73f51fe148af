// Lanes of a launch on the CPU: what kernels and the driver need of them.
#pragma once

struct Dimensions {
    unsigned x, y, z;
};

// What a collective of a warp gives its lanes.
enum Collective { SHUFFLE, SHUFFLE_UP, SHUFFLE_DOWN, BALLOT, SYNC };

extern "C" {
extern Dimensions lane_place, block_place, grid_size;

// Waits for all lanes of the block, and tells whether any of them votes.
unsigned block_meets(unsigned vote);

// Waits for the lanes of the mask, all of the warp that are there, and gives what the collective makes of their values.
unsigned warp_meets(Collective collective, unsigned mask, unsigned value, unsigned argument);

// Lets all others go on first: who waits for a word of another block has to.
void others_go_on();

// Lanes that blocks which run at once may have.
unsigned lanes_at_once();

// Runs a kernel without workgroup memory, whose blocks may wait for each other.
void launch_at_once(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned lanes);

// Runs a kernel, one block after the other.
void launch(void (*kernel)(const void*), const void* arguments, Dimensions blocks, unsigned lanes);
}

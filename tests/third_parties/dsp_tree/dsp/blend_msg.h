// What the program and the DSP send each other.
#ifndef BLEND_MSG_H
#define BLEND_MSG_H

#include <stdint.h>

enum blend_op { BLEND_MIX = 1, BLEND_SCALE = 2, BLEND_MATRIX = 3, BLEND_COUNTERS = 4 };

// The buffers are a, b, result: `count` words each.
struct blend_request {
    uint32_t op;
    uint32_t count;
    int32_t weight;
};

struct blend_response {
    int32_t status;
    uint32_t arch;
    uint32_t threads;
};

#endif

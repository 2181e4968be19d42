/* weights.h: the stream of weights that a load reads. */
#ifndef BUILDTOOL_HMX_WEIGHTS_H
#define BUILDTOOL_HMX_WEIGHTS_H

#include "state.h"

#define VECTOR 128u

struct stream {
    const uint8_t *bytes;
    uint32_t next, left; /* channels: the next one, and how many are left */
    enum type type;
    bool bf16, subtracts;
};

/* Opens the stream of a load; it is empty if Rt is negative. */
bool open_stream(struct unit *unit, const struct operation *weight, const uint32_t *registers,
                 struct stream *stream);

/* Whether a type has less than 8 bits, and so always all channels. */
bool is_narrow(enum type type);

/* Weights of up to 32 channels, for each output channel. */
struct fixed_weights {
    lanes low[CHANNELS][GROUPS], high[CHANNELS][GROUPS];
};

/* Read the weights of the next `count` channels. Return the number of those that they have. */
unsigned next_fixed(struct stream *stream, unsigned count, struct fixed_weights *weights);

/* As the bits of fp16 or bf16; missing ones are 0. */
unsigned next_halves(struct stream *stream, unsigned count, uint16_t halves[CHANNELS][CHANNELS]);

/* An f8 as fp16. */
static inline uint16_t half_of_f8(uint8_t byte)
{
    return byte == 0x80 ? 0xfe00 : (uint16_t)((byte & 0x80u) << 8 | (byte & 0x7fu) << 7);
}

#endif

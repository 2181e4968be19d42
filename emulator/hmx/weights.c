/* weights.c: reads weights of all types. */
#include "weights.h"

#include <string.h>

#define STREAM_BYTES_MAX 65536u

static unsigned channels_per_vector(enum type type)
{
    switch (type) {
    case HF:
        return 2;
    case NIBBLE:
        return 8;
    case CRUMB:
    case SIGNED_CRUMB:
        return 16;
    case BIT:
    case SIGNED_BIT:
        return 32;
    default:
        return 4;
    }
}

bool is_narrow(enum type type)
{
    return channels_per_vector(type) > 4;
}

static uint32_t most_bytes(enum type type)
{
    return is_narrow(type) ? STREAM_BYTES_MAX / (channels_per_vector(type) / 4) : STREAM_BYTES_MAX;
}

bool open_stream(struct unit *unit, const struct operation *weight, const uint32_t *registers,
                 struct stream *stream)
{
    const uint32_t rs = registers[0], rt = registers[1], first = rs & ~(VECTOR - 1);
    const uint32_t last = (first + rt) | (VECTOR - 1);
    *stream = (struct stream){
        .type = weight->type,
        .bf16 = unit->arch >= 0x81 && (rs >> 6 & 1u) != 0,
        .subtracts = unit->arch > 0x68 && (rs >> 5 & 1u) != 0,
    };
    if ((rs >> 4 & 1u) != 0) {
        return refuse(unit, first, "%s with Rs[4] set: compressed weights are not emulated",
                      weight->syntax);
    }
    if ((int32_t)rt < 0 || last < first) {
        return true;
    }
    const uint32_t size = last - first + 1, most = most_bytes(weight->type);
    stream->bytes = memory_at(unit, first, size, weight->syntax);
    stream->left = (size < most ? size : most) / VECTOR * channels_per_vector(weight->type);
    return stream->bytes != NULL;
}

/* Moves on behind `count` channels, whose first one is `from`. Returns how many of them there are. */
static unsigned advance(struct stream *stream, unsigned count, uint32_t *from)
{
    const uint32_t available = stream->left < count ? stream->left : count;
    *from = stream->next;
    stream->next += available;
    stream->left -= available;
    return available;
}

/* One weight: of channel i of the vector. */
static int32_t decode(enum type type, uint8_t byte, unsigned i)
{
    static const int8_t crumbs[] = {0, 1, -2, -1}, signed_crumbs[] = {2, 1, -2, -1};
    const unsigned crumb = byte >> (i / 4 * 2) & 3u;
    switch (type) {
    case SIGN_MAGNITUDE:
        return byte < 128 ? byte : 127 - byte;
    case NIBBLE:
        return (int8_t)(byte << (i < 4 ? 4 : 0)) >> 4;
    case CRUMB:
        return crumbs[crumb];
    case SIGNED_CRUMB:
        return signed_crumbs[crumb];
    case BIT:
        return byte >> (i / 4) & 1;
    case SIGNED_BIT:
        return 1 - 2 * (byte >> (i / 4) & 1);
    default:
        return (int8_t)byte;
    }
}

unsigned next_fixed(struct stream *stream, unsigned count, struct fixed_weights *weights)
{
    const unsigned each = channels_per_vector(stream->type);
    uint32_t from;
    const unsigned available = advance(stream, count, &from);
    for (unsigned k = 0; k < available; k++) {
        const uint32_t i = from + k;
        const uint8_t *vector = stream->bytes + (size_t)(i / each) * VECTOR;
        for (unsigned o = 0; o < CHANNELS; o++) {
            const uint8_t byte = vector[4 * o + i % 4];
            int32_t low = (int8_t)(byte << 4) >> 4, high = (int8_t)byte >> 4;
            if (stream->type != NIBBLE_2X) {
                const int32_t weight = decode(stream->type, byte, i % each);
                low = is_narrow(stream->type) ? weight : (int8_t)((uint32_t)weight << 4) >> 4;
                high = (weight - low) / 16;
            }
            weights->low[k][o / LANES][o % LANES] = low;
            weights->high[k][o / LANES][o % LANES] = high;
        }
    }
    return available;
}

unsigned next_halves(struct stream *stream, unsigned count, uint16_t halves[CHANNELS][CHANNELS])
{
    static const uint8_t order[] = {0, 2, 1, 3};
    uint32_t from;
    const unsigned available = advance(stream, count, &from);
    memset(halves, 0, CHANNELS * sizeof *halves);
    for (size_t k = 0; k < available; k++) {
        const size_t i = from + k;
        for (size_t o = 0; o < CHANNELS; o++) {
            if (stream->type == F8) {
                halves[k][o] = half_of_f8(stream->bytes[i / 4 * VECTOR + 4 * o + order[i % 4]]);
            } else {
                memcpy(&halves[k][o], stream->bytes + i / 2 * VECTOR + 4 * o + 2 * (i % 2), 2);
            }
        }
    }
    return available;
}

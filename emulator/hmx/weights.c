/* weights.c: reads weights of all types. */
#include "weights.h"

#include <string.h>

#define STREAM_BYTES_MAX 73728u
#define STREAM_BYTES_MAX_V68 65536u

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

static uint32_t most_bytes(enum type type, uint32_t arch)
{
    const unsigned in_byte = type == NIBBLE_2X ? 2 : channels_per_vector(type) / 4;
    return (arch < 0x69 ? STREAM_BYTES_MAX_V68 : STREAM_BYTES_MAX) / (in_byte == 0 ? 1 : in_byte);
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
    const uint32_t size = last - first + 1, most = most_bytes(weight->type, unit->arch);
    stream->bytes = memory_at(unit, first, size, weight->syntax);
    stream->vectors = (size < most ? size : most) / VECTOR;
    return stream->bytes != NULL;
}

/* Moves on behind the vectors of `count` channels. Returns how many channels they have. */
static unsigned advance(struct stream *stream, unsigned count, const uint8_t **bytes)
{
    const unsigned each = channels_per_vector(stream->type);
    const uint32_t left = stream->vectors - stream->next, wanted = (count + each - 1) / each;
    *bytes = stream->bytes + (size_t)stream->next * VECTOR;
    stream->next += wanted < left ? wanted : left;
    return left * each < count ? left * each : count;
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
    const uint8_t *bytes;
    const unsigned available = advance(stream, count, &bytes);
    for (unsigned k = 0; k < available; k++) {
        const uint8_t *vector = bytes + (size_t)(k / each) * VECTOR;
        for (unsigned o = 0; o < CHANNELS; o++) {
            const uint8_t byte = vector[4 * o + k % 4];
            int32_t low = (int8_t)(byte << 4) >> 4, high = (int8_t)byte >> 4;
            if (stream->type != NIBBLE_2X) {
                const int32_t weight = decode(stream->type, byte, k % each);
                low = is_narrow(stream->type) ? weight : (int8_t)(weight << 4) >> 4;
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
    const uint8_t *bytes;
    const unsigned available = advance(stream, count, &bytes);
    memset(halves, 0, CHANNELS * sizeof *halves);
    for (size_t k = 0; k < available; k++) {
        for (size_t o = 0; o < CHANNELS; o++) {
            if (stream->type == F8) {
                halves[k][o] = half_of_f8(bytes[k / 4 * VECTOR + 4 * o + order[k % 4]]);
            } else {
                memcpy(&halves[k][o], bytes + k / 2 * VECTOR + 4 * o + 2 * (k % 2), 2);
            }
        }
    }
    return available;
}

/* multiply.c: a pair of an activation and a weight load: which products go to which accumulators. */
#include <string.h>

#include "geometry.h"
#include "kernels.h"

#define FIXED_STEPS 512 /* of 4 channels */
#define FLOAT_STEPS 128 /* of 8, or twice as many of 4 */
#define FIXED_BLOCKS 64
#define FLOAT_BLOCKS 32

struct taps {
    uint32_t first, last, step;
};

static struct taps taps_of(const struct operation *load, uint32_t start, uint32_t count)
{
    const bool rest = load->above || load->after;
    return (struct taps){
        .first = rest || load->single ? start : 0,
        .last = rest         ? count - 1
                : load->deep ? 0
                             : start,
        .step = load->dilate ? 2 : 1,
    };
}

struct pair {
    struct unit *unit;
    enum half half;
    struct place place;
    struct stream stream;
    struct taps x, y;
    unsigned first, last, group, blocks; /* channels of the first and of the last block */
    bool is_deep, both_sets, drops;
    uint8_t *crouton, *second;
    unsigned channel_bytes, steps; /* from one channel to the next; steps that are left */
    struct float_format format;
    union {
        struct fixed_weights fixed;
        struct float_weights floats;
    } weights;
    struct exact_weights exact;
};

/* ---- channels ---- */

static unsigned most_blocks(const struct pair *pair)
{
    return pair->half == FLOAT ? FLOAT_BLOCKS : FIXED_BLOCKS;
}

/* How many croutons Rt asks for. */
static unsigned blocks_of(const struct pair *pair)
{
    const int32_t distance = pair->place.distance;
    return !pair->is_deep ? 1 : distance < 0 ? 0 : (unsigned)(distance / (int32_t)CROUTON + 1);
}

static void set_channels(struct pair *pair, const uint32_t *registers, bool channel_major)
{
    const unsigned shift = channel_major ? 0 : 2;
    const uint32_t start = registers[0] >> shift & 31u, stop = registers[1] >> shift & 31u;
    pair->first = start;
    pair->last = stop;
    pair->group = CHANNELS;
    pair->blocks = blocks_of(pair);
    if (pair->is_deep) {
        pair->blocks = pair->blocks > most_blocks(pair) ? most_blocks(pair) : pair->blocks;
    } else if (start > stop) {
        const uint32_t bits = ((stop - start) ^ start ^ stop) << 2 & 0xffu;
        pair->group = CHANNELS >> __builtin_clz(~(bits << 24));
        pair->first = start & (pair->group - 1);
        pair->last = stop & (pair->group - 1);
    }
}

/* Stores the first channel of a block, and returns the number of channels. */
static unsigned channels_of(const struct pair *pair, unsigned block, unsigned *from)
{
    const bool narrow = is_narrow(pair->stream.type);
    unsigned first = block == 0 ? pair->first : 0;
    unsigned last = block == pair->blocks - 1 ? pair->last : CHANNELS - 1;
    if ((first & ~3u) > (last | 3u)) {
        return 0;
    }
    if (narrow) {
        first = 0;
        last = pair->group - 1;
    } else if (pair->group == 2) {
        first &= ~1u;
        last |= 1u;
    } else if (pair->group > 2) {
        const bool eights = pair->half == FLOAT && pair->format.step == EIGHT;
        first &= eights && pair->group >= EIGHT ? ~7u : ~3u;
        last |= 3u;
    }
    *from = first;
    return last - first + 1;
}

/* ---- products ---- */

/* Reads the weights of channels. Returns how many of them are multiplied. */
static unsigned next_weights(struct pair *pair, unsigned count)
{
    const unsigned size = pair->half == FLOAT ? pair->format.step : 4;
    const unsigned steps = (count + size - 1) / size;
    const unsigned done = steps < pair->steps ? steps : pair->steps;
    unsigned available;
    pair->steps -= done;
    if (pair->half == FIXED) {
        available = next_fixed(&pair->stream, count, &pair->weights.fixed);
    } else {
        /* If the first channel of a step has its weight, the others take part with weights of 0. */
        available = next_halves(&pair->stream, count, pair->weights.floats.halves);
        available = (available + size - 1) / size * size;
        available = available < count ? available : count;
        prepare_floats(&pair->weights.floats, &pair->format);
        if (pair->unit->arch < 0x73) {
            prepare_exact(&pair->exact, &pair->weights.floats);
        }
    }
    return available < done * size ? available : done * size;
}

static void add(struct pair *pair, unsigned set, unsigned position, const struct channels *channels)
{
    struct unit *unit = pair->unit;
    if (pair->half == FIXED) {
        add_fixed(&unit->fixed[set][position], channels, &pair->weights.fixed);
    } else if (unit->arch < 0x73) {
        add_exact(&unit->exact[set][position], channels, &pair->exact, pair->stream.subtracts);
    } else {
        add_floats(&unit->floats[set][position], channels, &pair->weights.floats, &pair->format);
    }
}

/* Multiplies the channels of a block at all positions, for one tap. */
static void add_tap(struct pair *pair, unsigned block, uint32_t ty, unsigned set, uint32_t tx)
{
    const struct place *place = &pair->place;
    struct channels channels = {.stride = pair->channel_bytes, .group = pair->group};
    const unsigned count = channels_of(pair, block, &channels.first);
    channels.count = next_weights(pair, count);
    for (uint32_t y = 0; channels.count > 0 && y < place->ny; y++) {
        const uint32_t from = y + ty;
        const uint8_t *crouton = from < place->ny ? pair->crouton + (size_t)block * CROUTON
                                                  : pair->second;
        for (uint32_t x = 0; x < place->nx; x++) {
            const uint32_t to = x + tx;
            if (to >= place->nx && pair->drops) {
                continue;
            }
            channels.bytes = crouton + offset_at(place, x, from % place->ny);
            add(pair, to < place->nx ? set : set ^ 1u, position_at(place, to % place->nx, y),
                &channels);
        }
    }
}

static void add_all(struct pair *pair)
{
    const unsigned current = pair->unit->current[pair->half];
    for (unsigned block = 0; block < pair->blocks; block++) {
        for (uint32_t ty = pair->y.first; ty <= pair->y.last; ty += pair->y.step) {
            for (unsigned set = 0; set <= pair->both_sets; set++) {
                for (uint32_t tx = pair->x.first; tx <= pair->x.last; tx += pair->x.step) {
                    add_tap(pair, block, ty, current ^ set, tx);
                }
            }
        }
    }
}

/* ---- pairs ---- */

/* Whether the types of a pair belong together; otherwise it is not known what it does. */
static bool fits(const struct operation *activation, const struct operation *weight)
{
    if (activation->type == UB) {
        return weight->type >= BYTE;
    }
    return weight->type == HF || weight->type == F8;
}

static bool check_sets(struct pair *pair, const struct operation *activation)
{
    const unsigned current = pair->unit->current[pair->half];
    const bool other = pair->both_sets || (pair->x.last > 0 && !pair->drops);
    const bool *defined = pair->unit->defined[pair->half];
    if (is_strict(pair->unit) && (!defined[current] || (other && !defined[current ^ 1u]))) {
        return refuse(
            pair->unit, 0,
            "%s adds to accumulators that were not cleared since HMX was locked: %s comes "
            "first",
            activation->syntax, pair->half == FLOAT ? "mxclracc.hf" : "mxclracc");
    }
    return true;
}

bool multiply(struct unit *unit, const struct operation *activation, const uint32_t *registers,
              const struct operation *weight, const uint32_t *weight_registers)
{
    static struct pair pair; /* it is large */
    const bool floats = activation->type != UB;
    const uint32_t mask = (activation->channel_major ? MASK_CHANNEL_MAJOR : MASK_SPATIAL) &
                          ~(floats ? 1u : 0u);
    pair = (struct pair){
        .unit = unit,
        .half = floats ? FLOAT : FIXED,
        .place = place_of(registers[0], registers[1], mask),
        .is_deep = activation->deep,
        .both_sets = weight->deep,
        .drops = weight->drop || weight->deep,
        .channel_bytes = activation->channel_major ? 1 : 4,
        .steps = !floats              ? FIXED_STEPS
                 : unit->arch <= 0x73 ? 2 * FLOAT_STEPS
                                      : FLOAT_STEPS,
    };
    const int32_t most = unit->arch >= 0x81 ? 255 : 63;
    pair.x = taps_of(weight, pair.place.x0, pair.place.nx);
    pair.y = taps_of(activation, pair.place.y0, pair.place.ny);
    set_channels(&pair, registers, activation->channel_major);
    if (!fits(activation, weight)) {
        return !is_strict(unit) || refuse(unit, 0, "%s with %s: what such a pair does is not known",
                                          activation->syntax, weight->syntax);
    }
    if (is_strict(unit) && blocks_of(&pair) > most_blocks(&pair)) {
        return refuse(unit, 0, "%s of %u tiles: one pair multiplies %u, and drops the others",
                      activation->syntax, blocks_of(&pair), most_blocks(&pair));
    }
    const bool second = pair.is_deep ? pair.place.distance >= 0 : pair.y.last > 0;
    pair.crouton = croutons(unit, &pair.place, second, &pair.second, activation->syntax);
    if (pair.crouton == NULL || !check_sets(&pair, activation) ||
        !open_stream(unit, weight, weight_registers, &pair.stream)) {
        return false;
    }
    pair.format = (struct float_format){
        .bf16 = pair.stream.bf16,
        .f8 = activation->type == F8,
        .f8_weights = weight->type == F8,
        .f8_nan = unit->arch < 0x81,
        .step = unit->arch <= 0x73 ? FOUR : EIGHT,
        .high_byte = registers[0] & 1u,
        .subtracts = pair.stream.subtracts,
        .infinities = (unit->usr >> 20 & 1u) != 0,
        .least = -most - 1,
        .most = most,
    };
    if (!floats || has_float(unit)) {
        add_all(&pair);
    }
    return true;
}

void clear_set(struct unit *unit, enum half half, unsigned set)
{
    unit->defined[half][set] = true;
    if (half == FIXED) {
        memset(unit->fixed[set], 0, sizeof unit->fixed[set]);
        return;
    }
    memset(unit->floats[set], 0, sizeof unit->floats[set]);
    memset(unit->exact[set], 0, sizeof unit->exact[set]);
    for (unsigned r = 0; r < ROWS; r++) {
        for (unsigned g = 0; g < GROUPS; g++) {
            unit->floats[set][r].exp[g] -= unit->arch >= 0x81 ? 256 : 64;
        }
    }
}

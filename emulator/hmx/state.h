/* state.h: the registers of HMX, and what its instructions are. docs/hmx.md describes them. */
#ifndef BUILDTOOL_HMX_STATE_H
#define BUILDTOOL_HMX_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unit.h"

#define CHANNELS 32
#define POSITIONS 64
#define ROWS 32
#define CROUTON 2048u
#define CROUTON_MASK (~(CROUTON - 1))
#define STATES 3 /* of converts */
#define BIAS_SETS 4

enum kind {
    ACTIVATION,
    WEIGHT,
    BIAS_LOAD,
    BIAS_STORE,
    CLEAR,
    SWAP,
    SHIFT,
    DIRECT, /* a convert that stores */
    CONVERT,
    STORE,
    PRINT
};
enum type {
    UB,
    UH,
    HF,
    F8,
    BYTE,
    SIGN_MAGNITUDE,
    NIBBLE,
    NIBBLE_2X,
    CRUMB,
    SIGNED_CRUMB,
    BIT,
    SIGNED_BIT
};

struct operation {
    enum kind kind;
    enum type type;
    bool channel_major, retain, saturates, positive, before, after;
    bool above, single, dilate, drop, deep; /* the form of a load, with after */
    bool two_by_two, words;                 /* acc:2x2; mxmem2 */
    uint32_t scale_half;                    /* 1 for :sc0, 2 for :sc1 */
    const char *syntax;
    uint32_t first, last;
};

/* ---- the vectors of the build machine ---- */

#define LANES 8
#define GROUPS (CHANNELS / LANES)
typedef int32_t lanes __attribute__((vector_size(LANES * 4)));

/* The accumulators of one row: from v73 on, an integer, an exponent and a flag for each channel. */
struct float_row {
    lanes sig[GROUPS], exp[GROUPS], inf[GROUPS];
};

/* The same on v68 and v69: units of 2^-48, and whether it has overflowed: 1, or -1 if downwards. */
struct exact_row {
    __int128 sum[CHANNELS];
    int8_t overflow[CHANNELS];
};

struct fixed_cell {
    lanes low[GROUPS], high[GROUPS];
};

enum half { FIXED, FLOAT };

typedef uint16_t cells[POSITIONS][CHANNELS];

struct unit {
    uint32_t arch, mode, usr, turn;
    uint8_t *vtcm;
    uint32_t vtcm_address, vtcm_bytes;
    unsigned current[2]; /* of the sets, for each half */
    bool defined[2][2];  /* for each half and set: cleared since the thread has locked HMX */
    uint32_t bias_sets;  /* those loaded since then, as bits */
    struct fixed_cell fixed[2][POSITIONS];
    struct float_row floats[2][ROWS];
    struct exact_row exact[2][ROWS];
    uint64_t bias[BIAS_SETS][CHANNELS];
    cells states[STATES]; /* of converts, the current one first */
    cells last[2];        /* what the last convert of each half left */
    struct hmx_reply *reply;
};

static inline bool is_strict(const struct unit *unit)
{
    return (unit->mode & HMX_STRICT) != 0;
}

static inline bool has_float(const struct unit *unit)
{
    return (unit->mode & HMX_ZEROS) == 0;
}

/* Says why the packet is not executed. Returns false. */
bool refuse(struct unit *unit, uint32_t address, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The operation of a form that exists. */
const struct operation *operation_of(uint32_t form);

/* Returns the memory at an address, or refuses if not all of it is in VTCM. */
uint8_t *memory_at(struct unit *unit, uint32_t address, uint64_t size, const char *what);

/* Multiplies and adds, clears, converts, and stores. They return false if the packet is refused. */
bool multiply(struct unit *unit, const struct operation *activation, const uint32_t *registers,
              const struct operation *weight, const uint32_t *weight_registers);
void clear_set(struct unit *unit, enum half half, unsigned set);
bool convert(struct unit *unit, const struct operation *operation, uint32_t rs);
bool store(struct unit *unit, const struct operation *operation, uint32_t rs, uint32_t rt);

#endif

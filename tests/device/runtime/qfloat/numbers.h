/* numbers.h: what qf32 and qf16 are, and what instructions compute with them, from v79 on, in integers.
 *
 * It does what ../qfloat_reference.py does, a thousand times as fast, and shares nothing with the
 * emulated device either. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

typedef __int128 wide;

enum kind { NUMBER, INFINITE, NOT_A_NUMBER };

struct number {
    enum kind kind;
    int64_t units; /* the number is units * 2^(exponent - fraction) */
    int fraction, exponent;
    bool late; /* it was negated after it was rounded; of IEEE numbers, it is negative */
    bool more; /* what was computed is a little above the number before it was negated */
};

struct lane {
    uint32_t bits, more;
};

struct format {
    int fraction, least, greatest;
    struct lane nan[2], infinity[2], overflow[2], underflow[2]; /* of a sign */
};

static const struct format qf32 = {
    .fraction = 23,
    .least = -255,
    .greatest = 256,
    .nan = {{0x7fffff7f, 13}, {0x8000007f, 0}},
    .infinity = {{0x7fffff7f, 8}, {0x8000007f, 5}},
    .overflow = {{0x7fffff7f, 9}, {0x8000007f, 4}},
    .underflow = {{0x80, 1}, {0xffffff80, 12}},
};
static const struct format qf16 = {
    .fraction = 10,
    .least = -15,
    .greatest = 16,
    .nan = {{0x7fff, 3}, {0x801f, 0}},
    .infinity = {{0x7fff, 2}, {0x801f, 1}},
    .overflow = {{0x7fff, 2}, {0x801f, 1}},
    .underflow = {{0, 0}, {0xffe0, 3}},
};

static inline bool is_negative(struct number x)
{
    return x.units < 0 || (x.units == 0 && x.late);
}
static inline struct number opposite(struct number x)
{
    x.units = -x.units;
    x.late = !x.late;
    return x;
}
static inline int bits_of(uint64_t x)
{
    return x == 0 ? 0 : 64 - __builtin_clzll(x);
}
static inline uint64_t size_of(struct number x)
{
    return (uint64_t)(x.units < 0 ? -x.units : x.units);
}

/* ---- decoding ---- */

static inline struct number of_qf32(struct lane x)
{
    const int l = x.more >> 3 & 1, r = x.more >> 2 & 1, e = x.more >> 1 & 1, q = x.more & 1;
    struct number found = {.fraction = 23, .late = r, .more = r != q};
    found.units = 2 * (int64_t)((int32_t)x.bits >> 8) + l + r;
    found.exponent = (((int)(x.bits & 0xff) + 256 * e + 512 - 128) % 512) - 255;
    if (x.bits == 0x7fffff7f && (x.more & 10) == 8) {
        found.kind = (x.more & 4) != 0 ? NOT_A_NUMBER : INFINITE;
    } else if (x.bits == 0x8000007f && (x.more & 10) == 0) {
        found.kind = (x.more & 4) != 0 ? INFINITE : NOT_A_NUMBER;
    }
    return found;
}
static inline struct number of_qf16(struct lane x)
{
    struct number found = {.fraction = 10, .late = x.more & 1};
    found.units = 2 * (int64_t)((int16_t)x.bits >> 5) + (x.more >> 1 & 1) + (x.more & 1);
    found.exponent = (int)(x.bits & 31) - 15;
    if ((x.bits == 0x7fff && x.more == 2) || (x.bits == 0x801f && x.more == 1)) {
        found.kind = INFINITE;
    } else if ((x.bits == 0x7fff && x.more == 3) || (x.bits == 0x801f && x.more == 0)) {
        found.kind = NOT_A_NUMBER;
    }
    return found;
}
static inline struct number of_ieee(uint32_t bits, int exponent, int fraction)
{
    const uint32_t top = (1u << exponent) - 1, field = bits >> fraction & top;
    const uint32_t low = bits & ((1u << fraction) - 1);
    const bool negative = bits >> (exponent + fraction) & 1;
    const int64_t size = (int64_t)low | (int64_t)(field != 0) << fraction;
    struct number found = {.fraction = fraction, .late = negative};
    found.units = negative ? -size : size;
    found.exponent = (int)(field == 0 ? 1 : field) - (int)(top >> 1);
    if (field == top) {
        found.kind = low != 0 ? NOT_A_NUMBER : INFINITE;
    }
    return found;
}
static inline struct number of_f8(uint32_t bits)
{
    struct number found = of_ieee(bits, 4, 3);
    found.kind = bits == 0x80 ? NOT_A_NUMBER : NUMBER;
    found.units *= 1 << 7;
    found.fraction = 10;
    return found;
}

/* ---- encoding ---- */

/* The result of units / 2^below at an exponent; of one that is negated late, the opposite. */
static inline struct lane encode(const struct format *form, wide units, int below, int exponent,
                                 bool late)
{
    const bool negative = units < 0 || (units == 0 && late);
    units = late ? -units : units;
    wide two = (wide)2 << (form->fraction + below);
    if ((units >= two || units < -two) && exponent < form->greatest) {
        below++;
        exponent++;
        two *= 2;
    }
    if (exponent > form->greatest ||
        (exponent == form->greatest && (units >= two / 2 || units < -two / 2))) {
        return form->overflow[negative];
    }
    if (exponent < form->least) {
        return form->underflow[negative];
    }
    wide whole = units >> below;
    const wide rest = units - (whole << below), half = ((wide)1 << below) / 2;
    bool up = rest != 0 && (rest > half || (rest == half && (whole & 1) != 0));
    bool sticky = rest != 0 && !up;
    if (late) {
        whole = ~whole;
        up = !up;
        sticky = !sticky;
    }
    const uint32_t low = (uint32_t)whole & 1, high = (uint32_t)(whole >> 1);
    if (form == &qf16) {
        return (struct lane){(high & 0x7ff) << 5 | ((uint32_t)(exponent + 15) & 31), low << 1 | up};
    }
    const uint32_t field = (uint32_t)(exponent + 383);
    return (struct lane){(high & 0xffffff) << 8 | (field & 0xff),
                         low << 3 | (uint32_t)up << 2 | (field >> 8 & 1) << 1 | sticky};
}

/* Of the significand before it was negated: the bits that it needs beside its sign. */
static inline int log_of_significand(struct number x)
{
    const int64_t units = x.late ? -x.units : x.units;
    return bits_of((uint64_t)(units > 0 ? units : -units - 1)) - 1 - x.fraction;
}

#define FAR 60 /* bits; a number of 25 bits that is lower decides only what is rounded */

static inline struct lane sum(const struct format *form, struct number a, struct number b)
{
    if (a.kind != NUMBER || b.kind != NUMBER) {
        const bool nan_a = a.kind == NOT_A_NUMBER, nan_b = b.kind == NOT_A_NUMBER;
        if (nan_a || nan_b) {
            return form->nan[(!nan_a || is_negative(a)) && (!nan_b || is_negative(b))];
        }
        if (a.kind == b.kind && is_negative(a) != is_negative(b)) {
            return form->nan[0];
        }
        return form->infinity[is_negative(a.kind == INFINITE ? a : b)];
    }
    const struct number high = a.exponent > b.exponent ? a : b;
    const struct number low = a.exponent > b.exponent ? b : a;
    int exponent = low.exponent, distance = high.exponent - low.exponent;
    if (high.units == 0) {
        return encode(form, low.units, 0, exponent, a.late && b.late);
    }
    const int least = high.exponent + log_of_significand(high) - (is_negative(a) != is_negative(b));
    exponent = least > exponent ? least : exponent;
    int below = exponent - low.exponent;
    int64_t small = low.units;
    if (distance > FAR) {
        below -= distance - FAR;
        distance = FAR;
        small = (small > 0) - (small < 0);
    }
    const wide units = (wide)high.units * ((wide)1 << distance) + small;
    return encode(form, units, below, exponent, a.late && b.late);
}

static inline struct lane product(const struct format *form, struct number a, struct number b)
{
    const bool negative = is_negative(a) != is_negative(b);
    if (a.kind != NUMBER || b.kind != NUMBER) {
        const bool zero = (a.kind == NUMBER && a.units == 0) || (b.kind == NUMBER && b.units == 0);
        const bool nan = a.kind == NOT_A_NUMBER || b.kind == NOT_A_NUMBER || zero;
        return nan ? form->nan[negative] : form->infinity[negative];
    }
    const bool before = (a.late ? -a.units : a.units) < 0 || (b.late ? -b.units : b.units) < 0;
    wide units = (wide)a.units * b.units;
    int below = a.fraction + b.fraction - form->fraction;
    if (below < 0) {
        units *= 1 << -below;
        below = 0;
    }
    return encode(form, units, below, units != 0 ? a.exponent + b.exponent : form->least,
                  (a.late != b.late) != before);
}

static inline struct lane normalized(const struct format *form, struct number x)
{
    const struct number zero = {.fraction = form->fraction, .exponent = form->least, .late = true};
    return sum(form, x, zero);
}

/* ---- results of other formats ---- */

static inline uint32_t to_ieee(struct number x, int exponent, int fraction)
{
    const uint32_t sign = (uint32_t)is_negative(x) << (exponent + fraction);
    const uint32_t infinity = ((1u << exponent) - 1) << fraction;
    if (x.kind == NOT_A_NUMBER) {
        return sign | ((1u << (exponent + fraction)) - 1);
    }
    if (x.kind == INFINITE) {
        return sign | infinity;
    }
    if (x.units == 0) {
        return sign;
    }
    /* with bits below, so that the last one can stand for what is lost */
    const wide before = ((wide)(x.late ? -x.units : x.units) << 64) + x.more;
    const wide size = before < 0 ? -before : before;
    const int bias = (1 << (exponent - 1)) - 1, unit = x.exponent - x.fraction;
    const int highest = bits_of(size_of(x)) - 1 + unit;
    const int kept = highest > 1 - bias ? highest : 1 - bias, below = kept - fraction - unit + 64;
    if (below > 100) {
        return sign;
    }
    const wide half = (wide)1 << (below - 1);
    const wide rest = size & (half * 2 - 1);
    uint64_t units = (uint64_t)(size >> below);
    units += rest > half || (rest == half && (units & 1) != 0);
    units += (uint64_t)(kept + bias - 1) << fraction;
    return sign | (units < infinity ? (uint32_t)units : infinity);
}

static inline uint32_t to_f8(uint32_t half)
{
    const struct number x = of_ieee(half, 5, 10);
    const int highest = bits_of(size_of(x)) - 1 - 10 + x.exponent;
    const int kept = highest > -6 ? highest : -6, below = kept - 3 - (x.exponent - 10);
    const uint64_t cut = 1ull << below, rest = size_of(x) & (cut - 1); /* at least 7 bits are cut */
    uint64_t units = size_of(x) / cut;
    units += rest > cut / 2 || (rest == cut / 2 && (units & 1) != 0);
    units += (uint64_t)(kept + 6) << 3;
    if (x.kind != NUMBER || units > 0x7f) {
        return 0x80;
    }
    return units == 0 ? 0 : (uint32_t)units | (uint32_t)is_negative(x) << 7;
}

static inline uint32_t log_2(struct number x, uint32_t greatest)
{
    if (x.kind != NUMBER) {
        return greatest - (x.kind == INFINITE);
    }
    if (x.units == 0) {
        return greatest + 1;
    }
    return (uint32_t)(bits_of(size_of(x)) - 1 - x.fraction + x.exponent) & (2 * greatest + 1);
}

#endif

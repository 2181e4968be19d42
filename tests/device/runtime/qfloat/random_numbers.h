/* random_numbers.h: random operands of each type. */
#ifndef RANDOM_NUMBERS_H
#define RANDOM_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#define LANES 32

enum type { QF32, SF, W, QF16, HF, BF, F8, TYPES };
static const char *const names[TYPES] = {"qf32", "sf", "w", "qf16", "hf", "bf", "f8"};

static bool is_half(enum type type)
{
    return type >= QF16;
}

static uint64_t state;

static uint32_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t below(uint32_t count)
{
    return random_bits() % count;
}

static const struct {
    int width, field_at, field_size, one;
    uint32_t specials[8];
} kinds[] = {
    [QF32] = {32,
              0,
              8,
              0x7f,
              {0x7fffff7f, 0x8000007f, 0x80, 0xffffff80, 0x4000007f, 0xbfffff7f, 0, 0x7f}},
    [SF] = {32,
            23,
            8,
            0x7f,
            {0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000}},
    [QF16] = {16, 0, 5, 0x0f, {0x7fff, 0x801f, 0, 0xffe0, 0x400f, 0xbfef, 0x0f, 0x1f}},
    [HF] = {16, 10, 5, 0x0f, {0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7e00}},
};

/* Random bits, a special value, or a number near 1, whose upper bits can be equal. */
static uint32_t random_number(enum type type)
{
    const int width = kinds[type].width;
    const uint32_t all = (uint32_t)((1ull << width) - 1), choice = below(100);
    const bool ieee = type == SF || type == HF;
    if (choice < 30) {
        return random_bits() & all;
    }
    if (choice < 50) {
        return kinds[type].specials[below(8)] | (ieee ? below(2) << (width - 1) : 0);
    }
    const uint32_t field = ((1u << kinds[type].field_size) - 1) << kinds[type].field_at;
    const uint32_t exponent = (uint32_t)(kinds[type].one + (int)below(8) - 4)
                              << kinds[type].field_at;
    uint32_t others = random_bits();
    if (choice < 65 && !ieee) {
        const int size = kinds[type].field_size;
        others &= (1u << below((uint32_t)(width - size)) << size) - 1;
        others = below(2) != 0 ? 0 - others : others;
    }
    return ((others & ~field) | exponent) & all;
}

static void fill(uint32_t *words, enum type type)
{
    for (int i = 0; i < LANES; i++) {
        words[i] = type == F8 ? random_bits() : random_number(type);
        words[i] |= is_half(type) && type != F8 ? random_number(type) << 16 : 0;
    }
}

/* Often those of a reset, and those of infinities. */
static void fill_bits(uint8_t *bytes)
{
    static const uint8_t usual[5] = {8, 13, 5, 0, 10};
    const bool reset = below(5) == 0;
    for (int i = 0; i < LANES; i++) {
        const uint32_t more = reset ? 10 : below(10) < 3 ? usual[below(5)] : random_bits() & 15;
        for (int n = 0; n < 4; n++) {
            bytes[4 * i + n] = more >> n & 1;
        }
    }
}

#endif

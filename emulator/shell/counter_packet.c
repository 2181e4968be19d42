/* counter_packet.c: decodes packets that read the DSP's counters, and moves them.
 *
 * The encodings are those of the Hexagon V67 Programmer's Reference Manual. */
#include "counter_packet.h"

#include <string.h>

#define PARSE 0xc000u
#define PARSE_END 0xc000u
#define PARSE_DUPLEX 0x0000u

#define REGISTER_SHIFT 16
#define REGISTER_MASK (0x1fu << REGISTER_SHIFT)
#define PKTCOUNT 18u /* c19:18, which qemu lets a program write, and which it does not use */

static bool ends(uint32_t word)
{
    return (word & PARSE) == PARSE_END || (word & PARSE) == PARSE_DUPLEX;
}

enum counter counter_read(uint32_t word)
{
    /* "Rdd=Css" and "Rd=Cs": register transfers, whose unused bits are 0. */
    const bool pair = (word & 0xffe03fe1u) == 0x68000000u;
    const bool single = (word & 0xffe03fe0u) == 0x6a000000u;
    const uint32_t source = (word & REGISTER_MASK) >> REGISTER_SHIFT;
    if ((!pair && !single) || (word & PARSE) == PARSE_DUPLEX) {
        return COUNTER_NONE;
    }
    if (source == 30 || (single && source == 31)) {
        return COUNTER_UTIMER;
    }
    return source == 14 || (single && source == 15) ? COUNTER_UPCYCLE : COUNTER_NONE;
}

bool packet_around(const uint32_t *words, size_t count, size_t at, size_t *first, size_t *size)
{
    size_t start = at;
    while (start > 0 && !ends(words[start - 1])) {
        start--;
        if (at - start >= PACKET_WORDS_MAX) {
            return false;
        }
    }
    size_t end = at;
    while (end < count && !ends(words[end])) {
        end++;
    }
    *first = start;
    *size = end + 1 - start;
    return end < count && *size <= PACKET_WORDS_MAX;
}

/* ---- instructions that contain a distance from their packet ---- */

/* A read of a counter occupies slot 3 of its packet. So the packet has no loop setup, no jump that
 * tests a register for 0 and no add(pc, #), which need that slot, too. */

/* A part of an instruction's immediate value: `width` bits at bit `at`. The first part has the most
 * significant bits. */
struct part {
    uint8_t at, width;
};

struct form {
    uint32_t mask, bits;
    /* The value is the distance divided by 4, unless it is extended. */
    struct part parts[4];
};

static const struct form forms[] = {
    /* jump and call */
    {0xfc000000u, 0x58000000u, {{16, 9}, {1, 13}}},
    /* if (p) jump, if (p) call */
    {0xfe000000u, 0x5c000000u, {{22, 2}, {16, 5}, {13, 1}, {1, 7}}},
    /* compare and jump, transfer and jump */
    {0xf8000000u, 0x10000000u, {{20, 2}, {1, 7}}},
    /* if (compare of a new value) jump */
    {0xf8000000u, 0x20000000u, {{20, 2}, {1, 7}}},
};

static const struct form *form_of(uint32_t word)
{
    for (size_t i = 0; (word & PARSE) != PARSE_DUPLEX && i < sizeof forms / sizeof forms[0]; i++) {
        if ((word & forms[i].mask) == forms[i].bits) {
            return &forms[i];
        }
    }
    return NULL;
}

static uint32_t value_of(const struct form *form, uint32_t word, unsigned *width)
{
    uint32_t value = 0;
    *width = 0;
    for (size_t i = 0; i < 4 && form->parts[i].width > 0; i++) {
        const struct part part = form->parts[i];
        value = value << part.width | ((word >> part.at) & ((1u << part.width) - 1u));
        *width += part.width;
    }
    return value;
}

static uint32_t with_value(const struct form *form, uint32_t word, uint32_t value)
{
    for (size_t i = 4; i-- > 0;) {
        const struct part part = form->parts[i];
        const uint32_t mask = part.width == 0 ? 0 : ((1u << part.width) - 1u) << part.at;
        word = (word & ~mask) | ((value << part.at) & mask);
        value >>= part.width;
    }
    return word;
}

/* The word before an instruction that has the upper 26 bits of its value. */
static bool is_extender(uint32_t word)
{
    return (word & 0xf0000000u) == 0 && (word & PARSE) != PARSE_DUPLEX;
}

static uint32_t extended(uint32_t word)
{
    return (word >> 16 & 0xfffu) << 20 | (word & 0x3fffu) << 6;
}

static uint32_t with_extended(uint32_t word, uint32_t value)
{
    return (word & (0xf0000000u | PARSE)) | (value >> 20) << 16 | (value >> 6 & 0x3fffu);
}

bool packet_jump(uint32_t from, uint32_t to, uint32_t *word)
{
    const int32_t distance = (int32_t)(to - from);
    *word = with_value(&forms[0], 0x58000000u | PARSE_END, (uint32_t)(distance >> 2));
    return distance >= -(1 << 23) && distance < 1 << 23 && distance % 4 == 0;
}

/* { call ##function; r29 = add(r29,#-16); memd(r29+#-16) = r31:30 }
 * { r29 = add(r29,#16); r31:30 = memd(r29+#0) } */
void packet_call(uint32_t to[PROLOGUE_WORDS], uint32_t address, uint32_t function)
{
    const uint32_t distance = function - address;
    to[0] = 0x00004000u | distance >> 20 << 16 | (distance >> 6 & 0x3fffu);
    to[1] = 0x5a004000u | (distance & 0x3fu) << 1;
    to[2] = 0xbffd7e1du;
    to[3] = 0xa7ddfefeu;
    to[4] = 0xb01d421du;
    to[5] = 0x91ddc01eu;
}

/* ---- moving ---- */

struct move {
    uint32_t from, address;
    uint32_t *to;
    size_t used;
};

/* Changes an instruction whose value is a distance from its packet. A short distance leads to a
 * jump behind the copy, which leads to the target. */
static bool retarget(struct move *move, const struct form *form, size_t at)
{
    unsigned width;
    uint32_t value = value_of(form, move->to[at], &width);
    if (at > 0 && is_extender(move->to[at - 1])) {
        value = (extended(move->to[at - 1]) | (value & 0x3fu)) + move->from - move->address;
        move->to[at - 1] = with_extended(move->to[at - 1], value);
        move->to[at] = with_value(form, move->to[at], value & 0x3fu);
        return true;
    }
    const uint32_t sign = 1u << (width - 1);
    const uint32_t target = move->from + (((value ^ sign) - sign) << 2);
    const uint32_t stub = (uint32_t)(move->used * 4);
    move->to[at] = with_value(form, move->to[at], stub >> 2);
    return packet_jump(move->address + stub, target, &move->to[move->used++]);
}

/* Whether an instruction has the class of the reads of counters, which all occupy slot 3. */
static bool needs_slot_3(uint32_t word)
{
    return word >> 28 == 6 && (word & PARSE) != PARSE_DUPLEX;
}

size_t packet_move(const uint32_t *packet, size_t size, uint32_t from, uint32_t address,
                   uint32_t to[MOVED_WORDS_MAX])
{
    struct move move = {.from = from, .address = address, .to = to, .used = size + 1};
    unsigned counters = 0;
    memcpy(to, packet, size * sizeof *packet);
    for (size_t i = 0; i < size; i++) {
        if (counter_read(to[i]) != COUNTER_NONE) {
            const uint32_t high = to[i] & (1u << REGISTER_SHIFT);
            to[i] = (to[i] & ~REGISTER_MASK) | PKTCOUNT << REGISTER_SHIFT | high;
            counters++;
            continue;
        }
        const struct form *form = form_of(to[i]);
        if (needs_slot_3(to[i]) ||
            (form != NULL && (move.used == MOVED_WORDS_MAX || !retarget(&move, form, i)))) {
            return 0;
        }
    }
    const uint32_t back = (uint32_t)(size * 4);
    return counters == 1 && packet_jump(address + back, from + back, &to[size]) ? move.used : 0;
}

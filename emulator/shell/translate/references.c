/* references.c: finds the addresses to which instructions refer, and where they lead. */
#include "references.h"

#include <stddef.h>

/* A part of an instruction's immediate value: `width` bits at bit `at`. The first part has the most
 * significant bits. */
struct part {
    uint8_t at, width;
};

/* The value is the distance divided by 4, unless it is extended. */
struct reference {
    uint32_t mask, bits;
    enum reference_kind kind;
    struct part parts[5];
};

static const struct reference references[] = {
    {0xfc000000u, 0x58000000u, REFERENCE_JUMP, {{16, 9}, {1, 13}}}, /* jump, call */
    {0xfe000000u, 0x5c000000u, REFERENCE_JUMP, {{22, 2}, {16, 5}, {13, 1}, {1, 7}}}, /* if (p) */
    {0xf8000000u, 0x10000000u, REFERENCE_JUMP, {{20, 2}, {1, 7}}},           /* compare and jump */
    {0xf8000000u, 0x20000000u, REFERENCE_JUMP, {{20, 2}, {1, 7}}},           /* of a new value */
    {0xff000000u, 0x61000000u, REFERENCE_JUMP, {{21, 1}, {13, 1}, {1, 11}}}, /* if (r) jump */
    {0xff000000u, 0x60000000u, REFERENCE_LOOP, {{8, 5}, {3, 2}}},            /* loop0, loop1 */
    {0xff000000u, 0x69000000u, REFERENCE_LOOP, {{8, 5}, {3, 2}}}, /* the same of a constant */
    {0xffff0000u, 0x6a490000u, REFERENCE_ADDRESS, {{7, 6}}},      /* add(pc, #) */
};

static const struct reference *find(uint32_t word)
{
    const bool may_be = (word & PARSE) != 0 && has_class(word, REFERENCE_CLASSES);
    for (size_t i = 0; may_be && i < sizeof references / sizeof *references; i++) {
        if ((word & references[i].mask) == references[i].bits) {
            return &references[i];
        }
    }
    return NULL;
}

enum reference_kind reference_of(uint32_t word)
{
    const struct reference *reference = find(word);
    return reference == NULL ? REFERENCE_NONE : reference->kind;
}

static uint32_t value_of(const struct reference *reference, uint32_t word, unsigned *width)
{
    uint32_t value = 0;
    *width = 0;
    for (const struct part *part = reference->parts; part->width > 0; part++) {
        value = value << part->width | ((word >> part->at) & ((1u << part->width) - 1u));
        *width += part->width;
    }
    return value;
}

uint32_t with_reference(uint32_t word, uint32_t value)
{
    const struct reference *reference = find(word);
    size_t count = 0;
    while (reference != NULL && reference->parts[count].width > 0) {
        count++;
    }
    while (count-- > 0) {
        const struct part part = reference->parts[count];
        const uint32_t mask = ((1u << part.width) - 1u) << part.at;
        word = (word & ~mask) | (value << part.at & mask);
        value >>= part.width;
    }
    return word;
}

bool is_extender(uint32_t word)
{
    return word >> 28 == 0 && (word & PARSE) != 0;
}

uint32_t extender_of(uint32_t value)
{
    return 0x4000u | value >> 20 << 16 | (value >> 6 & 0x3fffu);
}

bool referred_address(uint32_t word, uint32_t before, uint32_t packet, uint32_t *target)
{
    const struct reference *reference = find(word);
    if (reference == NULL) {
        return false;
    }
    unsigned width;
    uint32_t value = value_of(reference, word, &width);
    if (is_extender(before)) { /* which has all but the lowest six bits */
        value = (before >> 16 & 0xfffu) << 20 | (before & 0x3fffu) << 6 | (value & 0x3fu);
    } else if (reference->kind != REFERENCE_ADDRESS) { /* a number of words, with a sign */
        const unsigned unused = (32 - width) & 31u;
        value = (uint32_t)((int32_t)(value << unused) >> unused) << 2;
    }
    *target = packet + value;
    return true;
}

enum flow flow_of(uint32_t word)
{
    const unsigned top = word >> 24;
    if ((word & PARSE) == 0) { /* a pair: what looks like one of the returns */
        const bool returns = (word & 0x1f00u) == 0x1f00u || (word >> 16 & 0x1f00u) == 0x1f00u;
        return returns ? FLOW_RETURN : FLOW_NONE;
    }
    if (top == 0x50 || top == 0x51 || top == 0x5a || top == 0x5b || top == 0x5d) {
        return FLOW_CALL;
    }
    if (top == 0x52 || top == 0x53) { /* jumpr */
        return (word >> 16 & 31u) == 31 ? FLOW_RETURN : FLOW_UNKNOWN;
    }
    if ((word & 0xffe00000u) == 0x96000000u) { /* dealloc_return */
        return FLOW_RETURN;
    }
    return reference_of(word) == REFERENCE_JUMP ? FLOW_JUMP : FLOW_NONE;
}

bool never_goes_on(uint32_t word)
{
    const unsigned top = word >> 24;
    if ((word & PARSE) == 0) { /* jumpr r31, dealloc_return */
        return (word & 0x1fffu) == 0x1fc0u || (word & 0x1fffu) == 0x1f40u;
    }
    return top == 0x50 || top == 0x52 || (top & 0xfcu) == 0x58 ||
           ((word & 0xffe00000u) == 0x96000000u && (word & 0x3c00u) == 0);
}

/* code.c: writes packets, and copies packets to other addresses. */
#include "code.h"

#include <string.h>

#define NOP 0x7f000000u

void code_begin(struct code *code, uint32_t address)
{
    code->address = address;
    code->used = 0;
    code->problem = NULL;
}

void code_put(struct code *code, uint32_t word)
{
    if (code->used == CODE_WORDS_MAX) {
        code->problem = "its code is too long";
    } else {
        code->words[code->used++] = word;
    }
}

static uint32_t here(const struct code *code)
{
    return code->address + (uint32_t)code->used * 4;
}

/* ---- instructions that contain a distance from their packet ---- */

/* A part of an instruction's immediate value: `width` bits at bit `at`. The first part has the most
 * significant bits. */
struct part {
    uint8_t at, width;
};

enum reference_kind { REFERENCE_JUMP, REFERENCE_LOOP, REFERENCE_ADDRESS };

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

static const struct reference *reference_of(uint32_t word)
{
    const bool may_be = (word & PARSE) != 0 && has_class(word, REFERENCE_CLASSES);
    for (size_t i = 0; may_be && i < sizeof references / sizeof *references; i++) {
        if ((word & references[i].mask) == references[i].bits) {
            return &references[i];
        }
    }
    return NULL;
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

/* The value as a distance: with its sign, in bytes. */
static uint32_t distance_of(const struct reference *reference, uint32_t word)
{
    unsigned width;
    const uint32_t value = value_of(reference, word, &width);
    return width == 0 ? 0 : (uint32_t)((int32_t)(value << (32 - width)) >> (32 - width)) << 2;
}

/* The value without its sign: six bits of it belong to an extended one. */
static uint32_t low_value(const struct reference *reference, uint32_t word)
{
    unsigned width;
    return value_of(reference, word, &width);
}

static uint32_t with_value(const struct reference *reference, uint32_t word, uint32_t value)
{
    size_t count = 0;
    while (reference->parts[count].width > 0) {
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

static uint32_t extended(uint32_t extender, uint32_t value)
{
    return (extender >> 16 & 0xfffu) << 20 | (extender & 0x3fffu) << 6 | (value & 0x3fu);
}

static uint32_t extender_of(uint32_t value)
{
    return 0x4000u | value >> 20 << 16 | (value >> 6 & 0x3fffu);
}

/* ---- packets ---- */

static bool is_near(const struct code *code, uint32_t to)
{
    const int32_t distance = (int32_t)(to - here(code));
    return distance >= -(1 << 23) && distance < 1 << 23;
}

void code_jump(struct code *code, uint32_t to)
{
    const int32_t distance = (int32_t)(to - here(code));
    if (!is_near(code, to)) {
        code->problem = "it is too far away";
    }
    code_put(code, with_value(&references[0], 0x58000000u | PARSE_END, (uint32_t)(distance >> 2)));
}

/* { jump ##to } or { call ##to } */
static void code_far(struct code *code, uint32_t instruction, uint32_t to)
{
    const uint32_t distance = to - here(code);
    code_put(code, extender_of(distance));
    code_put(code, with_value(&references[0], instruction | PARSE_END, distance & 0x3fu));
}

void code_long_jump(struct code *code, uint32_t to)
{
    code_far(code, 0x58000000u, to);
}

void code_call(struct code *code, uint32_t to)
{
    code_far(code, 0x5a000000u, to);
}

void code_constant(struct code *code, unsigned n, uint32_t value)
{
    code_put(code, extender_of(value));
    code_put(code, 0x78000000u | PARSE_END | (value & 0x3fu) << 5 | n);
}

void code_load_scalar(struct code *code, unsigned to, unsigned base, uint32_t offset)
{
    code_put(code, 0x91800000u | PARSE_END | (offset >> 11 & 3u) << 25 | base << 16 |
                       (offset >> 2 & 0x1ffu) << 5 | to);
}

void code_add(struct code *code, unsigned to, unsigned base, uint32_t offset)
{
    code_put(code, 0xb0000000u | PARSE_END | (offset >> 9 & 0x7fu) << 21 | base << 16 |
                       (offset & 0x1ffu) << 5 | to);
}

void code_load_vector(struct code *code, unsigned to, unsigned base, int vectors)
{
    const uint32_t number = (uint32_t)vectors & 15u;
    code_put(code,
             0x28000000u | PARSE_END | base << 16 | number >> 3 << 13 | (number & 7u) << 8 | to);
}

void code_move_vector(struct code *code, unsigned to, unsigned from)
{
    code_put(code, 0x1e0320e0u | PARSE_END | from << 8 | to);
}

/* ---- copies ---- */

/* A setup of a hardware loop becomes a packet of its own, before the others: it can then be extended,
 * and the packets between do not matter to it. */
static void put_loop_setup(struct code *code, uint32_t *packet, size_t at, uint32_t from)
{
    const struct reference *reference = reference_of(packet[at]);
    uint32_t target = from + distance_of(reference, packet[at]);
    if ((packet[at] >> 21 & 7u) >= 5) { /* sp1loop0 and so on, which set p3, too */
        code->problem = "it sets up a software pipelined loop";
    }
    if (at > 0 && is_extender(packet[at - 1])) {
        target = from + extended(packet[at - 1], low_value(reference, packet[at]));
        packet[at - 1] = NOP | (packet[at - 1] & PARSE);
    }
    const uint32_t distance = target - here(code);
    code_put(code, extender_of(distance));
    code_put(code, with_value(reference, packet[at] | PARSE_END, distance & 0x3fu));
    packet[at] = NOP | (packet[at] & PARSE);
}

bool code_reference(uint32_t word, uint32_t before, uint32_t packet, uint32_t *target)
{
    const struct reference *reference = reference_of(word);
    if (reference == NULL) {
        return false;
    }
    const uint32_t value = low_value(reference, word);
    *target = packet + (is_extender(before)                    ? extended(before, value)
                        : reference->kind == REFERENCE_ADDRESS ? value
                                                               : distance_of(reference, word));
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
    const struct reference *reference = reference_of(word);
    return reference != NULL && reference->kind == REFERENCE_JUMP ? FLOW_JUMP : FLOW_NONE;
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

bool sets_up_loop(uint32_t word)
{
    const struct reference *reference = reference_of(word);
    return reference != NULL && reference->kind == REFERENCE_LOOP;
}

/* Code behind the packet, to which its words jump: it executes the tail, sets the return address to
 * the packet behind the original one if the word calls, and jumps to the target. */
struct stubs {
    size_t at[2]; /* words of the packet */
    uint32_t targets[2];
    bool calls[2];
    size_t count;
};

/* Gives an extended instruction another value. The extender stays: an instruction that uses a new value
 * says how many others back its source is, and extenders are not counted. */
static void extend(uint32_t *packet, size_t at, uint32_t value)
{
    packet[at - 1] = (extender_of(value) & ~PARSE) | (packet[at - 1] & PARSE);
    packet[at] = with_value(reference_of(packet[at]), packet[at], value & 0x3fu);
}

/* Changes a word of a packet that is copied to where the code is. */
static void change(struct code *code, uint32_t *packet, size_t at, uint32_t from,
                   struct stubs *stubs)
{
    const struct reference *reference = reference_of(packet[at]);
    uint32_t target;
    if (!code_reference(packet[at], at == 0 ? 0 : packet[at - 1], from, &target)) {
        return;
    }
    if (reference->kind == REFERENCE_ADDRESS && at > 0 && is_extender(packet[at - 1])) {
        extend(packet, at, target - here(code));
        return;
    }
    if (reference->kind != REFERENCE_JUMP || stubs->count == 2) {
        code->problem = "it needs its own address";
        return;
    }
    const bool calls = flow_of(packet[at]) == FLOW_CALL;
    if (calls) {
        const uint32_t jump = packet[at] >> 24 == 0x5d ? 0x5c000000u : 0x58000000u;
        packet[at] = (packet[at] & 0x00ffffffu) | jump;
    }
    stubs->at[stubs->count] = at;
    stubs->targets[stubs->count] = target;
    stubs->calls[stubs->count++] = calls;
}

/* Bits 15:14 of the first two words are 2 if a hardware loop ends: the first one of loop 0. */
static void put_loop_end(struct code *code, const uint32_t *packet, size_t size)
{
    const uint32_t first = packet[0] & PARSE, second = size > 1 ? packet[1] & PARSE : PARSE_END;
    if (first != 0x8000u && !(size > 2 && second == 0x8000u)) {
        return;
    }
    code_put(code, NOP | first);
    if (size > 2) {
        code_put(code, NOP | second);
    }
    code_put(code, NOP | PARSE_END);
}

/* Lets a word of a packet jump to words behind the start of the packet. */
static void put_distance(uint32_t *packet, size_t at, uint32_t words)
{
    if (at > 0 && is_extender(packet[at - 1])) {
        extend(packet, at, words * 4);
    } else {
        packet[at] = with_value(reference_of(packet[at]), packet[at], words);
    }
}

void code_packet(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                 void (*tail)(struct code *code, const void *context), const void *context)
{
    uint32_t copy[PACKET_WORDS_MAX];
    struct stubs stubs = {.count = 0};
    const uint32_t back = from + (uint32_t)size * 4;
    memcpy(copy, packet, size * sizeof *copy);
    for (size_t i = 0; i < size; i++) {
        if (sets_up_loop(copy[i])) {
            put_loop_setup(code, copy, i, from);
        }
        if (tail != NULL && flow_of(copy[i]) != FLOW_NONE && reference_of(copy[i]) == NULL) {
            code->problem = "it jumps to an address in a register, and uses one that it changes";
        }
    }
    for (size_t i = 0; i < size; i++) {
        change(code, copy, i, from, &stubs);
    }
    const size_t start = code->used;
    for (size_t i = 0; i < size; i++) {
        const bool ends_loop = i < 2 && (copy[i] & PARSE) == 0x8000u;
        code_put(code, tail != NULL && ends_loop ? (copy[i] & ~PARSE) | 0x4000u : copy[i]);
    }
    if (tail != NULL) {
        tail(code, context);
        put_loop_end(code, packet, size);
    }
    if (is_near(code, back)) {
        code_jump(code, back);
    } else {
        code_long_jump(code, back);
    }
    for (size_t k = 0; k < stubs.count && code->problem == NULL; k++) {
        put_distance(&code->words[start], stubs.at[k], (uint32_t)(code->used - start));
        if (tail != NULL) {
            tail(code, context);
        }
        if (stubs.calls[k]) {
            code_constant(code, 31, back);
        }
        code_long_jump(code, stubs.targets[k]);
    }
}

/* code.c: writes packets, and copies packets to other addresses. */
#include "code.h"

#include <string.h>

#include "references.h"

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

void code_data(struct code *code, const void *data, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)data + at, sizeof word);
        code_put(code, word);
    }
}

static uint32_t here(const struct code *code)
{
    return code->address + (uint32_t)code->used * 4;
}

/* ---- packets ---- */

static bool is_near(const struct code *code, uint32_t to)
{
    const int32_t distance = (int32_t)(to - here(code));
    return distance >= -(1 << 23) && distance < 1 << 23;
}

#define JUMP 0x58000000u
#define CALL 0x5a000000u

/* Returns a jump or a call with a value, see with_reference. */
static uint32_t jump_word(uint32_t instruction, uint32_t value)
{
    return instruction | PARSE_END | (value >> 13 & 0x1ffu) << 16 | (value & 0x1fffu) << 1;
}

void code_jump(struct code *code, uint32_t to)
{
    const int32_t distance = (int32_t)(to - here(code));
    if (!is_near(code, to)) {
        code->problem = "it is too far away";
    }
    code_put(code, jump_word(JUMP, (uint32_t)(distance >> 2)));
}

/* { jump ##to } or { call ##to } */
static void code_far(struct code *code, uint32_t instruction, uint32_t to)
{
    const uint32_t distance = to - here(code);
    code_put(code, extender_of(distance));
    code_put(code, jump_word(instruction, distance & 0x3fu));
}

void code_long_jump(struct code *code, uint32_t to)
{
    code_far(code, JUMP, to);
}

void code_call(struct code *code, uint32_t to)
{
    code_far(code, CALL, to);
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

void code_select(struct code *code, unsigned to, unsigned predicate, unsigned yes, unsigned no)
{
    code_put(code, 0xf4000000u | PARSE_END | yes << 16 | no << 8 | predicate << 5 | to);
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
    const uint32_t before = at == 0 ? 0 : packet[at - 1];
    uint32_t target = from;
    referred_address(packet[at], before, from, &target);
    if ((packet[at] >> 21 & 7u) >= 5) { /* sp1loop0 and so on, which set p3, too */
        code->problem = "it sets up a software pipelined loop";
    }
    if (is_extender(before)) {
        packet[at - 1] = NOP | (before & PARSE);
    }
    const uint32_t distance = target - here(code);
    code_put(code, extender_of(distance));
    code_put(code, with_reference(packet[at] | PARSE_END, distance & 0x3fu));
    packet[at] = NOP | (packet[at] & PARSE);
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
    packet[at] = with_reference(packet[at], value & 0x3fu);
}

/* Changes a word of a packet that is copied to where the code is. */
static void change(struct code *code, uint32_t *packet, size_t at, uint32_t from,
                   struct stubs *stubs)
{
    const enum reference_kind kind = reference_of(packet[at]);
    uint32_t target;
    if (!referred_address(packet[at], at == 0 ? 0 : packet[at - 1], from, &target)) {
        return;
    }
    if (kind == REFERENCE_ADDRESS && at > 0 && is_extender(packet[at - 1])) {
        extend(packet, at, target - here(code));
        return;
    }
    if (kind != REFERENCE_JUMP || stubs->count == 2) {
        code->problem = "it needs its own address";
        return;
    }
    const bool calls = flow_of(packet[at]) == FLOW_CALL;
    if (calls) {
        const uint32_t jump = packet[at] >> 24 == 0x5d ? 0x5c000000u : JUMP;
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
        packet[at] = with_reference(packet[at], words);
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
        if (reference_of(copy[i]) == REFERENCE_LOOP) {
            put_loop_setup(code, copy, i, from);
        }
        if (tail != NULL && flow_of(copy[i]) != FLOW_NONE &&
            reference_of(copy[i]) == REFERENCE_NONE) {
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

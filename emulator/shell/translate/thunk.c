/* thunk.c: writes thunks, each of which stands for a packet with an instruction that is replaced.
 *
 * A thunk saves the registers that the functions change, moves the sources of each instruction to v0
 * and so on, calls its function, and moves the result to the destination. Then it executes the packet
 * with these instructions replaced in place by moves of a register to itself: so loop ends, parse
 * bits and the distances to new values stay as they are. If another instruction of the packet reads
 * the old value of a destination, then the destination gets the result after the packet.
 *
 * Vectors are saved through scalar registers, which takes a tenth of the time of a vector store. */
#include "thunk.h"

#include <string.h>

#include "../../hmx/forms.h"
#include "thunk_area.h"
#include "thunk_plan.h"

#define BASE 16u /* the register that points to the area */

/* ---- parts of thunks ---- */

static uint32_t address_of(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

/* { call thunk_enter; r29 = add(r29,#-16); memd(r29+#-16) = r31:30 } */
static void put_enter(struct code *code)
{
    code_call(code, address_of((const void *)(uintptr_t)thunk_enter));
    code->words[code->used - 1] = (code->words[code->used - 1] & ~PARSE) | 0x4000u;
    code_put(code, 0xbffd7e1du);
    code_put(code, 0xa7ddfefeu);
}

/* { call thunk_leave } { r29 = add(r29,#16); r31:30 = memd(r29+#0) } */
static void put_leave(struct code *code)
{
    code_call(code, address_of((const void *)(uintptr_t)thunk_leave));
    code_put(code, 0xb01d421du);
    code_put(code, 0x91ddc01eu);
}

static void put_save(struct code *code, const struct thunk *thunk, unsigned vector, unsigned place)
{
    if (thunk->places[place] != AREA) {
        code_move_vector(code, thunk->places[place], vector);
        return;
    }
    code_add(code, 0, BASE, (uint32_t)(((int)place - AREA_BASE_VECTOR) * 128));
    code_call(code, address_of((const void *)(uintptr_t)thunk_saves[vector]));
}

static void put_load(struct code *code, const struct thunk *thunk, unsigned vector, unsigned place)
{
    const int distance = (int)place - AREA_BASE_VECTOR;
    if (thunk->places[place] != AREA) {
        code_move_vector(code, vector, thunk->places[place]);
    } else if (distance < 8) {
        code_load_vector(code, vector, BASE, distance);
    } else {
        code_add(code, 0, BASE, (uint32_t)(distance * 128));
        code_load_vector(code, vector, 0, 0);
    }
}

/* Loads a scalar register of the program, whose value can be in the area, to one below r16. */
static void put_scalar(struct code *code, unsigned to, unsigned number)
{
    if (number <= 17 || number == 28) {
        const uint32_t at = number == 28 ? 18 : number;
        code_load_scalar(code, to, BASE, AREA_REGISTERS - AREA_BASE_VECTOR * 128 + at * 4);
    } else if (number == 31) {
        code_load_scalar(code, to, 29, 4);
    } else {
        code_add(code, to, number, number == 29 ? 16 : 0);
    }
}

/* Writes what a load of the packet would forward to an instruction that reads the vector. */
static bool put_forwarded(struct code *code, const struct thunk *thunk, unsigned to,
                          unsigned vector, bool only_if)
{
    for (size_t i = 0; thunk->forwards && i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        bool temporary;
        if (!is_forwarding_load(word, &temporary) || (word & 31u) != vector) {
            continue;
        }
        const bool predicate = (word >> 23 & 1u) != 0;
        if (predicate && !only_if) {
            return false;
        }
        const uint32_t offset = word >> 24 == 0x28 ? word & 0x2700u : 0;
        const uint32_t condition = predicate ? 0x00800000u | (word & 0x1800u) |
                                                   ((word >> 5 & 1u) == 0 ? 0x40u : 0x60u)
                                             : 0;
        put_scalar(code, 0, word >> 16 & 31u);
        code_put(code, 0x28000000u | PARSE_END | offset | condition | to);
        return true;
    }
    return false;
}

static void put_source(struct code *code, const struct thunk *thunk, unsigned to, unsigned vector,
                       bool first)
{
    if (put_forwarded(code, thunk, to, vector, false)) {
        return;
    }
    const bool moved = first ? vector < to : (thunk->changed >> vector & 1u) != 0;
    if (moved) {
        put_load(code, thunk, to, vector);
    } else if (vector != to) {
        code_move_vector(code, to, vector);
    }
    put_forwarded(code, thunk, to, vector, true);
}

/* Moves the sources to v0 and so on. */
static void put_sources(struct code *code, const struct thunk *thunk, size_t index)
{
    const struct instruction *instruction = &thunk->instructions[index];
    unsigned to = 0;
    for (size_t i = 0; i < FIELDS_MAX; i++) {
        const struct field field = instruction->form->fields[i];
        const unsigned number = instruction->word >> field.at & 31u;
        if ((field.kind & FIELD_READ) == 0 || (field.kind & FIELD_Q) != 0) {
            continue;
        }
        if ((field.kind & FIELD_R) != 0) {
            put_scalar(code, 0, (field.kind & FIELD_R8) != 0 ? number & 7u : number);
            code_put(code, 0x19a00020u | PARSE_END | to++); /* vsplat(r0) */
        } else if ((field.kind & FIELD_PAIR) != 0) {
            put_source(code, thunk, to++, number & 30u, index == 0);
            put_source(code, thunk, to++, number | 1u, index == 0);
        } else {
            put_source(code, thunk, to++, number, index == 0);
        }
    }
}

/* The comparison of words or halves that stands for one of numbers, of v0 and v1. */
static uint32_t integer_comparison(const struct instruction *instruction)
{
    const char *syntax = instruction->form->syntax; /* "Qd=vcmp.gt(Vu.sf,…", "Qx&=vcmp.eq(…" */
    const uint32_t accumulate = syntax[2] == '&'   ? 0x1c802000u
                                : syntax[2] == '|' ? 0x1c802040u
                                : syntax[2] == '^' ? 0x1c802080u
                                                   : 0x1f800000u;
    const uint32_t greater = strstr(syntax, ".gt") != NULL ? 0x10u : 0;
    const uint32_t lane = strstr(syntax, ".sf") != NULL ? 8 : 4;
    return accumulate | greater | lane | PARSE_END | 1u << 16 | instruction->number;
}

/* Puts an instruction in the place of another one, which keeps its destination as it is. */
static uint32_t replacement(const struct instruction *instruction)
{
    const uint32_t n = instruction->number, parse = instruction->word & PARSE;
    if (instruction->destination.q != 0) {
        return 0x1e030000u | n << 22 | n << 8 | n | parse; /* Qd = and(Qd,Qd) */
    }
    return parse | (instruction->pair ? 0x1f4000e0u | (n | 1u) << 8 | n << 16 | n
                                      : 0x1e0320e0u | n << 8 | n);
}

/* Gives destinations their values after the packet. */
static void put_delayed(struct code *code, const void *context)
{
    const struct thunk *thunk = context;
    put_enter(code);
    for (size_t i = 0; i < thunk->count; i++) {
        const struct instruction *instruction = &thunk->instructions[i];
        const unsigned place = result_place(i);
        if (!instruction->delayed) {
            continue;
        }
        if (instruction->destination.q != 0) {
            put_save(code, thunk, 0, 0);
            put_save(code, thunk, 1, 1);
            put_load(code, thunk, 0, place);
            put_load(code, thunk, 1, place + 1);
            code_put(code, integer_comparison(instruction));
            put_load(code, thunk, 0, 0);
            put_load(code, thunk, 1, 1);
            continue;
        }
        put_load(code, thunk, instruction->number, place);
        if (instruction->pair) {
            put_load(code, thunk, instruction->number + 1, place + 1);
        }
    }
    if (thunk->borrowed != 0) {
        put_load(code, thunk, thunk->stored, thunk->stored);
    }
    put_leave(code);
}

/* ---- thunks ---- */

/* Stores another vector in place of a new value. Bit 5 says of a store with a predicate when it does. */
static uint32_t plain_store(uint32_t word, unsigned vector)
{
    const bool predicate = (word >> 23 & 1u) != 0;
    return (word & ~0xffu) | (predicate ? word & 0x20u : 0) | vector;
}

static void put_result(struct code *code, const struct thunk *thunk, size_t index)
{
    const struct instruction *instruction = &thunk->instructions[index];
    if (instruction->destination.q != 0 && !instruction->delayed) {
        code_put(code, integer_comparison(instruction));
    } else if (instruction->delayed || index + 1 < thunk->count) {
        put_save(code, thunk, 0, result_place(index));
        if (instruction->pair || instruction->destination.q != 0) {
            put_save(code, thunk, 1, result_place(index) + 1);
        }
    } else if (instruction->number != 0) { /* the last one */
        code_move_vector(code, instruction->number, 0);
        if (instruction->pair) {
            code_move_vector(code, instruction->number + 1, 1);
        }
    }
}

static void put_destinations(struct code *code, const struct thunk *thunk)
{
    uint32_t done = thunk->borrowed;
    if (thunk->borrowed != 0) {
        put_load(code, thunk, thunk->stored, thunk->borrowed_for);
    }
    for (size_t i = 0; i < thunk->count; i++) {
        const struct instruction *instruction = &thunk->instructions[i];
        if (instruction->delayed || instruction->destination.q != 0) {
            continue;
        }
        done |= instruction->destination.v;
        if (i + 1 < thunk->count) {
            put_load(code, thunk, instruction->number, result_place(i));
            if (instruction->pair) {
                put_load(code, thunk, instruction->number + 1, result_place(i) + 1);
            }
        }
    }
    for (uint32_t left = thunk->saved & ~done; left != 0; left &= left - 1) {
        const unsigned vector = (unsigned)__builtin_ctz(left);
        put_load(code, thunk, vector, vector);
    }
}

/* Calls call_hmx for the instructions of HMX: a packet has two at most. */
static void put_hmx(struct code *code, const struct thunk *thunk)
{
    uint32_t forms[2] = {HMX_NO_FORM, HMX_NO_FORM};
    size_t count = 0;
    for (size_t i = 0; i < thunk->size && count < 2; i++) {
        const uint32_t word = thunk->packet[i];
        if (!is_hmx(thunk->calls[i])) {
            continue;
        }
        if (count == 0) {
            put_enter(code);
        }
        put_scalar(code, (unsigned)count * 2, word >> 16 & 31u);
        put_scalar(code, (unsigned)count * 2 + 1, word >> 8 & 31u);
        forms[count++] = hmx_form_of(word);
    }
    if (count > 0) {
        code_constant(code, 4, forms[0] | forms[1] << 16);
        code_call(code, address_of((const void *)(uintptr_t)call_hmx));
        put_leave(code);
    }
}

static void put_calls(struct code *code, const struct thunk *thunk)
{
    put_hmx(code, thunk);
    for (size_t i = 0; i < thunk->size; i++) {
        const struct call *call = thunk->calls[i];
        if (call == NULL || is_hmx(call)) {
            continue;
        }
        put_enter(code);
        for (unsigned n = 0; n < call->operands; n++) {
            put_scalar(code, n, thunk->packet[i] >> (16 - 8 * n) & 31u);
        }
        code_call(code, address_of((const void *)(uintptr_t)call->function));
        put_leave(code);
    }
}

/* Computes the instructions with vectors. */
static void put_instructions(struct code *code, struct thunk *thunk, uint32_t live)
{
    if (thunk->count == 0) {
        return;
    }
    if (!thunk_plan(thunk, live)) {
        code->problem = "it uses the old and the new value of a register, and all other vectors";
        return;
    }
    if (thunk->changed >> WINDOW != 0) { /* which the compiler was asked to avoid */
        code->problem = "its function changes registers that cannot be saved";
        return;
    }
    put_enter(code);
    for (uint32_t left = thunk->saved; left != 0; left &= left - 1) {
        const unsigned vector = (unsigned)__builtin_ctz(left);
        put_save(code, thunk, vector, vector);
    }
    for (size_t i = 0; i < thunk->count; i++) {
        put_sources(code, thunk, i);
        code_call(code, address_of(thunk->instructions[i].form->operation));
        put_result(code, thunk, i);
    }
    put_destinations(code, thunk);
    put_leave(code);
}

bool thunk_replaces(uint32_t word)
{
    return form_is_replaced(word) || call_of(word) != NULL;
}

void thunk_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                 uint32_t live)
{
    struct thunk thunk = {.packet = packet, .size = size, .store = size};
    thunk_collect(&thunk);
    if (thunk_stops(&thunk)) {
        code->problem = "";
        return;
    }
    put_calls(code, &thunk);
    put_instructions(code, &thunk, live);
    uint32_t rest[PACKET_WORDS_MAX];
    memcpy(rest, packet, size * sizeof *rest);
    for (size_t i = 0; i < thunk.count; i++) {
        rest[thunk.instructions[i].at] = replacement(&thunk.instructions[i]);
    }
    for (size_t i = 0; i < size; i++) {
        const struct call *call = thunk.calls[i];
        if (call != NULL) {
            rest[i] = call->replacement | (packet[i] & (call->target | PARSE));
        }
    }
    if (thunk.store < size) {
        rest[thunk.store] = plain_store(packet[thunk.store], thunk.stored);
    }
    code_packet(code, rest, size, from, thunk.delayed ? put_delayed : NULL, &thunk);
}

/* It ends with a jump, because qemu translates what follows. */
__asm__(".text\n.p2align 2\nthunk_stop:\n{ r28 = #0 }\n{ r28 = memw(r28+#0)\n jumpr r31 }\n");
extern const uint32_t thunk_stop[3];

void thunk_write_stop(struct code *code)
{
    code->used = 0;
    code->problem = NULL;
    for (size_t i = 0; i < 3; i++) {
        code_put(code, thunk_stop[i]);
    }
}

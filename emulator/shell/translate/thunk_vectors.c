/* thunk_vectors.c: computes the vector instructions of a packet that are replaced.
 *
 * It saves the vectors that the functions change, moves the sources of each instruction to v0 and so
 * on, calls its function, and moves the result to the destination. If another instruction of the
 * packet reads the old value of a destination, then the destination gets the result after the packet. */
#include "thunk_vectors.h"

#include <string.h>

#include "thunk_code.h"
#include "thunk_extensions.h"

/* Writes what a load of the packet would forward to an instruction that reads the vector. */
static bool put_forwarded(struct code *code, const struct thunk *thunk, unsigned to,
                          unsigned vector, bool only_if)
{
    const uint32_t word = forwarding_load(thunk, vector);
    if (word == 0 || (load_condition(word) != 0 && !only_if)) {
        return false;
    }
    const uint32_t offset = word >> 24 == 0x28 ? word & 0x2700u : 0;
    put_scalar(code, 0, word >> 16 & 31u);
    code_put(code, 0x28000000u | PARSE_END | offset | load_condition(word) | to);
    return true;
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

/* Moves the sources to v0 and so on, then the extension bits of those that have some. */
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
            put_splat(code, to++);
        } else if ((field.kind & FIELD_PAIR) != 0) {
            put_source(code, thunk, to++, number & 30u, index == 0);
            put_source(code, thunk, to++, number | 1u, index == 0);
        } else {
            put_source(code, thunk, to++, number, index == 0);
        }
    }
    for (size_t i = 0; i < FIELDS_MAX; i++) {
        const struct field field = instruction->form->fields[i];
        const unsigned number = instruction->word >> field.at & 31u;
        if ((field.kind & FIELD_X) == 0 || (field.kind & FIELD_READ) == 0) {
            continue;
        }
        if ((field.kind & FIELD_PAIR) != 0) {
            put_extension(code, thunk, to++, number & 30u);
            put_extension(code, thunk, to++, number | 1u);
        } else {
            put_extension(code, thunk, to++, number);
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

uint32_t vector_replacement(const struct instruction *instruction)
{
    const uint32_t n = instruction->number, parse = instruction->word & PARSE;
    if (instruction->destination.q != 0) {
        return 0x1e030000u | n << 22 | n << 8 | n | parse; /* Qd = and(Qd,Qd) */
    }
    return parse | (instruction->pair ? 0x1f4000e0u | (n | 1u) << 8 | n << 16 | n
                                      : 0x1e0320e0u | n << 8 | n);
}

static void put_result(struct code *code, const struct thunk *thunk, size_t index)
{
    const struct instruction *instruction = &thunk->instructions[index];
    put_result_extensions(code, thunk, index);
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

/* Whether a predicate says what a load forwards, or whether a vector changes. The functions that stand for
 * instructions can change it. */
static bool uses_predicates(const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        bool temporary;
        if (is_vector(word) &&
            ((extended_by(word).perhaps & thunk->use.reset) != 0 ||
             (is_forwarding_load(word, &temporary) && load_condition(word) != 0))) {
            return true;
        }
    }
    return false;
}

void put_vectors(struct code *code, struct thunk *thunk, uint32_t live)
{
    if (thunk->count == 0 && thunk->use.reset == 0) {
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
        if (uses_predicates(thunk)) {
            code_call(code, address_of((const void *)(uintptr_t)thunk_predicates));
        }
        put_result(code, thunk, i);
    }
    put_waiting_extensions(code, thunk);
    put_resets(code, thunk);
    put_destinations(code, thunk);
    put_leave(code);
}

void put_delayed(struct code *code, const void *context)
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

/* thunk_vectors.c: computes the vector instructions of a packet that are replaced.
 *
 * It saves the vectors that the functions change, moves the sources of each instruction to v0 and so
 * on, calls its function, and moves the result to the destination. If another instruction of the
 * packet reads the old value of a destination, then the destination gets the result after the packet. */
#include "thunk_vectors.h"

#include <string.h>

#include "thunk_code.h"

/* Returns the condition of a vmem to v0 that loads if this forwarding load does. */
static uint32_t condition(uint32_t word)
{
    const bool predicate = (word >> 23 & 1u) != 0;
    return predicate ? 0x00800000u | (word & 0x1800u) | ((word >> 5 & 1u) == 0 ? 0x40u : 0x60u) : 0;
}

/* Returns the load of the packet that forwards a vector to the other instructions, or 0. */
static uint32_t forwarding_load(const struct thunk *thunk, unsigned vector)
{
    for (size_t i = 0; thunk->forwards && i < thunk->size; i++) {
        bool temporary;
        if (is_forwarding_load(thunk->packet[i], &temporary) &&
            (thunk->packet[i] & 31u) == vector) {
            return thunk->packet[i];
        }
    }
    return 0;
}

/* Writes what a load of the packet would forward to an instruction that reads the vector. */
static bool put_forwarded(struct code *code, const struct thunk *thunk, unsigned to,
                          unsigned vector, bool only_if)
{
    const uint32_t word = forwarding_load(thunk, vector);
    if (word == 0 || (condition(word) != 0 && !only_if)) {
        return false;
    }
    const uint32_t offset = word >> 24 == 0x28 ? word & 0x2700u : 0;
    put_scalar(code, 0, word >> 16 & 31u);
    code_put(code, 0x28000000u | PARSE_END | offset | condition(word) | to);
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

static void put_splat(struct code *code, unsigned to)
{
    code_put(code, 0x19a00020u | PARSE_END | to); /* vsplat(r0) */
}

/* Moves the extension bits of a source to a vector. */
static void put_extension(struct code *code, const struct thunk *thunk, unsigned to,
                          unsigned vector)
{
    const uint32_t load = forwarding_load(thunk, vector);
    if ((thunk->use.loaded >> vector & 1u) == 0) {
        code_constant(code, 0, (uint32_t)thunk_reset_bits[0]);
        put_splat(code, to);
        return;
    }
    put_extension_address(code, 0, vector);
    code_load_vector(code, to, 0, 0);
    if (load != 0) {
        code_constant(code, 0, address_of(thunk_reset_bits));
        code_put(code, 0x28000000u | PARSE_END | condition(load) | to);
    }
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

/* Whether an instruction behind one in the packet reads the extension bits of a vector. */
static bool is_read_later(const struct thunk *thunk, size_t index, unsigned vector)
{
    uint32_t read = 0;
    for (size_t i = index + 1; i < thunk->count; i++) {
        read |= extended_by(thunk->instructions[i].word).read & thunk->use.loaded;
    }
    return (read >> vector & 1u) != 0;
}

/* Calls `visit` with each vector of the result whose extension bits are stored. */
static void visit_stored(struct code *code, const struct thunk *thunk, size_t index,
                         void (*visit)(struct code *code, const struct thunk *thunk, size_t index,
                                       unsigned half))
{
    const struct instruction *instruction = &thunk->instructions[index];
    const bool extended = (instruction->form->fields[0].kind & FIELD_X) != 0;
    for (unsigned half = 0; extended && half < 1u + instruction->pair; half++) {
        if ((thunk->use.stored >> (instruction->number + half) & 1u) != 0) {
            visit(code, thunk, index, half);
        }
    }
}

static unsigned waiting_place(size_t index, unsigned half)
{
    return EXTENSION_OF_RESULT + 2 * (unsigned)index + half;
}

/* Stores the extension bits of a result, which are in the vectors behind it. */
static void put_result_extension(struct code *code, const struct thunk *thunk, size_t index,
                                 unsigned half)
{
    const struct instruction *instruction = &thunk->instructions[index];
    const unsigned vector = instruction->number + half;
    const bool waits = is_read_later(thunk, index, vector);
    put_extension_address(code, 0, waits ? waiting_place(index, half) : vector);
    code_call(code, address_of(thunk_stores[1u + instruction->pair + half]));
}

static void put_waiting_extension(struct code *code, const struct thunk *thunk, size_t index,
                                  unsigned half)
{
    const unsigned vector = thunk->instructions[index].number + half;
    if (is_read_later(thunk, index, vector)) {
        put_extension_address(code, 1, waiting_place(index, half));
        put_extension_address(code, 0, vector);
        code_call(code, address_of((const void *)(uintptr_t)thunk_copy));
    }
}

/* Resets the extension bits of the vectors that the other instructions change, or, of those that they
 * change if a predicate says so, resets others if it does not. */
static void put_resets(struct code *code, const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        const struct extended use = is_vector(word) ? extended_by(word) : (struct extended){0};
        for (uint32_t left = (use.reset | use.perhaps) & thunk->use.reset; left != 0;
             left &= left - 1) {
            put_extension_address(code, 0, (unsigned)__builtin_ctz(left));
            if ((use.perhaps & left & -left) != 0) {
                bool inverted;
                const unsigned predicate = condition_of(word, &inverted);
                put_extension_address(code, 1, EXTENSION_OF_NONE);
                code_select(code, 0, predicate, inverted ? 1 : 0, inverted ? 0 : 1);
            }
            code_call(code, address_of((const void *)(uintptr_t)thunk_reset));
        }
    }
}

static void put_result(struct code *code, const struct thunk *thunk, size_t index)
{
    const struct instruction *instruction = &thunk->instructions[index];
    visit_stored(code, thunk, index, put_result_extension);
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
        if (is_vector(word) && ((extended_by(word).perhaps & thunk->use.reset) != 0 ||
                                (is_forwarding_load(word, &temporary) && condition(word) != 0))) {
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
    for (size_t i = 0; i < thunk->count; i++) {
        visit_stored(code, thunk, i, put_waiting_extension);
    }
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

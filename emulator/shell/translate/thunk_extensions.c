/* thunk_extensions.c: moves extension bits between functions and where they are stored. */
#include "thunk_extensions.h"

#include "thunk_code.h"

uint32_t load_condition(uint32_t word)
{
    const bool predicate = (word >> 23 & 1u) != 0;
    return predicate ? 0x00800000u | (word & 0x1800u) | ((word >> 5 & 1u) == 0 ? 0x40u : 0x60u) : 0;
}

uint32_t forwarding_load(const struct thunk *thunk, unsigned vector)
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

void put_splat(struct code *code, unsigned to)
{
    code_put(code, 0x19a00020u | PARSE_END | to); /* vsplat(r0) */
}

void put_extension(struct code *code, const struct thunk *thunk, unsigned to, unsigned vector)
{
    const uint32_t load = forwarding_load(thunk, vector);
    if ((thunk->use.loaded >> vector & 1u) == 0) {
        code_constant(code, 0, (uint32_t)thunk_reset_bits[0]);
        put_splat(code, to);
        return;
    }
    if (thunk->use.vectors[vector] != 0) {
        code_move_vector(code, to, thunk->use.vectors[vector]);
    } else {
        put_extension_address(code, 0, vector);
        code_load_vector(code, to, 0, 0);
    }
    if (load != 0) {
        code_constant(code, 0, address_of(thunk_reset_bits));
        code_put(code, 0x28000000u | PARSE_END | load_condition(load) | to);
    }
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
    const unsigned vector = instruction->number + half, from = 1u + instruction->pair + half;
    const bool waits = is_read_later(thunk, index, vector);
    if (!waits && thunk->use.vectors[vector] != 0) {
        code_move_vector(code, thunk->use.vectors[vector], from);
        return;
    }
    put_extension_address(code, 0, waits ? waiting_place(index, half) : vector);
    code_call(code, address_of(thunk_saves[from]));
}

static void put_waiting_extension(struct code *code, const struct thunk *thunk, size_t index,
                                  unsigned half)
{
    const unsigned vector = thunk->instructions[index].number + half;
    if (!is_read_later(thunk, index, vector)) {
        return;
    }
    put_extension_address(code, 1, waiting_place(index, half));
    if (thunk->use.vectors[vector] != 0) {
        code_load_vector(code, thunk->use.vectors[vector], 1, 0);
    } else {
        put_extension_address(code, 0, vector);
        code_call(code, address_of((const void *)(uintptr_t)thunk_copy));
    }
}

/* The condition of a vmem that loads if another instruction changes its vector. */
static uint32_t condition_of_change(uint32_t word)
{
    bool inverted;
    const unsigned predicate = condition_of(word, &inverted);
    return 0x00800000u | predicate << 11 | (inverted ? 0x60u : 0x40u);
}

/* Resets the extension bits of the vectors that the other instructions change, or, of those that they
 * change if a predicate says so, resets others if it does not. */
void put_resets(struct code *code, const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        const struct extended use = is_vector(word) ? extended_by(word) : (struct extended){0};
        for (uint32_t left = (use.reset | use.perhaps) & thunk->use.reset; left != 0;
             left &= left - 1) {
            const unsigned holder = thunk->use.vectors[__builtin_ctz(left)];
            const bool perhaps = (use.perhaps & left & -left) != 0;
            if (holder != 0) {
                code_constant(code, 0, address_of(thunk_reset_bits));
                code_put(code, 0x28000000u | PARSE_END | (perhaps ? condition_of_change(word) : 0) |
                                   holder);
                continue;
            }
            put_extension_address(code, 0, (unsigned)__builtin_ctz(left));
            if (perhaps) {
                bool inverted;
                const unsigned predicate = condition_of(word, &inverted);
                put_extension_address(code, 1, EXTENSION_OF_NONE);
                code_select(code, 0, predicate, inverted ? 1 : 0, inverted ? 0 : 1);
            }
            code_call(code, address_of((const void *)(uintptr_t)thunk_reset));
        }
    }
}

void put_result_extensions(struct code *code, const struct thunk *thunk, size_t index)
{
    visit_stored(code, thunk, index, put_result_extension);
}

void put_waiting_extensions(struct code *code, const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->count; i++) {
        visit_stored(code, thunk, i, put_waiting_extension);
    }
}

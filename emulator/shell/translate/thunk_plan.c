/* thunk_plan.c: finds the instructions that a thunk replaces, and what it has to save. */
#include "thunk_plan.h"

#include <string.h>

#include "references.h"
#include "thunk.h"

void thunk_collect(struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        if (i > 0 && is_extender(thunk->packet[i - 1])) {
            continue;
        }
        bool temporary;
        thunk->calls[i] = call_of(word);
        thunk->forwards = thunk->forwards || is_forwarding_load(word, &temporary);
        if (!form_is_replaced(word)) {
            continue;
        }
        struct instruction *instruction = &thunk->instructions[thunk->count++];
        *instruction = (struct instruction){.word = word, .form = form_of(word), .at = i};
        const struct field field = instruction->form->fields[0];
        const unsigned number = word >> field.at & 31u;
        if ((field.kind & FIELD_Q) != 0) {
            instruction->number = number & 3u;
            instruction->destination.q = 1u << instruction->number;
        } else {
            instruction->pair = (field.kind & FIELD_PAIR) != 0;
            instruction->number = instruction->pair ? number & 30u : number;
            instruction->destination.v = (instruction->pair ? 3u : 1u) << instruction->number;
        }
    }
}

const char *thunk_stops(const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->count; i++) {
        const struct form *form = thunk->instructions[i].form;
        if (form->operation == NULL) {
            return form->lacked != NULL ? form->lacked : "";
        }
    }
    for (size_t i = 0; i < thunk->size; i++) {
        if (is_temporary(thunk->packet[i]) && thunk->count > 0) {
            return "it gives a register a value for the packet alone (.tmp) that it does not load";
        }
        if (thunk->calls[i] != NULL && thunk->calls[i]->function == NULL) {
            return "";
        }
    }
    return NULL;
}

/* Finds the store of the new value of an instruction whose destination is delayed. Bits 2:1 of such a
 * store say how many vector instructions back the one is that gives the value. Returns the place of the
 * value, or AREA if there is no such store. */
static unsigned find_store(struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        unsigned back = word >> 1 & 3u;
        size_t from = i;
        while (stores_new_value(word) && from > 0 && back > 0) {
            back -= is_vector(thunk->packet[--from]);
        }
        for (size_t k = 0; from < i && k < thunk->count; k++) {
            if (thunk->instructions[k].at == from && thunk->instructions[k].delayed) {
                thunk->store = i;
                return result_place(k);
            }
        }
    }
    return AREA;
}

#define WINDOW_VECTORS ((1u << WINDOW) - 1u)

/* Gives a place to what is saved: a free vector if there is one, or one in the area. */
static void choose_place(struct thunk *thunk, unsigned place, bool used)
{
    const bool free = used && thunk->free != 0;
    thunk->places[place] = free ? (uint8_t)__builtin_ctz(thunk->free) : AREA;
    thunk->free &= free ? thunk->free - 1 : UINT32_MAX;
}

bool thunk_plan(struct thunk *thunk, uint32_t live)
{
    struct registers read = {0, 0}, written = {0, 0};
    uint32_t sources = 0, changed = 0;
    size_t next = 0;
    for (size_t i = 0; i < thunk->size; i++) {
        if (next < thunk->count && thunk->instructions[next].at == i) {
            next++;
            continue;
        }
        struct registers reads, writes;
        registers_used(thunk->packet[i], &reads, &writes);
        read.v |= reads.v;
        read.q |= reads.q;
        written.v |= writes.v;
        changed |= vectors_changed(thunk->packet[i]);
    }
    uint32_t destinations = 0;
    bool delayed = false;
    for (size_t i = 0; i < thunk->count; i++) {
        struct instruction *instruction = &thunk->instructions[i];
        instruction->delayed = (instruction->destination.v & read.v) != 0 ||
                               (instruction->destination.q & read.q) != 0;
        delayed = delayed || instruction->delayed;
        destinations |= instruction->destination.v;
        sources |= registers_read(instruction->word).v;
        thunk->changed |= operation_changes(instruction->form);
    }
    const uint32_t kept = read.v | (live & ~written.v & ~destinations);
    thunk->saved = thunk->changed & (kept | sources);
    thunk->free = ~(thunk->changed | kept | live | sources | changed | destinations |
                    thunk->use.held);
    const unsigned stored = find_store(thunk);
    if (stored != AREA) { /* it alone needs a vector */
        choose_place(thunk, stored, true);
        thunk->stored = thunk->places[stored];
    }
    if (stored != AREA && thunk->stored == AREA) {
        /* v0 and v1 have another use when a destination is delayed */
        const uint32_t others = ~(read.v | changed | destinations | sources | 3u) & WINDOW_VECTORS;
        if (others == 0) {
            return false;
        }
        thunk->stored = (uint8_t)__builtin_ctz(others);
        thunk->borrowed = 1u << thunk->stored;
        thunk->borrowed_for = stored;
        thunk->saved |= thunk->borrowed;
    }
    for (unsigned place = WINDOW; place < result_place(thunk->count); place++) {
        const size_t i = (place - WINDOW) / 2;
        const bool waits = i + 1 < thunk->count || thunk->instructions[i].delayed;
        if (place != stored) {
            choose_place(thunk, place, waits);
        }
    }
    memset(thunk->places, AREA, WINDOW);
    for (uint32_t left = thunk->saved; left != 0; left &= left - 1) {
        choose_place(thunk, (unsigned)__builtin_ctz(left), true);
    }
    thunk->delayed = delayed;
    return true;
}

/* thunk_plan.h: what a thunk has to do: the instructions that it replaces, and what it has to save. */
#ifndef BUILDTOOL_SHELL_THUNK_PLAN_H
#define BUILDTOOL_SHELL_THUNK_PLAN_H

#include "calls.h"
#include "extensions.h"
#include "forms.h"
#include "thunk_area.h"

struct instruction {
    uint32_t word;
    const struct form *form;
    size_t at;                    /* of the word in the packet */
    struct registers destination; /* v or q: one or two vectors, or a predicate */
    unsigned number;              /* of the lowest of these registers */
    bool pair, delayed;           /* delayed: it gets its value after the packet */
};

#define AREA 0xffu /* the place is in the area */

struct thunk {
    const uint32_t *packet;
    size_t size;
    const struct call *calls[PACKET_WORDS_MAX]; /* for each word, or NULL */
    struct instruction instructions[PACKET_WORDS_MAX];
    size_t count;
    struct memory_use use; /* of extension bits */
    bool forwards;         /* whether a load gives its vector to the others */
    uint32_t changed;      /* vectors of the window that the functions change */
    uint32_t saved;        /* those that are saved */
    uint32_t free;         /* vectors that neither the functions nor the program use here */
    uint8_t places[WINDOW + RESULTS_MAX]; /* a vector for each saved one and each result, or AREA */
    bool delayed; /* whether a destination gets its value after the packet */
    size_t store; /* of the new value of such a destination: its place in the packet, or the size */
    uint8_t stored;        /* the vector that has this value before the packet */
    uint32_t borrowed;     /* that vector, if the program uses it: it gets its value back */
    unsigned borrowed_for; /* the place of the value that it has before the packet */
};

static inline unsigned result_place(size_t index)
{
    return WINDOW + 2 * (unsigned)index;
}

/* Finds the instructions of the packet that are replaced. */
void thunk_collect(struct thunk *thunk);

/* If it has an instruction that the shell does not execute, returns why, or "". Otherwise NULL. */
const char *thunk_stops(const struct thunk *thunk);

/* Finds what has to be saved. `live`: see thunk_write. Returns false when the old and the new value of a
 * register are used, and no vector can be borrowed for it. */
bool thunk_plan(struct thunk *thunk, uint32_t live);

#endif

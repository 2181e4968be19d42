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

#include "calls.h"
#include "thunk_area.h"

#define BASE 16u /* the register that points to the area */

/* ---- parts of thunks ---- */

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
    uint32_t changed; /* vectors of the window that the functions change */
    uint32_t saved;   /* those that are saved */
    uint32_t free;    /* vectors that neither the functions nor the program use here */
    uint8_t places[WINDOW + RESULTS_MAX]; /* a vector for each saved one and each result, or AREA */
    bool delayed; /* whether a destination gets its value after the packet */
    size_t store; /* of the new value of such a destination: its place in the packet, or the size */
    uint8_t stored; /* the vector that has this value before the packet */
};

static uint32_t address_of(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

static unsigned result_place(size_t index)
{
    return WINDOW + 2 * (unsigned)index;
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

/* Loads a scalar register of the program, whose value can be in the area, to r0 or r1. */
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
    for (size_t i = 0; i < thunk->size; i++) {
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
    put_leave(code);
}

/* ---- thunks ---- */

static void collect(struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const uint32_t word = thunk->packet[i];
        if (i > 0 && is_extender(thunk->packet[i - 1])) {
            continue;
        }
        thunk->calls[i] = call_of(word);
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

/* The vectors that the function changes, and those of its parameters: one for each but a predicate. */
static uint32_t changed_by(const struct form *form)
{
    uint32_t changed = 0;
    unsigned parameters = 0;
    for (const uint32_t *word = form->operation; word != form->operation_end; word++) {
        changed |= vectors_changed(*word);
    }
    for (size_t i = 0; i < FIELDS_MAX; i++) {
        const unsigned kind = form->fields[i].kind;
        if ((kind & FIELD_READ) != 0 && (kind & FIELD_Q) == 0) {
            parameters += (kind & FIELD_PAIR) != 0 ? 2 : 1;
        }
    }
    return changed | ((1u << parameters) - 1u);
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

/* Stores another vector in place of a new value. Bit 5 says of a store with a predicate when it does. */
static uint32_t plain_store(uint32_t word, unsigned vector)
{
    const bool predicate = (word >> 23 & 1u) != 0;
    return (word & ~0xffu) | (predicate ? word & 0x20u : 0) | vector;
}

/* Gives a place to what is saved: a free vector if there is one, or one in the area. */
static void choose_place(struct thunk *thunk, unsigned place, bool used)
{
    const bool free = used && thunk->free != 0;
    thunk->places[place] = free ? (uint8_t)__builtin_ctz(thunk->free) : AREA;
    thunk->free &= free ? thunk->free - 1 : UINT32_MAX;
}

/* Finds what has to be saved. Returns false when the old and the new value of a register are used. */
static bool plan(struct thunk *thunk, uint32_t live)
{
    struct registers read = {0, 0}, written = {0, 0};
    uint32_t sources = 0, changed = 0;
    size_t next = 0;
    for (size_t i = 0; i < thunk->size; i++) {
        if (next < thunk->count && thunk->instructions[next].at == i) {
            next++;
            continue;
        }
        const struct registers reads = registers_read(thunk->packet[i]);
        read.v |= reads.v;
        read.q |= reads.q;
        written.v |= registers_written(thunk->packet[i]).v;
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
        thunk->changed |= changed_by(instruction->form);
    }
    const uint32_t kept = read.v | (live & ~written.v & ~destinations);
    thunk->saved = thunk->changed & (kept | sources);
    thunk->free = ~(thunk->changed | kept | live | sources | changed | destinations);
    const unsigned stored = find_store(thunk);
    if (stored != AREA) { /* it alone needs a vector */
        choose_place(thunk, stored, true);
        thunk->stored = thunk->places[stored];
    }
    for (unsigned place = WINDOW; place < WINDOW + RESULTS_MAX; place++) {
        const size_t i = (place - WINDOW) / 2;
        const bool waits = i + 1 < thunk->count ||
                           (i < thunk->count && thunk->instructions[i].delayed);
        if (place != stored) {
            choose_place(thunk, place, waits);
        }
    }
    for (unsigned place = 0; place < WINDOW; place++) {
        choose_place(thunk, place, (thunk->saved >> place & 1u) != 0);
    }
    thunk->delayed = delayed;
    return stored == AREA || thunk->stored != AREA;
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
    uint32_t done = 0;
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
    for (unsigned vector = 0; vector < WINDOW; vector++) {
        if (((thunk->saved & ~done) >> vector & 1u) != 0) {
            put_load(code, thunk, vector, vector);
        }
    }
}

static void put_calls(struct code *code, const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->size; i++) {
        const struct call *call = thunk->calls[i];
        if (call == NULL) {
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
    if (!plan(thunk, live)) {
        code->problem =
            "it uses the old and the new value of a register, and no other vector is free";
        return;
    }
    if (thunk->changed >> WINDOW != 0) { /* which the compiler was asked to avoid */
        code->problem = "its function changes registers that cannot be saved";
        return;
    }
    put_enter(code);
    for (unsigned vector = 0; vector < WINDOW; vector++) {
        if ((thunk->saved >> vector & 1u) != 0) {
            put_save(code, thunk, vector, vector);
        }
    }
    for (size_t i = 0; i < thunk->count; i++) {
        put_sources(code, thunk, i);
        code_call(code, address_of(thunk->instructions[i].form->operation));
        put_result(code, thunk, i);
    }
    put_destinations(code, thunk);
    put_leave(code);
}

/* Whether it has an instruction that the shell does not execute. */
static bool stops(const struct thunk *thunk)
{
    for (size_t i = 0; i < thunk->count; i++) {
        if (thunk->instructions[i].form->operation == NULL) {
            return true;
        }
    }
    for (size_t i = 0; i < thunk->size; i++) {
        if (thunk->calls[i] != NULL && thunk->calls[i]->function == NULL) {
            return true;
        }
    }
    return false;
}

bool thunk_replaces(uint32_t word)
{
    return form_is_replaced(word) || call_of(word) != NULL;
}

void thunk_write(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                 uint32_t live)
{
    struct thunk thunk = {.packet = packet, .size = size, .store = size};
    collect(&thunk);
    if (stops(&thunk)) {
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

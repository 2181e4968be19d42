/* liveness.c: finds live vectors backwards along the paths of a function.
 *
 * Where a path is not known, and if memory is short, all vectors are live. In functions that unwind
 * tables describe, which compilers make, calls pass v0 to v15, return v0 and v1, and keep no vector
 * (Qualcomm Hexagon Application Binary Interface). Those that no code of the called function reads
 * are not passed. Assembly may have other conventions. */
#include "liveness.h"

#include <stdlib.h>
#include <string.h>

#include "references.h"
#include "core.h"

#define ALL UINT32_MAX
#define ABI_ARGUMENTS 0xffffu
#define ABI_RESULTS 3u
#define LOOPS_MAX 64
#define CALLS_MAX 4u /* deep */
#define FUNCTION_WORDS_MAX (1u << 18)

struct packet {
    uint32_t read, written; /* vectors */
    uint32_t live;          /* at least, after the packet, for what is outside of the function */
    uint32_t before;        /* live before it */
    uint32_t target;        /* of a jump: the number of a word; 0: none or outside */
    bool starts, ends_loop;
    bool follows; /* it is executed after a packet that is behind it, which depends on it */
    bool leaves;  /* no vector is live in the next packet because it was before */
    uint8_t size;
};

struct graph {
    const struct liveness *liveness;
    const struct function *function;
    struct packet *packets; /* for each word */
    size_t count;
    uint32_t loops[LOOPS_MAX]; /* words where hardware loops start */
    size_t loop_count;
};

/* Whether a word at an address of the image, after relocation, is an address in this program, none
 * of whose functions has a vector as a parameter. */
static bool refers_to_shell(const struct liveness *liveness, uint32_t address)
{
    uint32_t value = 0;
    if (liveness->base != NULL && image_holds(liveness->image, address, sizeof value, PF_R)) {
        memcpy(&value, liveness->base + address, sizeof value);
    }
    return in_shell(value);
}

#define JUMP_R28 0x529cc000u /* at the end of an entry of .plt, which loads it from an address */

/* Returns the vectors that code at an address can take as arguments: those that it reads. */
static uint32_t arguments_of(const struct liveness *liveness, uint32_t address, unsigned depth)
{
    const struct function *function = function_at(liveness->functions, address);
    if (function == NULL || function->range.start != address || depth == 0) {
        return ABI_ARGUMENTS;
    }
    uint32_t read = 0, word = 0, before = 0, packet = address, target = 0, slot = 0, size;
    const uint8_t *bytes = image_bytes(liveness->image, address, &size);
    if (size < function->range.end - address) {
        return ABI_ARGUMENTS;
    }
    for (uint32_t at = address; at < function->range.end && read != ABI_ARGUMENTS; at += 4) {
        memcpy(&word, bytes + (at - address), sizeof word);
        const enum flow flow = flow_of(word);
        const bool refers = referred_address(word, before, packet, &target);
        const bool outside = target < address || target >= function->range.end;
        read |= registers_read(word).v & ABI_ARGUMENTS;
        if (word == JUMP_R28 && refers_to_shell(liveness, slot)) {
            return read;
        }
        if (flow == FLOW_UNKNOWN || (flow == FLOW_CALL && !refers)) {
            read = ABI_ARGUMENTS;
        } else if (flow == FLOW_CALL || (flow == FLOW_JUMP && outside)) {
            read |= arguments_of(liveness, target, depth - 1);
        }
        slot = refers && flow == FLOW_NONE ? target : slot;
        before = ends_packet(word) ? 0 : word;
        packet = ends_packet(word) ? at + 4 : packet;
    }
    return read;
}

static void follow(struct graph *graph, uint32_t at, bool follows)
{
    graph->packets[at].follows = graph->packets[at].follows || follows;
}

static void add_flow(struct graph *graph, struct packet *packet, uint32_t word, uint32_t before,
                     uint32_t address)
{
    const bool abi = graph->function->unwound;
    const uint32_t start = graph->function->range.start;
    uint32_t target = 0;
    const bool refers = referred_address(word, before, address, &target);
    packet->leaves = packet->leaves || (abi && never_goes_on(word));
    const uint32_t at = (target - start) / 4;
    const bool inside = refers && target > start && at < graph->count;
    switch (flow_of(word)) {
    case FLOW_NONE:
        break;
    case FLOW_JUMP:
        if (inside && packet->target == 0) {
            packet->target = at;
            follow(graph, at, at <= (address - start) / 4);
        } else {
            packet->live |= inside ? ALL
                            : abi  ? ABI_ARGUMENTS
                                   : ALL; /* a second one; a tail call */
        }
        break;
    case FLOW_CALL:
        packet->live |= !abi     ? ALL
                        : refers ? arguments_of(graph->liveness, target, CALLS_MAX)
                                 : ABI_ARGUMENTS;
        break;
    case FLOW_RETURN:
        packet->live |= abi ? ABI_RESULTS : ALL;
        break;
    case FLOW_UNKNOWN:
        packet->live |= ALL;
        break;
    }
    if (reference_of(word) == REFERENCE_LOOP) {
        if (inside && graph->loop_count < LOOPS_MAX) {
            graph->loops[graph->loop_count++] = at;
            follow(graph, at, true);
        } else {
            packet->live |= ALL;
        }
    }
}

static void decode(struct graph *graph, const struct image *image)
{
    const uint32_t from = graph->function->range.start;
    size_t start = 0;
    uint32_t word = 0, before = 0, size;
    const uint8_t *bytes = image_bytes(image, from, &size);
    for (size_t i = 0; i < graph->count && i * 4 + sizeof word <= size; i++) {
        before = word;
        memcpy(&word, bytes + i * 4, sizeof word);
        struct packet *packet = &graph->packets[start];
        const uint32_t parse = word & PARSE;
        packet->ends_loop = packet->ends_loop || (parse == 0x8000u && i - start < 2);
        if (is_vector(word)) {
            struct registers read, written;
            registers_used(word, &read, &written);
            packet->read |= read.v;
            packet->written |= written.v;
        } else if (may_lead(word)) {
            add_flow(graph, packet, word, i == start ? 0 : before, from + (uint32_t)start * 4);
        }
        if (ends_packet(word)) {
            packet->starts = true;
            packet->size = (uint8_t)(i + 1 - start);
            start = i + 1;
        }
    }
}

static bool update(struct graph *graph, size_t at)
{
    struct packet *packet = &graph->packets[at];
    const size_t next = at + packet->size;
    uint32_t live = packet->live;
    if (packet->leaves) {
        /* what is live is known */
    } else if (next < graph->count && graph->packets[next].starts) {
        live |= graph->packets[next].before;
    } else { /* it goes on somewhere */
        live = ALL;
    }
    live |= packet->target != 0 ? graph->packets[packet->target].before : 0;
    for (size_t i = 0; packet->ends_loop && i < graph->loop_count; i++) {
        live |= graph->packets[graph->loops[i]].before;
    }
    const uint32_t before = packet->read | (live & ~packet->written);
    const bool changed = before != packet->before;
    packet->before = before;
    packet->live = live;
    return changed;
}

static void find(struct liveness *liveness, const struct function *function)
{
    const uint32_t size = function->range.end - function->range.start;
    struct graph graph = {.liveness = liveness, .function = function, .count = size / 4};
    liveness_free(liveness);
    liveness->function = function;
    if (graph.count > FUNCTION_WORDS_MAX) {
        return;
    }
    graph.packets = calloc(graph.count + 1, sizeof *graph.packets);
    liveness->after = calloc(graph.count + 1, sizeof *liveness->after);
    if (graph.packets == NULL || liveness->after == NULL) {
        free(graph.packets);
        liveness_free(liveness);
        return;
    }
    decode(&graph, liveness->image);
    /* A packet depends on those behind it, so one sweep is enough for all but loops. */
    for (bool again = true; again;) {
        again = false;
        for (size_t i = graph.count; i-- > 0;) {
            const bool changed = graph.packets[i].starts && update(&graph, i);
            again = again || (changed && graph.packets[i].follows);
        }
    }
    for (size_t i = 0; i < graph.count; i++) {
        liveness->after[i] = graph.packets[i].live;
    }
    free(graph.packets);
}

uint32_t live_after(struct liveness *liveness, uint32_t address)
{
    const struct function *function = function_at(liveness->functions, address);
    if (function == NULL) {
        return ALL;
    }
    if (function != liveness->function) {
        find(liveness, function);
    }
    return liveness->after == NULL ? ALL : liveness->after[(address - function->range.start) / 4];
}

void liveness_free(struct liveness *liveness)
{
    free(liveness->after);
    liveness->after = NULL;
    liveness->function = NULL;
}

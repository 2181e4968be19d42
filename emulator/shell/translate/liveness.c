/* liveness.c: finds live vectors backwards along the paths of a function.
 *
 * Where a path is not known, and if memory is short, all vectors are live. In functions that unwind
 * tables describe, which compilers make, calls pass v0 to v15, return v0 and v1, and keep no vector
 * (Qualcomm Hexagon Application Binary Interface). Assembly may have other conventions. */
#include "liveness.h"

#include <stdlib.h>

#include "code.h"

#define ALL UINT32_MAX
#define ABI_ARGUMENTS 0xffffu
#define ABI_RESULTS 3u
#define LOOPS_MAX 64
#define FUNCTION_WORDS_MAX (1u << 18)

struct packet {
    uint32_t read, written; /* vectors */
    uint32_t live;          /* at least, after the packet, for what is outside of the function */
    uint32_t before;        /* live before it */
    uint32_t target;        /* of a jump: the number of a word; 0: none or outside */
    bool starts, ends_loop;
    uint8_t size;
};

struct graph {
    const struct function *function;
    struct packet *packets; /* for each word */
    size_t count;
    uint32_t loops[LOOPS_MAX]; /* words where hardware loops start */
    size_t loop_count;
};

static void add_flow(struct graph *graph, struct packet *packet, uint32_t word, uint32_t before,
                     uint32_t address)
{
    const bool abi = graph->function->unwound;
    const uint32_t start = graph->function->range.start;
    uint32_t target = 0;
    const bool refers = code_reference(word, before, address, &target);
    const uint32_t at = (target - start) / 4;
    const bool inside = refers && target > start && at < graph->count;
    switch (flow_of(word)) {
    case FLOW_NONE:
        break;
    case FLOW_JUMP:
        if (inside && packet->target == 0) {
            packet->target = at;
        } else {
            packet->live |= inside ? ALL
                            : abi  ? ABI_ARGUMENTS
                                   : ALL; /* a second one; a tail call */
        }
        break;
    case FLOW_CALL:
        packet->live |= abi ? ABI_ARGUMENTS : ALL;
        break;
    case FLOW_RETURN:
        packet->live |= abi ? ABI_RESULTS : ALL;
        break;
    case FLOW_UNKNOWN:
        packet->live |= ALL;
        break;
    }
    if (sets_up_loop(word)) {
        if (inside && graph->loop_count < LOOPS_MAX) {
            graph->loops[graph->loop_count++] = at;
        } else {
            packet->live |= ALL;
        }
    }
}

static void decode(struct graph *graph, const struct image *image)
{
    size_t start = 0;
    uint32_t word = 0, before = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const uint32_t from = graph->function->range.start;
        before = word;
        if (image_words(image, from + (uint32_t)i * 4, &word, 1) != 1) {
            break;
        }
        struct packet *packet = &graph->packets[start];
        const uint32_t parse = word & PARSE;
        packet->read |= registers_read(word).v;
        packet->written |= registers_written(word).v;
        packet->ends_loop = packet->ends_loop || (parse == 0x8000u && i - start < 2);
        add_flow(graph, packet, word, i == start ? 0 : before, from + (uint32_t)start * 4);
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
    if (next < graph->count && graph->packets[next].starts) {
        live |= graph->packets[next].before;
    } else if (live == 0) { /* it goes on somewhere */
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

static void find(struct liveness *liveness, const struct image *image,
                 const struct function *function)
{
    const uint32_t size = function->range.end - function->range.start;
    struct graph graph = {.function = function, .count = size / 4};
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
    decode(&graph, image);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = graph.count; i-- > 0;) {
            changed = (graph.packets[i].starts && update(&graph, i)) || changed;
        }
    }
    for (size_t i = 0; i < graph.count; i++) {
        liveness->after[i] = graph.packets[i].live;
    }
    free(graph.packets);
}

uint32_t live_after(struct liveness *liveness, const struct image *image,
                    const struct function *function, uint32_t address)
{
    if (function == NULL) {
        return ALL;
    }
    if (function != liveness->function) {
        find(liveness, image, function);
    }
    return liveness->after == NULL ? ALL : liveness->after[(address - function->range.start) / 4];
}

void liveness_free(struct liveness *liveness)
{
    free(liveness->after);
    liveness->after = NULL;
    liveness->function = NULL;
}

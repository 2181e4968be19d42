/* packet_graph.c: finds the paths between the packets of a function. */
#include "packet_graph.h"

#include <stdlib.h>
#include <string.h>

#include "references.h"

#define FUNCTION_WORDS_MAX (1u << 20)

static void follow(struct graph *graph, uint32_t at, bool follows)
{
    graph->packets[at].follows = graph->packets[at].follows || follows;
}

static void add_flow(struct graph *graph, struct packet *packet, uint32_t word, uint32_t before,
                     uint32_t address)
{
    const uint32_t start = graph->function->range.start;
    uint32_t target = 0;
    const bool refers = referred_address(word, before, address, &target);
    packet->leaves = packet->leaves || (graph->function->unwound && never_goes_on(word));
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
            packet->unknown = packet->unknown || inside; /* a second one */
            packet->outside = packet->outside || !inside;
        }
        break;
    case FLOW_CALL:
        packet->calls = true;
        packet->callee = refers ? target : 0;
        break;
    case FLOW_RETURN:
        packet->returns = true;
        break;
    case FLOW_UNKNOWN:
        packet->unknown = true;
        break;
    }
    if (reference_of(word) == REFERENCE_LOOP) {
        if (inside && graph->loop_count < LOOPS_MAX) {
            graph->loops[graph->loop_count++] = at;
            follow(graph, at, true);
        } else {
            packet->unknown = true;
        }
    }
}

static void decode(struct graph *graph, const struct image *image, graph_visit visit, void *context)
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
            visit(context, start, word);
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

bool graph_read(struct graph *graph, const struct image *image, const struct function *function,
                graph_visit visit, void *context)
{
    *graph = (struct graph){.function = function,
                            .count = (function->range.end - function->range.start) / 4};
    graph->packets = graph->count > FUNCTION_WORDS_MAX
                         ? NULL
                         : calloc(graph->count + 1, sizeof *graph->packets);
    if (graph->packets == NULL) {
        return false;
    }
    decode(graph, image, visit, context);
    return true;
}

void graph_free(struct graph *graph)
{
    free(graph->packets);
    graph->packets = NULL;
}

/* Whether the packet behind one can follow. Otherwise, if it does not leave, it goes on somewhere. */
static bool has_next(const struct graph *graph, size_t at)
{
    const size_t next = at + graph->packets[at].size;
    return !graph->packets[at].leaves && next < graph->count && graph->packets[next].starts;
}

uint32_t graph_behind(const struct graph *graph, size_t at, const uint32_t *sets)
{
    const struct packet *packet = &graph->packets[at];
    uint32_t set = has_next(graph, at) ? sets[at + packet->size] : packet->leaves ? 0 : ALL_VECTORS;
    set |= packet->target != 0 ? sets[packet->target] : 0;
    for (size_t i = 0; packet->ends_loop && i < graph->loop_count; i++) {
        set |= sets[graph->loops[i]];
    }
    return set;
}

static bool add(uint32_t *set, uint32_t more)
{
    const bool grows = (more & ~*set) != 0;
    *set |= more;
    return grows;
}

bool graph_spread(const struct graph *graph, size_t at, uint32_t set, uint32_t *sets)
{
    const struct packet *packet = &graph->packets[at];
    bool grown = has_next(graph, at) && add(&sets[at + packet->size], set);
    grown = (packet->target != 0 && add(&sets[packet->target], set)) || grown;
    for (size_t i = 0; packet->ends_loop && i < graph->loop_count; i++) {
        grown = add(&sets[graph->loops[i]], set) || grown;
    }
    return grown;
}

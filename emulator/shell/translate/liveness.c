/* liveness.c: finds live vectors backwards along the paths of a function.
 *
 * Where a path is not known, and if memory is short, all vectors are live. In functions that unwind
 * tables describe, which compilers make, calls pass v0 to v15, return v0 and v1, and keep no vector
 * (Qualcomm Hexagon Application Binary Interface). Those that no code of the called function reads
 * are not passed. Assembly may have other conventions. */
#include "liveness.h"

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "packet_graph.h"
#include "references.h"

#define ABI_ARGUMENTS 0xffffu
#define CALLS_MAX 4u /* deep */

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

struct search {
    uint32_t *read, *written; /* vectors of each packet */
};

static void visit(void *context, size_t packet, uint32_t word)
{
    struct search *search = context;
    struct registers read, written;
    registers_used(word, &read, &written);
    search->read[packet] |= read.v;
    search->written[packet] |= written.v;
}

/* Returns the vectors that are live behind a packet, whatever is in its function. */
static uint32_t live_outside(const struct liveness *liveness, const struct packet *packet)
{
    const bool abi = liveness->function->unwound;
    if (packet->unknown || (!abi && (packet->calls || packet->returns || packet->outside))) {
        return ALL_VECTORS;
    }
    const uint32_t passed = packet->callee != 0 ? arguments_of(liveness, packet->callee, CALLS_MAX)
                                                : ABI_ARGUMENTS;
    return (packet->calls ? passed : 0) | (packet->outside ? ABI_ARGUMENTS : 0) |
           (packet->returns ? ABI_RESULTS : 0);
}

static void find(struct liveness *liveness, const struct function *function)
{
    const size_t count = (function->range.end - function->range.start) / 4 + 1;
    uint32_t *sets = calloc(4 * count, sizeof *sets); /* read, written, live before, live behind */
    uint32_t *before = sets + 2 * count, *behind = sets + 3 * count;
    struct search search = {sets, sets + count};
    struct graph graph;
    liveness_free(liveness);
    liveness->function = function;
    if (sets == NULL || !graph_read(&graph, liveness->image, function, visit, &search)) {
        free(sets);
        return;
    }
    for (size_t i = 0; i < graph.count; i++) {
        behind[i] = graph.packets[i].starts ? live_outside(liveness, &graph.packets[i]) : 0;
    }
    /* A packet depends on those behind it, so one sweep is enough for all but loops. */
    for (bool again = true; again;) {
        again = false;
        for (size_t i = graph.count; i-- > 0;) {
            if (graph.packets[i].starts) {
                behind[i] |= graph_behind(&graph, i, before);
                const uint32_t live = search.read[i] | (behind[i] & ~search.written[i]);
                again = again || (live != before[i] && graph.packets[i].follows);
                before[i] = live;
            }
        }
    }
    liveness->after = malloc(count * sizeof *behind);
    if (liveness->after != NULL) {
        memcpy(liveness->after, behind, count * sizeof *behind);
    }
    graph_free(&graph);
    free(sets);
}

/* Whether the function that was asked for before is that of an address; those in it come behind it. */
static bool is_known(const struct liveness *liveness, uint32_t address)
{
    const struct function *known = liveness->function;
    const struct functions *all = liveness->functions;
    return known != NULL && address >= known->range.start && address < known->range.end &&
           (known + 1 == all->list + all->count || address < known[1].range.start);
}

uint32_t live_after(struct liveness *liveness, uint32_t address)
{
    const struct function *function = is_known(liveness, address)
                                          ? liveness->function
                                          : function_at(liveness->functions, address);
    if (function == NULL) {
        return ALL_VECTORS;
    }
    if (function != liveness->function) {
        find(liveness, function);
    }
    return liveness->after == NULL ? ALL_VECTORS
                                   : liveness->after[(address - function->range.start) / 4];
}

void liveness_free(struct liveness *liveness)
{
    free(liveness->after);
    liveness->after = NULL;
    liveness->function = NULL;
}

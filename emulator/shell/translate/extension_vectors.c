/* extension_vectors.c: gives extension bits vectors that their function does not use.
 *
 * A move between vectors takes a twentieth of the time of a store. It can hold bits from where they are
 * written to where they are read: nothing there may read or change that vector, and no path may lead there
 * that is not known. A vector has one place in the whole function, or it is in memory. */
#include "extension_vectors.h"

#include "qf_tags.h"

/* Functions that stand for instructions change the others. */
#define CANDIDATES 0xffff0000u

/* Returns the vectors that cannot hold the bits of one over a packet behind which they matter. */
static uint32_t taken_at(const struct lifetimes *lifetimes, struct liveness *liveness, size_t at)
{
    const struct packet *packet = &lifetimes->graph->packets[at];
    if (packet->calls || packet->returns || packet->outside || packet->unknown) {
        return ALL_VECTORS;
    }
    const uint32_t start = lifetimes->graph->function->range.start;
    return lifetimes->used[at] | live_after(liveness, start + (uint32_t)at * 4);
}

void choose_extension_vectors(const struct lifetimes *lifetimes, struct liveness *liveness,
                              uint8_t vectors[32])
{
    for (unsigned v = 0; v < 32 && !qf_tags_are_kept(); v++) { /* qf_values.c reads memory */
        uint32_t taken = (lifetimes->entered >> v & 1u) != 0 ? ALL_VECTORS : ~CANDIDATES;
        bool needed = false;
        for (size_t i = 0; i < lifetimes->graph->count; i++) {
            const uint32_t before = lifetimes->before[i], behind = lifetimes->behind[i];
            if (((before | behind) >> v & 1u) == 0) {
                continue;
            }
            needed = true;
            taken |= (behind >> v & 1u) != 0 ? taken_at(lifetimes, liveness, i) : 0;
            taken |= held_vectors(vectors, before | behind);
        }
        vectors[v] = needed && taken != ALL_VECTORS ? (uint8_t)__builtin_ctz(~taken) : 0;
    }
}

uint32_t held_vectors(const uint8_t vectors[32], uint32_t set)
{
    uint32_t held = 0;
    for (; set != 0; set &= set - 1) {
        const unsigned vector = vectors[__builtin_ctz(set)];
        held |= vector != 0 ? 1u << vector : 0;
    }
    return held;
}

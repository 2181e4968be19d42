/* extension_vectors.c: gives extension bits vectors that their function does not use.
 *
 * A move between vectors takes a twentieth of the time of a store. It can hold bits from where they are
 * written to where they are read: nothing there may read or change that vector, and no path may lead there
 * that is not known. A vector has one place in the whole function, or it is in memory. */
#include "extension_vectors.h"

#include "qf_tags.h" /* whose qf_values.c reads the bits in memory */

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
    uint32_t taken[32] = {0}, together[32] = {0}; /* those that matter at the same time */
    uint32_t all = 0;
    for (size_t i = 0; i < lifetimes->graph->count && !qf_tags_are_kept(); i++) {
        const uint32_t behind = lifetimes->behind[i], both = lifetimes->before[i] | behind;
        const uint32_t here = behind != 0 ? taken_at(lifetimes, liveness, i) : 0;
        all |= both;
        for (uint32_t left = both; left != 0; left &= left - 1) {
            const unsigned v = (unsigned)__builtin_ctz(left);
            taken[v] |= (behind >> v & 1u) != 0 ? here : 0;
            together[v] |= both;
        }
    }
    for (uint32_t left = all & ~lifetimes->entered; left != 0; left &= left - 1) {
        const unsigned v = (unsigned)__builtin_ctz(left);
        const uint32_t free = CANDIDATES & ~(taken[v] | held_vectors(vectors, together[v]));
        vectors[v] = free != 0 ? (uint8_t)__builtin_ctz(free) : 0;
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

/* fixed.c: products of bytes, modulo 2^32. */
#include "kernels.h"

INLINE void add_group(struct fixed_cell *cell, const lanes activations[CHANNELS], unsigned count,
                      const struct fixed_weights *weights, unsigned g)
{
    lanes low = cell->low[g], high = cell->high[g];
    for (unsigned k = 0; k < count; k++) {
        low += activations[k] * weights->low[k][g];
        high += activations[k] * weights->high[k][g];
    }
    cell->low[g] = low;
    cell->high[g] = high;
}

void add_fixed(struct fixed_cell *cell, const struct channels *channels,
               const struct fixed_weights *weights)
{
    lanes activations[CHANNELS];
    for (unsigned g = 0; g < GROUPS; g++) {
        for (unsigned k = 0; k < channels->count && (g == 0 || channels->group < CHANNELS); k++) {
            for (unsigned lane = 0; lane < LANES; lane++) {
                const unsigned from = channel_of(channels, k, g * LANES + lane);
                activations[k][lane] = channels->bytes[from * channels->stride];
            }
        }
        add_group(cell, activations, channels->count, weights, g);
    }
}

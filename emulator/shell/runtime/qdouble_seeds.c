/* qdouble_seeds.c: first approximations of reciprocals and of reciprocal square roots, for skels that
 * refine them themselves: x = 1/2 + seed/512 for the 256 mantissas from 1/2 to 1. */
#include <math.h>

#include "runtime.h"

static unsigned char reciprocal_seeds[256], root_seeds[256];

static unsigned char seed(double x)
{
    double steps = (x - 0.5) * 512;
    return (unsigned char)(steps < 0 ? 0 : steps > 255 ? 255 : steps);
}

__attribute__((constructor)) static void fill_seeds(void)
{
    for (int i = 0; i < 256; i++) {
        double mantissa = 0.5 + (i + 0.5) / 512;
        reciprocal_seeds[i] = seed(0.5 / mantissa);
        root_seeds[i] = seed(0.5 / sqrt(mantissa));
    }
}

const struct shell_symbol qdouble_seeds_symbols[] = {
    EXPORT_AS("recipTable_qd", reciprocal_seeds),
    EXPORT_AS("recipsqrtTable_qd", root_seeds),
    EXPORT_AS("fast2_recipTable_qd", reciprocal_seeds),
    EXPORT_AS("fast2_recipsqrtTable_qd", root_seeds),
    EXPORT_AS("fast2_recipTable_qld", reciprocal_seeds),
    EXPORT_AS("fast2_recipsqrtTable_qld", root_seeds),
    EXPORT_END,
};

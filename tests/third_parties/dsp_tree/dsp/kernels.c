#include "kernels.h"

#include <hexagon_protos.h>
#include <hexagon_types.h>
#include <hvx_hexagon_protos.h>
#include <string.h>

#define WORDS (VECTOR / sizeof(int32_t))

static inline HVX_Vector load(const void *from) {
    HVX_Vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

// Through VTCM, a vector at a time.
void mix(const struct job *job, size_t first, size_t count) {
    HVX_Vector *scratch = (HVX_Vector *) job->vtcm;
    for (size_t i = first; i < first + count; i += WORDS) {
        scratch[0] = load(job->a + i);
        scratch[1] = load(job->b + i);
        HVX_Vector product = Q6_Vw_vmpyie_VwVuh(scratch[1], Q6_Vh_vsplat_R(job->weight));
        HVX_Vector sum = Q6_Vw_vadd_VwVw(scratch[0], product);
        memcpy(job->result + i, &sum, sizeof sum);
    }
}

void scale(const struct job *job, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        job->result[i] = job->a[i] * job->weight;
}

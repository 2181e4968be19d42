/* domain.h: the table of DSP domains, by which programs find the URI suffix of a domain id.
 *
 * Each source that includes it has a table of its own, which it may change. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdbool.h>

#include "remote.h"

__attribute__((unused)) static domain supported_domains[] = {
    {ADSP_DOMAIN_ID, ADSP_DOMAIN}, {MDSP_DOMAIN_ID, MDSP_DOMAIN},   {SDSP_DOMAIN_ID, SDSP_DOMAIN},
    {CDSP_DOMAIN_ID, CDSP_DOMAIN}, {CDSP1_DOMAIN_ID, CDSP1_DOMAIN},
};

/* Whether the domain is a compute DSP. */
static inline bool is_CDSP(int domain_id)
{
    return domain_id == CDSP_DOMAIN_ID || domain_id == CDSP1_DOMAIN_ID;
}

#endif

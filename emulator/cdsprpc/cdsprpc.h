/* cdsprpc.h: what all files of the emulated libcdsprpc share. */
#ifndef BUILDTOOL_CDSPRPC_CDSPRPC_H
#define BUILDTOOL_CDSPRPC_CDSPRPC_H

#include "AEEStdErr.h"
#include "remote.h"

/* Marks functions that the library exports. All others are hidden. */
#define EXPORT __attribute__((visibility("default")))

/* Converts a code to the DSP side's value. */
#define DSP_CODE(code) ((int)(DSP_AEE_EOFFSET + (unsigned)(code)))

/* NUM_DOMAINS of qualcomm/fastrpc, inc/fastrpc_common.h at 29851fde, by which sessions are counted;
 * the last one has no name. */
#define DOMAINS 8 /* adsp, mdsp, sdsp, cdsp, cdsp1, gdsp0, gdsp1 */
#define GDSP0_DOMAIN_ID 5
#define GDSP1_DOMAIN_ID 6
#define SESSIONS 4 /* sessions of each domain; 0 is the default session */
#define EFFECTIVE_DOMAINS (DOMAINS * SESSIONS)
#define OWN_DOMAIN CDSP_DOMAIN_ID

#endif

/* config.h: the configuration of the emulated device. */
#ifndef BUILDTOOL_CDSPRPC_CONFIG_H
#define BUILDTOOL_CDSPRPC_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "cdsprpc.h"

#define HMX_COMPUTES 1

struct config {
    char soc[64];
    uint32_t arch; /* of DSPs whose arch `domains` does not name; 0x68 for v68 */
    uint32_t vtcm_bytes;
    uint32_t heap_bytes;
    uint32_t hvx_units;
    uint32_t hw_threads;
    uint32_t hmx; /* 0: none; HMX_COMPUTES; 2: it is fused off and writes zeros */
    bool unsigned_pd;
    bool testsig;            /* signed processes load skels without a signature */
    uint32_t archs[DOMAINS]; /* 0: the device does not have this DSP */
    char qemu[1024];
    char qemu_cpu[32];
    char shell[1024];
    char hmx_unit[1024];
    char state[1024];
};

/* What a DSP of the device is and has. */
struct dsp {
    uint32_t arch; /* 0: the device does not have it, and nothing else is set */
    uint32_t vtcm_bytes;
    uint32_t hvx_units;
    uint32_t hmx;
    bool unsigned_pd;
};

/* Returns the DSP of an effective domain id. */
struct dsp config_dsp(const struct config *config, int effective);

/* Returns the device's configuration, which is read once. Returns NULL when it is missing or
 * invalid; the first call then writes a message to standard error. */
const struct config *config_get(void);

#endif

/* unit.h: what the DSP process and the program that computes HMX tell each other.
 *
 * That program, hmx_unit, runs natively on the build machine, because exact arithmetic on matrices takes
 * a hundred times as long in qemu. It is started as
 *
 *     hmx_unit ARCH VTCM_ADDRESS VTCM_BYTES VTCM_FD MODE
 *
 * and maps the DSP's VTCM, whose address is that in the DSP process. It reads requests from standard
 * input, and writes the reply to each to standard output. It ends at the end of file. */
#ifndef BUILDTOOL_HMX_UNIT_H
#define BUILDTOOL_HMX_UNIT_H

#include <poll.h>
#include <sched.h>
#include <stdint.h>

/* MODE: instructions compute; or those of floating point give zeros, as on chips without that half of
 * HMX. Together with HMX_STRICT, mistakes that a DSP does not notice stop. */
enum hmx_mode { HMX_COMPUTES = 1, HMX_ZEROS = 2, HMX_STRICT = 4 };

/* A packet: the numbers of one or two forms, and their registers Rs and Rt. */
struct hmx_request {
    uint32_t forms[2]; /* the second one can be HMX_NO_FORM */
    uint32_t registers[4];
    uint32_t usr;
    uint32_t turn; /* another number when another thread has locked HMX */
};

/* If the text is not empty, it is why the packet must not be executed: a phrase. */
struct hmx_reply {
    uint32_t address; /* of the memory that was used wrongly, or 0 */
    char text[252];
};

#define HMX_LOOKS 40

/* Looks for input for a moment before the caller reads, which sleeps: to wake another core takes longer than
 * most packets. */
static inline void hmx_look_for_input(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    for (int i = 0; i < HMX_LOOKS && poll(&input, 1, 0) == 0; i++) {
        sched_yield();
    }
}

#endif

/* hmx.h: executes the instructions of HMX, which qemu lacks. */
#ifndef BUILDTOOL_SHELL_HMX_H
#define BUILDTOOL_SHELL_HMX_H

#include <stdint.h>

/* Executes those of a packet: one, or an activation with a weight. `forms` has the number of the first
 * in its low half, and of the second one, or HMX_NO_FORM; rs and rt are their registers. */
void hmx_packet(uint32_t rs0, uint32_t rt0, uint32_t rs1, uint32_t rt1, uint32_t forms);

#endif

/* dspqueue_ring.c: the rings of a queue; the DSP's shell has the same code. */
#include "runtime/queue_ring.c"

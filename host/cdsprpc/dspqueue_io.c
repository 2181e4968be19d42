/* dspqueue_io.c: reading and writing of a queue; the DSP's shell has the same code. */
#include "runtime/queue_io.c"

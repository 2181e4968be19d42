/* dspqueue_end.c: waiting and callbacks of a queue; the DSP's shell has the same code. */
#include "runtime/queue_end.c"

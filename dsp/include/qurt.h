/* qurt.h: all headers of QuRT, the DSP's operating system.
 *
 * They declare the functions that kernels use. The interface (names, signatures, layout) is that
 * documented for QuRT in the Hexagon SDK. */
#ifndef QURT_H
#define QURT_H

#include "qurt_alloc.h"
#include "qurt_anysignal.h"
#include "qurt_barrier.h"
#include "qurt_cond.h"
#include "qurt_consts.h"
#include "qurt_cycles.h"
#include "qurt_error.h"
#include "qurt_event.h"
#include "qurt_futex.h"
#include "qurt_hvx.h"
#include "qurt_memory.h"
#include "qurt_mutex.h"
#include "qurt_pimutex.h"
#include "qurt_pipe.h"
#include "qurt_pmu.h"
#include "qurt_printf.h"
#include "qurt_rmutex.h"
#include "qurt_rmutex2.h"
#include "qurt_sclk.h"
#include "qurt_sem.h"
#include "qurt_signal.h"
#include "qurt_signal2.h"
#include "qurt_thread.h"
#include "qurt_timer.h"
#include "qurt_tls.h"
#include "qurt_types.h"

#endif

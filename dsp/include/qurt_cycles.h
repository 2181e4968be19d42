/* qurt_cycles.h: processor cycles.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_CYCLES_H
#define QURT_CYCLES_H

#ifdef __cplusplus
extern "C" {
#endif

unsigned long long int qurt_get_core_pcycles(void);
unsigned long long int qurt_profile_get_thread_pcycles(void);

#ifdef __cplusplus
}
#endif

#endif

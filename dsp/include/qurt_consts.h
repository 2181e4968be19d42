/* qurt_consts.h: constants that several QuRT headers share.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_CONSTS_H
#define QURT_CONSTS_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_MAX_HTHREAD_LIMIT 8
#define QURT_MAX_NAME_LEN 64
#define QURT_API_VERSION 12

/* Registers of the performance monitor, for qurt_pmu_get and qurt_pmu_set. */
#define QURT_PMUCNT0 0
#define QURT_PMUCNT1 1
#define QURT_PMUCNT2 2
#define QURT_PMUCNT3 3
#define QURT_PMUCFG 4
#define QURT_PMUEVTCFG 5
#define QURT_PMUCNT4 6
#define QURT_PMUCNT5 7
#define QURT_PMUCNT6 8
#define QURT_PMUCNT7 9
#define QURT_PMUEVTCFG1 10

#ifdef __cplusplus
}
#endif

#endif

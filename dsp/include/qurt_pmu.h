/* qurt_pmu.h: the performance monitor.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_PMU_H
#define QURT_PMU_H

#include "qurt_consts.h"

#ifdef __cplusplus
extern "C" {
#endif

void qurt_pmu_enable(int enable);
void qurt_pmu_set(int reg_id, unsigned int reg_value);
unsigned int qurt_pmu_get(int reg_id);

#ifdef __cplusplus
}
#endif

#endif

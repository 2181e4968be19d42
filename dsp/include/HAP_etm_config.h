/* HAP_etm_config.h: instruction tracing of the calling process.
 *
 * The interface is that documented for the Hexagon SDK (HAP_etm_config). */
#ifndef HAP_ETM_CONFIG_H_
#define HAP_ETM_CONFIG_H_

#include "AEEStdErr.h"

#ifdef __cplusplus
extern "C" {
#endif

int __HAP_user_etm_enable(void) __attribute__((weak));
int __HAP_user_etm_disable(void) __attribute__((weak));

static inline int HAP_user_etm_enable(void)
{
    return __HAP_user_etm_enable ? __HAP_user_etm_enable() : AEE_EUNSUPPORTED;
}

static inline int HAP_user_etm_disable(void)
{
    return __HAP_user_etm_disable ? __HAP_user_etm_disable() : AEE_EUNSUPPORTED;
}

#ifdef __cplusplus
}
#endif

#endif

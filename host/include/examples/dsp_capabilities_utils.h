/* dsp_capabilities_utils.h: questions to the device's FastRPC library about its DSPs.
 *
 * Projects made with a Hexagon SDK include this file and compile the .c beside it from utils/examples
 * of the SDK.  The functions have the names and parameters that these projects call; the
 * implementation is buildtool's own. */
#ifndef DSP_CAPABILITIES_UTILS_H
#define DSP_CAPABILITIES_UTILS_H

#include <stdbool.h>
#include <stdint.h>

#include "AEEStdErr.h"
#include "remote.h"

#pragma weak remote_system_request

#ifdef __cplusplus
extern "C" {
#endif

/* The compute DSP if the device has one, else the audio DSP: CDSP_DOMAIN_ID or ADSP_DOMAIN_ID. */
int get_dsp_support(int *domain);

/* One attribute of enum remote_dsp_attributes: VTCM_PAGE or VTCM_COUNT; HMX_SUPPORT_DEPTH or
 * HMX_SUPPORT_SPATIAL; HVX_SUPPORT_64B or HVX_SUPPORT_128B; for get_hex_arch_ver() ARCH_VER, whose
 * low byte is the arch in hex: 0x73 for v73.  All return 0 or an AEE error. */
int get_vtcm_info(int domain, uint32_t *capability, uint32_t attr);
int get_hmx_support_info(int domain, uint32_t *capability, uint32_t attr);
int get_hvx_support_info(int domain, uint32_t *capability, uint32_t attr);
int get_hex_arch_ver(int domain, uint32_t *capability);

/* Of the compute DSP, or of a domain; false also when the library does not answer. */
bool get_unsignedpd_support(void);
bool is_unsignedpd_supported(int domain_id);
bool is_async_fastrpc_supported(int domain_id);
bool is_status_notification_supported(int domain_id);

/* Whether there is a domain of that id, with `compute_only` a compute DSP. */
bool is_valid_domain_id(int domain_id, int compute_only);

/* The id and the suffix of URIs of a domain; NULL for an unknown one. */
domain *get_domain(int domain_id);

/* The domains of the type "NSP", "LPASS", "SDSP", "MODEM", "HPASS" or "ALL", in memory that the
 * caller frees. */
int get_domains_info(char *domain_type, int *num_domains, fastrpc_domain **domains_info);

#ifdef __cplusplus
}
#endif

#endif

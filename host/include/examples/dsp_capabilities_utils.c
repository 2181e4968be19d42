#include "dsp_capabilities_utils.h"

#include <stdlib.h>
#include <string.h>

#include "domain.h"

static int ask(int domain_id, uint32_t attribute, uint32_t *capability)
{
    struct remote_dsp_capability asked = {.domain = (uint32_t)domain_id, .attribute_ID = attribute};
    *capability = 0;
    int code = remote_handle_control(DSPRPC_GET_DSP_INFO, &asked, sizeof asked);
    if (code == AEE_SUCCESS) {
        *capability = asked.capability;
    }
    return code;
}

static bool has(int domain_id, uint32_t attribute)
{
    uint32_t capability;
    return ask(domain_id, attribute, &capability) == AEE_SUCCESS && capability != 0;
}

int get_dsp_support(int *domain_id)
{
    *domain_id = has(CDSP_DOMAIN_ID, DOMAIN_SUPPORT) ? CDSP_DOMAIN_ID : ADSP_DOMAIN_ID;
    return has(*domain_id, DOMAIN_SUPPORT) ? AEE_SUCCESS : AEE_EUNSUPPORTEDAPI;
}

int get_vtcm_info(int domain_id, uint32_t *capability, uint32_t attribute)
{
    return ask(domain_id, attribute, capability);
}

int get_hmx_support_info(int domain_id, uint32_t *capability, uint32_t attribute)
{
    return ask(domain_id, attribute, capability);
}

int get_hvx_support_info(int domain_id, uint32_t *capability, uint32_t attribute)
{
    return ask(domain_id, attribute, capability);
}

int get_hex_arch_ver(int domain_id, uint32_t *capability)
{
    return ask(domain_id, ARCH_VER, capability);
}

bool get_unsignedpd_support(void)
{
    return is_unsignedpd_supported(CDSP_DOMAIN_ID);
}

bool is_unsignedpd_supported(int domain_id)
{
    return has(domain_id, UNSIGNED_PD_SUPPORT);
}

bool is_async_fastrpc_supported(int domain_id)
{
    return has(domain_id, ASYNC_FASTRPC_SUPPORT);
}

bool is_status_notification_supported(int domain_id)
{
    return has(domain_id, STATUS_NOTIFICATION_SUPPORT);
}

bool is_valid_domain_id(int domain_id, int compute_only)
{
    return get_domain(domain_id) != NULL && (is_CDSP(domain_id) || !compute_only);
}

domain *get_domain(int domain_id)
{
    for (size_t i = 0; i < sizeof supported_domains / sizeof supported_domains[0]; i++) {
        if (supported_domains[i].id == domain_id) {
            return &supported_domains[i];
        }
    }
    return NULL;
}

int get_domains_info(char *domain_type, int *num_domains, fastrpc_domain **domains_info)
{
    static const char *const names[] = {"ALL", "NSP", "LPASS", "SDSP", "MODEM", "HPASS"};
    uint64_t type = 0;
    while (type < sizeof names / sizeof names[0] && strcmp(names[type], domain_type) != 0) {
        type++;
    }
    if (type == sizeof names / sizeof names[0]) {
        return AEE_EBADPARM;
    }
    if (remote_system_request == NULL) {
        return AEE_EUNSUPPORTED;
    }
    system_req_payload request = {.id = FASTRPC_GET_DOMAINS};
    request.sys.flags = DOMAINS_LIST_FLAGS_SET_TYPE(0, type);
    int code = remote_system_request(&request);
    if (code != AEE_SUCCESS) {
        return code;
    }
    int count = request.sys.num_domains;
    fastrpc_domain *found = calloc((size_t)(count > 0 ? count : 1), sizeof *found);
    if (found == NULL) {
        return AEE_ENOMEMORY;
    }
    request.sys.domains = found;
    request.sys.max_domains = count;
    code = remote_system_request(&request);
    if (code != AEE_SUCCESS) {
        free(found);
        return code;
    }
    *num_domains = request.sys.num_domains < count ? request.sys.num_domains : count;
    *domains_info = found;
    return AEE_SUCCESS;
}

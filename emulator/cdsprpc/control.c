/* control.c: remote_handle_control and remote_system_request.
 *
 * The codes are those of the open-source libcdsprpc (quic/fastrpc, src/fastrpc_apps_user.c,
 * fastrpc_cap.c). */
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "handles.h"
#include "uri.h"

#define ATTRIBUTES_MAX 256
#define LATENCY_POLL_MAX 10000    /* microseconds */
#define ARCH_VERSION_BASE 0x8d00u /* devices report 0x8d73 for v73; the low byte is the arch */

static uint32_t attribute(const struct dsp *dsp, uint32_t id)
{
    switch (id) {
    case DOMAIN_SUPPORT:
        return 1;
    case UNSIGNED_PD_SUPPORT:
        return dsp->unsigned_pd;
    case HVX_SUPPORT_128B:
        return dsp->hvx_units;
    case VTCM_PAGE:
        return dsp->vtcm_bytes;
    case VTCM_COUNT:
        return dsp->vtcm_bytes > 0;
    case ARCH_VER:
        return ARCH_VERSION_BASE | (dsp->arch & 0xff);
    case HMX_SUPPORT_DEPTH:
    case HMX_SUPPORT_SPATIAL:
        return dsp->hmx == HMX_COMPUTES;
    case ASYNC_FASTRPC_SUPPORT:
    case STATUS_NOTIFICATION_SUPPORT:
        return 1;
    default:
        /* Includes HVX_SUPPORT_64B, because v66 was the last arch with 64-byte HVX. */
        return 0;
    }
}

static int dsp_info(struct remote_dsp_capability *asked, uint32_t size)
{
    if (asked == NULL || size < sizeof *asked || asked->domain >= EFFECTIVE_DOMAINS ||
        asked->attribute_ID >= ATTRIBUTES_MAX) {
        return AEE_EBADPARM;
    }
    const struct config *config = config_get();
    if (config == NULL) {
        return AEE_ECONNREFUSED;
    }
    const struct dsp dsp = config_dsp(config, (int)asked->domain);
    asked->capability = dsp.arch != 0 ? attribute(&dsp, asked->attribute_ID) : 0;
    /* For the other attributes the library opens the DSP's device node. */
    return dsp.arch != 0 || asked->attribute_ID == DOMAIN_SUPPORT ? AEE_SUCCESS : AEE_ECONNREFUSED;
}

/* Checks the request only. The emulation never sleeps, so it meets every latency. */
static int latency(const struct remote_rpc_control_latency *asked, uint32_t size)
{
    if (asked == NULL || size != sizeof *asked || asked->enable > RPC_POLL_QOS ||
        (asked->enable == RPC_POLL_QOS && asked->latency >= LATENCY_POLL_MAX)) {
        return AEE_EBADPARM;
    }
    return AEE_SUCCESS;
}

static int control(int effective, uint32_t req, void *data, uint32_t size)
{
    switch (req) {
    case DSPRPC_GET_DSP_INFO:
        return dsp_info(data, size);
    case DSPRPC_CONTROL_LATENCY:
        return latency(data, size);
    case DSPRPC_CONTROL_WAKELOCK:
        return data == NULL || size != sizeof(struct remote_rpc_control_wakelock) ? AEE_EBADPARM
                                                                                  : AEE_SUCCESS;
    case DSPRPC_GET_DOMAIN:
        if (data == NULL || size != sizeof(remote_rpc_get_domain_t)) {
            return AEE_EBADPARM;
        }
        ((remote_rpc_get_domain_t *)data)->domain = effective;
        return AEE_SUCCESS;
    default:
        return AEE_EUNSUPPORTED;
    }
}

EXPORT int remote_handle_control(uint32_t req, void *data, uint32_t datalen)
{
    return control(OWN_DOMAIN, req, data, datalen);
}

EXPORT int remote_handle64_control(remote_handle64 h, uint32_t req, void *data, uint32_t datalen)
{
    struct opened *handle = handle_acquire(h, true);
    if (handle == NULL) {
        return AEE_EINVHANDLE;
    }
    int code = control(handle->session->effective, req, data, datalen);
    handle_release(handle);
    return code;
}

/* ---- the list of DSPs ---- */

static fastrpc_domain_type type_of(int domain)
{
    /* GDSPs have no type of their own. */
    static const fastrpc_domain_type types[DOMAINS] = {
        FASTRPC_LPASS, FASTRPC_MODEM, FASTRPC_SDSP, FASTRPC_NSP,
        FASTRPC_NSP,   FASTRPC_NSP,   FASTRPC_NSP,
    };
    return types[domain];
}

EXPORT int remote_system_request(system_req_payload *req)
{
    if (req == NULL) {
        return AEE_EBADPARM;
    }
    if (req->id != FASTRPC_GET_DOMAINS) {
        return AEE_EUNSUPPORTED;
    }
    const struct config *config = config_get();
    if (config == NULL) {
        return AEE_ECONNREFUSED;
    }
    uint64_t type = req->sys.flags & ((1u << DOMAINS_LIST_FLAGS_TYPE_POS) - 1u);
    int count = 0;
    for (int i = 0; i < DOMAINS; i++) {
        if (config->archs[i] == 0 || (type != FASTRPC_ALL_DOMAINS && type != type_of(i))) {
            continue;
        }
        if (req->sys.domains != NULL && count < req->sys.max_domains) {
            fastrpc_domain *domain = &req->sys.domains[count];
            memset(domain, 0, sizeof *domain);
            domain->id = i;
            domain->instance_id = i == CDSP1_DOMAIN_ID || i == GDSP1_DOMAIN_ID;
            snprintf(domain->name, sizeof domain->name, "%s", domain_name(i));
            domain->type = type_of(i);
            domain->status = 1;
        }
        count++;
    }
    bool fits = req->sys.domains == NULL || count <= req->sys.max_domains;
    req->sys.num_domains = count;
    return fits ? AEE_SUCCESS : AEE_EBADPARM;
}

EXPORT int remote_set_mode(uint32_t mode)
{
    return mode <= REMOTE_MODE_SERIAL ? AEE_SUCCESS : AEE_EBADPARM;
}

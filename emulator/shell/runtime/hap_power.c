/* hap_power.c: power votes. They are recorded for each client and have no effect on the speed of
 * qemu. Votes for units that the chip does not have are refused. */
#include <pthread.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "HAP_power.h"
#include "../trace.h"
#include "hmx_lock.h"
#include "runtime.h"
#include "text.h"

#define CLOCK_HZ 1000000000u /* the rate of clock_cycles */

struct client {
    struct client *next;
    const void *context;
    unsigned int class;
    bool dcvs, hmx;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct client *clients;

static struct client *find(const void *context)
{
    struct client *client = clients;
    while (client != NULL && client->context != context) {
        client = client->next;
    }
    return client;
}

/* Returns the client of a context, which the first vote creates. The caller holds the lock. */
static struct client *enlist(const void *context)
{
    struct client *client = find(context);
    if (client == NULL) {
        client = calloc(1, sizeof *client);
        if (client != NULL) {
            *client = (struct client){.next = clients, .context = context, .dcvs = true};
            clients = client;
        }
    }
    return client;
}

static int vote_for_hmx(struct client *client, bool wanted)
{
    if (!wanted || shell_facts()->hmx != 0) {
        client->hmx = wanted;
        return AEE_SUCCESS;
    }
    REFUSE_ONCE("HAP_power_set: the %s has no HMX that can be powered up", shell_facts()->soc);
    return HAP_POWER_ERR_UNSUPPORTED_API;
}

static int vote(struct client *client, const HAP_power_request_t *request)
{
    switch (request->type) {
    case HAP_power_set_apptype:
        client->class = request->apptype;
        return AEE_SUCCESS;
    case HAP_power_set_DCVS:
        client->dcvs = request->dcvs.dcvs_enable;
        return AEE_SUCCESS;
    case HAP_power_set_DCVS_v2:
        client->dcvs = request->dcvs_v2.dcvs_enable;
        return AEE_SUCCESS;
    case HAP_power_set_DCVS_v3:
        if (request->dcvs_v3.set_dcvs_enable) {
            client->dcvs = request->dcvs_v3.dcvs_enable;
        }
        return AEE_SUCCESS;
    case HAP_power_set_dcvs_v2_update:
        if (request->dcvs_v2_update.update_param == HAP_POWER_UPDATE_DCVS) {
            client->dcvs = request->dcvs_v2_update.dcvs_payload.dcvs_enable;
        }
        return AEE_SUCCESS;
    case HAP_power_set_HVX:
        return request->hvx.power_up && shell_facts()->hvx_units == 0
                   ? HAP_POWER_ERR_UNSUPPORTED_API
                   : AEE_SUCCESS;
    case HAP_power_set_HMX:
        return vote_for_hmx(client, request->hmx.power_up);
    case HAP_power_set_HMX_v2:
        return request->hmx_v2.set_power ? vote_for_hmx(client, request->hmx_v2.power_up)
                                         : AEE_SUCCESS;
    case HAP_power_set_mips_bw:
    case HAP_power_set_linelock:
    case HAP_power_set_linelock_nothrottle:
        return AEE_SUCCESS;
    case HAP_power_set_vapss:
    case HAP_power_set_vapss_v2:
    case HAP_power_set_streamer:
        return HAP_POWER_ERR_UNSUPPORTED_API; /* only other SoCs have these cores */
    default:
        return HAP_POWER_ERR_INVALID_PARAM;
    }
}

static void trace_vote(const HAP_power_request_t *request, int code)
{
    static const char *const names[] = {"unknown",
                                        "mips_bw",
                                        "HVX",
                                        "apptype",
                                        "linelock",
                                        "DCVS",
                                        "linelock_nothrottle",
                                        "DCVS_v2",
                                        "vapss",
                                        "vapss_v2",
                                        "dcvs_v2_update",
                                        "streamer",
                                        "DCVS_v3",
                                        "HMX",
                                        "HMX_v2"};
    if (!trace_is_on()) { /* 1,200 packets, which would count for the skel's method */
        return;
    }
    char line[160];
    struct text text = text_start(line, sizeof line);
    const unsigned type = (unsigned)request->type;
    text_add(&text, "HAP_power_set %s", names[type < sizeof names / sizeof names[0] ? type : 0]);
    if (request->type == HAP_power_set_DCVS_v3) {
        const HAP_power_dcvs_v3_payload *vote = &request->dcvs_v3;
        if (vote->set_dcvs_enable) {
            text_add(&text, " dcvs=%d option=0x%x", vote->dcvs_enable, (unsigned)vote->dcvs_option);
        }
        if (vote->set_latency) {
            text_add(&text, " latency=%u us", (unsigned)vote->latency);
        }
        if (vote->set_core_params) {
            text_add(&text, " core=0x%x", (unsigned)vote->core_params.target_corner);
        }
        if (vote->set_bus_params) {
            text_add(&text, " bus=0x%x", (unsigned)vote->bus_params.target_corner);
        }
        if (vote->set_sleep_disable) {
            text_add(&text, " sleep_disable=%d", vote->sleep_disable);
        }
    } else if (request->type == HAP_power_set_HVX) {
        text_add(&text, " power_up=%d", request->hvx.power_up);
    }
    if (code != AEE_SUCCESS) {
        text_add(&text, ": 0x%x", (unsigned)code);
    }
    trace_event(BT_TRACE_DSP_VOTE, line);
}

bool hmx_is_powered(void)
{
    bool powered = false;
    pthread_mutex_lock(&lock);
    for (const struct client *client = clients; client != NULL; client = client->next) {
        powered = powered || client->hmx;
    }
    pthread_mutex_unlock(&lock);
    return powered;
}

int HAP_power_set(void *context, HAP_power_request_t *request)
{
    if (request == NULL) {
        return HAP_POWER_ERR_INVALID_PARAM;
    }
    pthread_mutex_lock(&lock);
    struct client *client = enlist(context);
    int code = client == NULL ? HAP_POWER_ERR_UNKNOWN : vote(client, request);
    pthread_mutex_unlock(&lock);
    trace_vote(request, code);
    return code;
}

/* DCVS is disabled as soon as one client disables it. */
static bool dcvs_enabled(void)
{
    bool enabled = true;
    for (const struct client *client = clients; client != NULL; client = client->next) {
        enabled = enabled && client->dcvs;
    }
    return enabled;
}

static int answer(const void *context, HAP_power_response_t *response)
{
    switch (response->type) {
    case HAP_power_get_max_mips:
        response->max_mips = CLOCK_HZ / 1000000u * shell_facts()->hw_threads;
        return AEE_SUCCESS;
    case HAP_power_get_max_bus_bw:
        response->max_bus_bw = 0; /* no bus is modelled */
        return AEE_SUCCESS;
    case HAP_power_get_client_class: {
        const struct client *client = find(context);
        response->client_class = client == NULL ? (unsigned int)HAP_POWER_UNKNOWN_CLIENT_CLASS
                                                : client->class;
        return AEE_SUCCESS;
    }
    case HAP_power_get_clk_Freq:
        response->clkFreqHz = CLOCK_HZ;
        return AEE_SUCCESS;
    case HAP_power_get_aggregateAVSMpps:
        response->aggregateAVSMpps = 0;
        return AEE_SUCCESS;
    case HAP_power_get_dcvsEnabled:
        response->dcvsEnabled = dcvs_enabled();
        return AEE_SUCCESS;
    default:
        return HAP_POWER_ERR_UNSUPPORTED_API;
    }
}

int HAP_power_get(void *context, HAP_power_response_t *response)
{
    if (response == NULL) {
        return HAP_POWER_ERR_INVALID_PARAM;
    }
    pthread_mutex_lock(&lock);
    int code = answer(context, response);
    pthread_mutex_unlock(&lock);
    return code;
}

int HAP_power_destroy_client(void *context)
{
    struct client *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct client **at = &clients; *at != NULL; at = &(*at)->next) {
        if ((*at)->context == context) {
            found = *at;
            *at = found->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    free(found);
    return found == NULL ? AEE_ENOSUCHCLIENT : AEE_SUCCESS;
}

const struct shell_symbol hap_power_symbols[] = {
    EXPORT(HAP_power_set),
    EXPORT(HAP_power_get),
    EXPORT(HAP_power_destroy_client),
    EXPORT_END,
};

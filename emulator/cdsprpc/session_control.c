/* session_control.c: remote_session_control.
 *
 * The requests and codes are those of the open-source libcdsprpc (quic/fastrpc,
 * src/fastrpc_apps_user.c). */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "notifiers.h"
#include "session.h"
#include "settings.h"
#include "uri.h"

#define PRIORITY_DEFAULT 192
#define PRIORITY_MAX 255

/* Whether an effective domain is valid. -1 means every domain. */
static bool effective_valid(int effective)
{
    return effective >= 0 && effective < EFFECTIVE_DOMAINS;
}

static int each_domain(int asked, int (*act)(int effective, const void *data), const void *data)
{
    if (asked != -1) {
        return effective_valid(asked) ? act(asked, data) : AEE_EBADPARM;
    }
    int code = AEE_SUCCESS;
    for (int i = 0; i < EFFECTIVE_DOMAINS && code == AEE_SUCCESS; i++) {
        code = act(i, data);
    }
    return code;
}

static int thread_params(int effective, const void *data)
{
    const struct remote_rpc_thread_params *asked = data;
    return settings_threads(effective, asked->prio, asked->stack_size);
}

static int relative_priority(int effective, const void *data)
{
    const struct remote_rpc_relative_thread_priority *asked = data;
    long long priority = (long long)PRIORITY_DEFAULT + asked->relative_thread_priority;
    priority = priority < 1 ? 1 : priority > PRIORITY_MAX ? PRIORITY_MAX : priority;
    return settings_threads(effective, (int)priority, -1);
}

static int unsigned_module(int effective, const void *data)
{
    const struct remote_rpc_control_unsigned_module *asked = data;
    bool enable = asked->enable != 0;
    struct session *session;
    if (session_get(effective, false, &session) != AEE_SUCCESS) {
        settings_unsigned(effective, enable);
        return AEE_SUCCESS;
    }
    session_put(session);
    if (settings_of(effective).unsigned_module == enable) {
        return AEE_SUCCESS;
    }
    log_message("%s already runs %s process: request an unsigned one before the first open",
                domain_name(effective % DOMAINS), enable ? "a signed" : "an unsigned");
    return AEE_EALREADYLOADED;
}

static int session_close(int effective, const void *data)
{
    struct session *session;
    (void)data;
    if (session_get(effective, false, &session) == AEE_SUCCESS) {
        session_end(session);
        session_await_notified(session);
        session_put(session);
    }
    return AEE_SUCCESS;
}

static int notify(int effective, const void *data)
{
    struct session *session;
    if (session_get(effective, false, &session) == AEE_SUCCESS) {
        pthread_mutex_lock(&session->lock);
        int code = session->watched ? AEE_SUCCESS : watch_start(session);
        pthread_mutex_unlock(&session->lock);
        session_put(session);
        if (code != AEE_SUCCESS) {
            return code;
        }
    }
    return notifiers_add(effective, data);
}

static int accept_any(int effective, const void *data)
{
    (void)effective;
    (void)data;
    return AEE_SUCCESS;
}

/* ---- requests for the process of one domain ---- */

static int process_kill(int effective)
{
    struct session *session;
    int code = session_get(effective, false, &session);
    if (code != AEE_SUCCESS) {
        return code == AEE_ENOSUCH ? AEE_ERPC : code;
    }
    pthread_mutex_lock(&session->lock);
    session->killed = true;
    kill(session->process, SIGKILL);
    pthread_mutex_unlock(&session->lock);
    session_lost(session);
    session_put(session);
    return AEE_SUCCESS;
}

static int process_exception(int effective)
{
    struct session *session;
    struct wire_header header = {.kind = WIRE_EXCEPTION};
    int code = session_get(effective, false, &session);
    if (code != AEE_SUCCESS) {
        return code == AEE_ENOSUCH ? AEE_ERPC : code;
    }
    code = session_request(session, &header, NULL, 0, -1, NULL, NULL);
    session_put(session);
    return code == DSP_CODE(AEE_EBADSTATE) ? AEE_SUCCESS : AEE_ERPC;
}

static int process_type(struct remote_process_type *asked)
{
    if (!effective_valid(asked->domain)) {
        return AEE_EBADPARM;
    }
    asked->process_type = settings_of(asked->domain).unsigned_module ? PROCESS_TYPE_UNSIGNED
                                                                     : PROCESS_TYPE_SIGNED;
    return AEE_SUCCESS;
}

static int initial_memory(int effective, const void *data)
{
    const struct remote_rpc_pd_initmem_size *asked = data;
    const uint32_t mega = 1u << 20;
    if (settings_of(effective).unsigned_module) {
        return AEE_EUNSUPPORTED;
    }
    return asked->pd_initmem_size < 3 * mega || asked->pd_initmem_size > 200 * mega ? AEE_EBADPARM
                                                                                    : AEE_SUCCESS;
}

/* ---- names and sessions ---- */

static int reserve(remote_rpc_reserve_new_session_t *asked)
{
    if (asked->domain_name == NULL || asked->session_name == NULL || asked->session_name_len == 0) {
        return AEE_EBADPARM;
    }
    int domain = domain_by_name(asked->domain_name, asked->domain_name_len);
    if (domain < 0) {
        return AEE_EBADPARM;
    }
    int code = settings_reserve(domain, &asked->session_id);
    if (code == AEE_SUCCESS) {
        asked->effective_domain_id = (uint32_t)domain + DOMAINS * asked->session_id;
    }
    return code;
}

static int effective_id(remote_rpc_effective_domain_id_t *asked)
{
    int domain = asked->domain_name == NULL
                     ? -1
                     : domain_by_name(asked->domain_name, asked->domain_name_len);
    if (domain < 0 || asked->session_id >= SESSIONS) {
        return AEE_EBADPARM;
    }
    asked->effective_domain_id = (uint32_t)domain + DOMAINS * asked->session_id;
    return AEE_SUCCESS;
}

static int get_uri(remote_rpc_get_uri_t *asked)
{
    int domain = asked->domain_name == NULL
                     ? -1
                     : domain_by_name(asked->domain_name, asked->domain_name_len);
    if (domain < 0 || asked->session_id >= SESSIONS || asked->module_uri == NULL ||
        asked->module_uri_len == 0 || asked->uri == NULL) {
        return AEE_EBADPARM;
    }
    int length = snprintf(asked->uri, asked->uri_len, "%.*s&_dom=%s&_session=%u",
                          (int)asked->module_uri_len, asked->module_uri, domain_name(domain),
                          (unsigned)asked->session_id);
    return length < 0 || (uint32_t)length >= asked->uri_len ? AEE_EBADSIZE : AEE_SUCCESS;
}

/* Returns the size of a request's structure, or 0 for an unknown request. */
static uint32_t size_of(uint32_t req)
{
    static const uint32_t sizes[] = {
        [FASTRPC_THREAD_PARAMS] = sizeof(struct remote_rpc_thread_params),
        [DSPRPC_CONTROL_UNSIGNED_MODULE] = sizeof(struct remote_rpc_control_unsigned_module),
        [FASTRPC_RELATIVE_THREAD_PRIORITY] = sizeof(struct remote_rpc_relative_thread_priority),
        [FASTRPC_REMOTE_PROCESS_KILL] = sizeof(struct remote_rpc_process_clean_params),
        [FASTRPC_SESSION_CLOSE] = sizeof(struct remote_rpc_session_close),
        [FASTRPC_CONTROL_PD_DUMP] = sizeof(struct remote_rpc_control_pd_dump),
        [FASTRPC_REMOTE_PROCESS_EXCEPTION] = sizeof(remote_rpc_process_exception),
        [FASTRPC_REMOTE_PROCESS_TYPE] = sizeof(struct remote_process_type),
        [FASTRPC_REGISTER_STATUS_NOTIFICATIONS] = sizeof(remote_rpc_notif_register_t),
        [FASTRPC_PD_INITMEM_SIZE] = sizeof(struct remote_rpc_pd_initmem_size),
        [FASTRPC_RESERVE_NEW_SESSION] = sizeof(remote_rpc_reserve_new_session_t),
        [FASTRPC_GET_EFFECTIVE_DOMAIN_ID] = sizeof(remote_rpc_effective_domain_id_t),
        [FASTRPC_GET_URI] = sizeof(remote_rpc_get_uri_t),
    };
    return req < sizeof sizes / sizeof sizes[0] ? sizes[req] : 0;
}

/* Returns the domain, the first member of a request's structure. */
static int domain_in(const void *data)
{
    int domain;
    memcpy(&domain, data, sizeof domain);
    return domain;
}

EXPORT int remote_session_control(uint32_t req, void *data, uint32_t datalen)
{
    uint32_t size = size_of(req);
    if (size == 0) {
        return AEE_EUNSUPPORTED;
    }
    if (data == NULL || datalen != size) {
        return AEE_EBADPARM;
    }
    switch (req) {
    case FASTRPC_THREAD_PARAMS:
        return each_domain(domain_in(data), thread_params, data);
    case DSPRPC_CONTROL_UNSIGNED_MODULE:
        return each_domain(domain_in(data), unsigned_module, data);
    case FASTRPC_RELATIVE_THREAD_PRIORITY:
        return each_domain(domain_in(data), relative_priority, data);
    case FASTRPC_REMOTE_PROCESS_KILL:
        return process_kill(domain_in(data));
    case FASTRPC_SESSION_CLOSE:
        return each_domain(domain_in(data), session_close, data);
    case FASTRPC_CONTROL_PD_DUMP:
        return each_domain(domain_in(data), accept_any, data);
    case FASTRPC_REMOTE_PROCESS_EXCEPTION:
        return process_exception(domain_in(data));
    case FASTRPC_REMOTE_PROCESS_TYPE:
        return process_type(data);
    case FASTRPC_REGISTER_STATUS_NOTIFICATIONS: {
        const remote_rpc_notif_register_t *asked = data;
        return asked->notifier_fn == NULL ? AEE_EBADPARM
               : asked->domain == -1      ? notifiers_add(-1, asked)
                                          : each_domain(asked->domain, notify, asked);
    }
    case FASTRPC_PD_INITMEM_SIZE:
        return each_domain(domain_in(data), initial_memory, data);
    case FASTRPC_RESERVE_NEW_SESSION:
        return reserve(data);
    case FASTRPC_GET_EFFECTIVE_DOMAIN_ID:
        return effective_id(data);
    default:
        return get_uri(data);
    }
}

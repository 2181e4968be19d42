/* open.c: opens, calls and closes interfaces of skels. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "handles.h"
#include "invoke.h"
#include "log.h"
#include "search.h"
#include "session.h"
#include "settings.h"
#include "uri.h"

#define ALL_ONES_32 UINT32_MAX

/* Writes the payload of OPEN: file, symbol and URI, each with a terminator. */
static size_t pack(char *to, size_t room, const struct uri *uri, const char *text)
{
    const char *const parts[3] = {uri->file, uri->symbol, text};
    size_t used = 0;
    for (int i = 0; i < 3; i++) {
        size_t size = strlen(parts[i]) + 1;
        if (size > room - used) {
            return 0;
        }
        memcpy(to + used, parts[i], size);
        used += size;
    }
    return used;
}

static int request_open(struct session *session, const struct uri *uri, const char *text, int skel,
                        uint64_t *remote)
{
    char payload[WIRE_TEXT_MAX], reason[WIRE_TEXT_MAX + 1] = "";
    size_t size = pack(payload, sizeof payload, uri, text);
    size_t reason_size = WIRE_TEXT_MAX;
    if (size == 0) {
        return AEE_EBADPARM;
    }
    struct wire_header header = {.kind = WIRE_OPEN, .value = uri->is_64};
    struct running running = {.name = uri->file, .opening = true};
    session_running(session, &running);
    int code = session_request(session, &header, payload, size, skel, reason, &reason_size);
    session_returned(session, &running);
    if (code != AEE_SUCCESS && header.kind == WIRE_REPLY) {
        log_message("%s is not opened on %s: %s (0x%x)", uri->file,
                    domain_name(session->effective % DOMAINS),
                    reason[0] != 0 ? reason : "no reason given", (unsigned)code);
    }
    *remote = header.handle;
    return code;
}

/* Changes the number of open handles. As on a device, a session ends with its last handle. */
static void session_count_handles(struct session *session, int change)
{
    pthread_mutex_lock(&session->lock);
    session->handles += change;
    bool unused = session->handles == 0 && !session->pinned && !session->dead;
    session->closed = session->closed || unused;
    pthread_mutex_unlock(&session->lock);
    if (unused) {
        session_end(session);
    }
}

/* Finds or starts a session and counts a handle for it. Ignores a session that is ending because
 * another thread has closed its last handle. */
static int session_join(int effective, struct session **session)
{
    for (;;) {
        int code = session_get(effective, true, session);
        if (code != AEE_SUCCESS) {
            return code;
        }
        pthread_mutex_lock(&(*session)->lock);
        bool living = !(*session)->ending && !(*session)->closed && !(*session)->dead;
        (*session)->handles += living;
        pthread_mutex_unlock(&(*session)->lock);
        if (living) {
            return AEE_SUCCESS;
        }
        session_put(*session);
    }
}

static int open_found(const struct uri *uri, int effective, const char *text, int skel,
                      uint64_t *remote, struct session **out)
{
    struct session *session;
    int code = session_join(effective, &session);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = request_open(session, uri, text, skel, remote);
    if (code != AEE_SUCCESS) {
        session_count_handles(session, -1);
        session_put(session);
        return code;
    }
    *out = session;
    return AEE_SUCCESS;
}

static int open_any(const char *text, bool is_64, uint64_t *id)
{
    struct uri uri;
    struct session *session;
    uint64_t remote = 0;
    if (uri_parse(text, &uri) != AEE_SUCCESS || (is_64 && uri.domain < 0)) {
        log_message("'%s' is not the URI of a module%s", text,
                    strstr(text, "_dom=") == NULL ? ": it must end with &_dom=cdsp" : "");
        return AEE_EBADPARM;
    }
    const struct config *config = config_get();
    if (config == NULL) {
        return AEE_ECONNREFUSED;
    }
    int domain = uri.domain < 0 ? OWN_DOMAIN : uri.domain;
    int effective = domain + DOMAINS * uri.session;
    int code = AEE_SUCCESS;
    int skel = -1;
    const struct dsp dsp = config_dsp(config, domain);
    if (dsp.arch != 0) {
        skel = search_open(uri.file, domain_name(domain), false, &code);
        if (skel < 0) {
            return code;
        }
        if (!settings_of(effective).unsigned_module && !config->testsig) {
            log_message(
                "signature verify start failed: %s is not signed and the process on %s is a signed "
                "one; %s",
                uri.file, domain_name(domain),
                dsp.unsigned_pd
                    ? "ask for an unsigned process (DSPRPC_CONTROL_UNSIGNED_MODULE) before the "
                      "first open"
                    : "this DSP has no others: sign the skel, or put a test signature on the "
                      "device (the emulated one: --soc SOC,testsig)");
            close(skel);
            return DSP_CODE(AEE_EUNSIGNEDMOD);
        }
    }
    code = open_found(&uri, effective, text, skel, &remote, &session);
    if (skel >= 0) {
        close(skel);
    }
    if (code == AEE_SUCCESS) {
        code = handle_add(session, remote, is_64, uri.file, id);
        if (code != AEE_SUCCESS) {
            session_count_handles(session, -1);
            session_put(session);
        }
    }
    return code;
}

EXPORT int remote_handle64_open(const char *name, remote_handle64 *ph)
{
    uint64_t id = 0;
    if (name == NULL || ph == NULL) {
        return AEE_EBADPARM;
    }
    int code = open_any(name, true, &id);
    *ph = code == AEE_SUCCESS ? id : 0;
    return code;
}

EXPORT int remote_handle_open(const char *name, remote_handle *ph)
{
    uint64_t id = 0;
    if (name == NULL || ph == NULL) {
        return AEE_EBADPARM;
    }
    int code = open_any(name, false, &id);
    *ph = code == AEE_SUCCESS ? (remote_handle)id : 0;
    return code;
}

static int close_any(uint64_t id, bool is_64, int unknown)
{
    struct opened *handle = handle_remove(id, is_64);
    if (handle == NULL) {
        return unknown;
    }
    struct session *session = handle->session;
    struct wire_header header = {.kind = WIRE_CLOSE, .handle = handle->remote};
    int code = AEE_SUCCESS;
    if (!session->dead) {
        struct running running = {.name = handle->name, .method = 1};
        session_running(session, &running);
        code = session_request(session, &header, NULL, 0, -1, NULL, NULL);
        session_returned(session, &running);
    }
    session_count_handles(session, -1);
    if (session->dead) {
        session_await_notified(session);
    }
    session_put(session);
    free(handle);
    return code;
}

EXPORT int remote_handle64_close(remote_handle64 h)
{
    return close_any(h, true, AEE_EINVHANDLE);
}

EXPORT int remote_handle_close(remote_handle h)
{
    return close_any(h, false, h == ALL_ONES_32 ? AEE_EINVHANDLE : DSP_CODE(AEE_ENOSUCHMOD));
}

static int invoke_any(uint64_t id, bool is_64, int unknown, uint32_t scalars, remote_arg *arguments)
{
    struct opened *handle = handle_acquire(id, is_64);
    if (handle == NULL) {
        return unknown;
    }
    int code = invoke(handle, scalars, arguments, NULL, NULL);
    handle_release(handle);
    return code;
}

EXPORT int remote_handle64_invoke(remote_handle64 h, uint32_t scalars, remote_arg *pra)
{
    return invoke_any(h, true, AEE_EINVHANDLE, scalars, pra);
}

EXPORT int remote_handle_invoke(remote_handle h, uint32_t scalars, remote_arg *pra)
{
    return invoke_any(h, false, h == ALL_ONES_32 ? AEE_EINVHANDLE : DSP_CODE(AEE_ENOSUCHMOD),
                      scalars, pra);
}

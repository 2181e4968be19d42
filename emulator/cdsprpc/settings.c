/* settings.c: what clients request for a domain before its DSP process starts.
 *
 * The limits and codes are those of the open-source libcdsprpc (quic/fastrpc,
 * src/fastrpc_apps_user.c). */
#include <stdlib.h>

#include "internal.h"

#define PRIORITY_DEFAULT 192
#define PRIORITY_MIN 1
#define PRIORITY_MAX 255
#define STACK_DEFAULT (16 * 1024)
#define STACK_MIN (16 * 1024)
#define STACK_MAX (8 * 1024 * 1024)
#define NOTIFIERS_MAX 16

struct notifier {
    int effective;
    fastrpc_notif_fn_t call;
    void *context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings settings[EFFECTIVE_DOMAINS];
static struct notifier notifiers[NOTIFIERS_MAX];
static int notifier_count;

struct settings settings_of(int effective)
{
    pthread_mutex_lock(&lock);
    struct settings now = settings[effective];
    pthread_mutex_unlock(&lock);
    now.priority = now.priority == 0 ? PRIORITY_DEFAULT : now.priority;
    now.stack_size = now.stack_size == 0 ? STACK_DEFAULT : now.stack_size;
    return now;
}

/* Requests a signed or an unsigned process. Fails if a process of the other kind is running. */
int settings_unsigned(int effective, bool enable)
{
    struct session *session;
    if (session_get(effective, false, &session) == AEE_SUCCESS) {
        session_put(session);
        if (settings_of(effective).unsigned_module == enable) {
            return AEE_SUCCESS;
        }
        log_message("%s already runs %s process: request an unsigned one before the first open",
                    domain_name(effective % DOMAINS), enable ? "a signed" : "an unsigned");
        return AEE_EALREADYLOADED;
    }
    pthread_mutex_lock(&lock);
    settings[effective].unsigned_module = enable;
    pthread_mutex_unlock(&lock);
    return AEE_SUCCESS;
}

int settings_threads(int effective, int priority, int stack_size)
{
    if ((priority != -1 && (priority < PRIORITY_MIN || priority > PRIORITY_MAX)) ||
        (stack_size != -1 && (stack_size < STACK_MIN || stack_size > STACK_MAX))) {
        return AEE_EBADPARM;
    }
    pthread_mutex_lock(&lock);
    if (priority != -1) {
        settings[effective].priority = priority;
    }
    if (stack_size != -1) {
        settings[effective].stack_size = stack_size;
    }
    pthread_mutex_unlock(&lock);
    return AEE_SUCCESS;
}

int settings_reserve(int domain, uint32_t *session)
{
    int code = AEE_ENOSESSION;
    pthread_mutex_lock(&lock);
    for (uint32_t id = 1; id < SESSIONS && code != AEE_SUCCESS; id++) {
        struct settings *of = &settings[domain + DOMAINS * (int)id];
        if (!of->reserved) {
            of->reserved = true;
            *session = id;
            code = AEE_SUCCESS;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int settings_add_notifier(int effective, const remote_rpc_notif_register_t *notify)
{
    int code = AEE_ENOMORE;
    pthread_mutex_lock(&lock);
    if (notifier_count < NOTIFIERS_MAX) {
        notifiers[notifier_count++] = (struct notifier){
            .effective = effective, .call = notify->notifier_fn, .context = notify->context};
        code = AEE_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

bool settings_has_notifier(int effective)
{
    bool notified = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < notifier_count; i++) {
        notified |= notifiers[i].effective == effective || notifiers[i].effective == -1;
    }
    pthread_mutex_unlock(&lock);
    return notified;
}

void settings_call_notifiers(int effective, remote_rpc_status_flags_t status)
{
    struct notifier copies[NOTIFIERS_MAX];
    pthread_mutex_lock(&lock);
    int count = notifier_count;
    for (int i = 0; i < count; i++) {
        copies[i] = notifiers[i];
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) {
        if (copies[i].effective == effective || copies[i].effective == -1) {
            copies[i].call(copies[i].context, effective % DOMAINS, effective / DOMAINS, status);
        }
    }
}

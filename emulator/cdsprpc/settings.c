/* settings.c: what clients request for a domain before its DSP process starts.
 *
 * The limits and codes are those of the open-source libcdsprpc (quic/fastrpc,
 * src/fastrpc_apps_user.c). */
#include "settings.h"

#include <pthread.h>

#define PRIORITY_DEFAULT 192
#define PRIORITY_MIN 1
#define PRIORITY_MAX 255
#define STACK_DEFAULT (16 * 1024)
#define STACK_MIN (16 * 1024)
#define STACK_MAX (8 * 1024 * 1024)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct settings settings[EFFECTIVE_DOMAINS];

struct settings settings_of(int effective)
{
    pthread_mutex_lock(&lock);
    struct settings now = settings[effective];
    pthread_mutex_unlock(&lock);
    now.priority = now.priority == 0 ? PRIORITY_DEFAULT : now.priority;
    now.stack_size = now.stack_size == 0 ? STACK_DEFAULT : now.stack_size;
    return now;
}

void settings_unsigned(int effective, bool enable)
{
    pthread_mutex_lock(&lock);
    settings[effective].unsigned_module = enable;
    pthread_mutex_unlock(&lock);
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

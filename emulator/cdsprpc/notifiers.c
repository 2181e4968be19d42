/* notifiers.c: the client's functions that are told when a DSP process starts and ends. */
#define _GNU_SOURCE
#include "notifiers.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

#define NOTIFIERS_MAX 16

/* The program or the library that contains a function. */
struct owner {
    void *start; /* NULL: neither contains it, which is so for generated code */
    char name[256];
};

struct notifier {
    int effective;
    fastrpc_notif_fn_t call;
    void *context;
    struct owner owner;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct notifier notifiers[NOTIFIERS_MAX];
static int notifier_count;

/* Finds the owner without a lock, because dlclose, which holds the loader's lock, waits for threads
 * that call notifiers. */
static struct owner owner_of(fastrpc_notif_fn_t call)
{
    struct owner owner = {.start = NULL};
    struct dl_find_object found;
    void *address;
    memcpy(&address, &call, sizeof address);
    if (_dl_find_object(address, &found) == 0) {
        owner.start = found.dlfo_map_start;
        snprintf(owner.name, sizeof owner.name, "%s", found.dlfo_link_map->l_name);
    }
    return owner;
}

/* Whether the library with a notifier has been unloaded. */
static bool stale(const struct notifier *notifier)
{
    const struct owner now = owner_of(notifier->call);
    return notifier->owner.start != NULL &&
           (now.start != notifier->owner.start || strcmp(now.name, notifier->owner.name) != 0);
}

/* Removes the notifiers that are stale, or the same as `twin`, which may be NULL. A library that is
 * loaded again at the same address registers the same notifier. The caller holds the lock. */
static void remove_spent(const struct notifier *twin)
{
    int kept = 0;
    for (int i = 0; i < notifier_count; i++) {
        const struct notifier *at = &notifiers[i];
        bool same = twin != NULL && at->call == twin->call && at->context == twin->context &&
                    at->effective == twin->effective;
        if (!same && !stale(at)) {
            notifiers[kept++] = *at;
        }
    }
    notifier_count = kept;
}

int notifiers_add(int effective, const remote_rpc_notif_register_t *notify)
{
    const struct notifier added = {.effective = effective,
                                   .call = notify->notifier_fn,
                                   .context = notify->context,
                                   .owner = owner_of(notify->notifier_fn)};
    int code = AEE_ENOMORE;
    pthread_mutex_lock(&lock);
    remove_spent(&added);
    if (notifier_count < NOTIFIERS_MAX) {
        notifiers[notifier_count++] = added;
        code = AEE_SUCCESS;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

bool notifiers_exist(int effective)
{
    bool notified = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < notifier_count; i++) {
        notified |= notifiers[i].effective == effective || notifiers[i].effective == -1;
    }
    pthread_mutex_unlock(&lock);
    return notified;
}

static _Thread_local bool in_notifier;

bool notifiers_calling(void)
{
    return in_notifier;
}

void notifiers_call(int effective, remote_rpc_status_flags_t status)
{
    struct notifier copies[NOTIFIERS_MAX];
    pthread_mutex_lock(&lock);
    int count = notifier_count;
    memcpy(copies, notifiers, sizeof copies);
    remove_spent(NULL);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) {
        if (copies[i].effective != effective && copies[i].effective != -1) {
            continue;
        }
        if (stale(&copies[i])) {
            log_message("%s registered a notifier and was unloaded, so it is not called. On a "
                        "device, this would crash the program: keep the library loaded, or unload "
                        "libcdsprpc with it",
                        copies[i].owner.name);
        } else {
            in_notifier = true;
            copies[i].call(copies[i].context, effective % DOMAINS, effective / DOMAINS, status);
            in_notifier = false;
        }
    }
}

/* hap_pls.c: HAP_pls: data of the DSP process, found by a type and a key.
 *
 * The destructors would run when the client has ended. The emulated process ends with the client,
 * so they do not run. */
#include <pthread.h>
#include <stdlib.h>

#include "AEEStdErr.h"
#include "HAP_pls.h"
#include "runtime.h"

struct item {
    struct item *next;
    uintptr_t type, key;
    _Alignas(16) unsigned char data[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *items; /* the last one first */

/* The caller holds the lock. */
static struct item *find(uintptr_t type, uintptr_t key)
{
    struct item *item = items;
    while (item != NULL && (item->type != type || item->key != key)) {
        item = item->next;
    }
    return item;
}

static int add(uintptr_t type, uintptr_t key, int size, int (*ctor)(void *, void *), void *ctx,
               bool once, void **data)
{
    if (size < 0 || data == NULL) {
        return AEE_EBADPARM;
    }
    struct item *item = calloc(1, sizeof *item + (size_t)size);
    if (item == NULL) {
        return AEE_ENOMEMORY;
    }
    item->type = type;
    item->key = key;
    int code = ctor == NULL ? AEE_SUCCESS : ctor(ctx, item->data);
    if (code != AEE_SUCCESS) {
        free(item);
        return code;
    }
    pthread_mutex_lock(&lock);
    struct item *other = once ? find(type, key) : NULL; /* a constructor may have added it */
    if (other == NULL) {
        item->next = items;
        items = item;
    } else {
        free(item);
        item = other;
    }
    pthread_mutex_unlock(&lock);
    *data = item->data;
    return AEE_SUCCESS;
}

int HAP_pls_add(uintptr_t type, uintptr_t key, int size, int (*ctor)(void *ctx, void *data),
                void *ctx, void (*dtor)(void *data), void **ppo)
{
    (void)dtor;
    return add(type, key, size, ctor, ctx, false, ppo);
}

int HAP_pls_lookup(uintptr_t type, uintptr_t key, void **ppo)
{
    pthread_mutex_lock(&lock);
    struct item *item = find(type, key);
    pthread_mutex_unlock(&lock);
    if (item == NULL || ppo == NULL) {
        return AEE_ENOSUCH;
    }
    *ppo = item->data;
    return AEE_SUCCESS;
}

int HAP_pls_add_lookup(uintptr_t type, uintptr_t key, int size, int (*ctor)(void *ctx, void *data),
                       void *ctx, void (*dtor)(void *data), void **ppo)
{
    (void)dtor;
    return HAP_pls_lookup(type, key, ppo) == AEE_SUCCESS
               ? AEE_SUCCESS
               : add(type, key, size, ctor, ctx, true, ppo);
}

const struct shell_symbol hap_pls_symbols[] = {
    EXPORT(HAP_pls_add),
    EXPORT(HAP_pls_lookup),
    EXPORT(HAP_pls_add_lookup),
    EXPORT_AS("adsp_pls_add_lookup", HAP_pls_add_lookup),
    EXPORT_END,
};

/* qurt_tls.c: QuRT's thread-local data, by key. */
#include <pthread.h>
#include <stdlib.h>

#include "qurt_error.h"
#include "qurt_tls.h"
#include "runtime.h"

#define THREAD_KEYS 64

struct key {
    bool used;
    uint32_t generation; /* increases each time the key is created */
    void (*destructor)(void *);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct key keys[THREAD_KEYS];

/* A thread's value. It is valid only for the generation of the key that it was set for. */
struct value {
    uint32_t generation;
    const void *value;
};

/* An array of THREAD_KEYS values, allocated at the first use. It is not an array in thread-local
 * memory, because LLD 22 relocates an indexed access to such an array wrongly (a thread-pointer
 * offset in add(#u8,asl())). */
static _Thread_local struct value *values;

static struct value *own_values(void)
{
    if (values == NULL) {
        values = calloc(THREAD_KEYS, sizeof *values);
    }
    if (values == NULL) {
        die("no memory for thread-local data");
    }
    return values;
}

static bool valid(int key)
{
    return key >= 0 && key < THREAD_KEYS && keys[key].used;
}

int qurt_tls_create_key(int *key, void (*destructor)(void *))
{
    int code = QURT_ETLSAVAIL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREAD_KEYS && code != QURT_EOK; i++) {
        if (!keys[i].used) {
            keys[i].used = true;
            keys[i].generation++;
            keys[i].destructor = destructor;
            *key = i;
            code = QURT_EOK;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int qurt_tls_delete_key(int key)
{
    pthread_mutex_lock(&lock);
    int code = valid(key) ? QURT_EOK : QURT_ETLSENTRY;
    if (code == QURT_EOK) {
        keys[key].used = false;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int qurt_tls_set_specific(int key, const void *value)
{
    pthread_mutex_lock(&lock);
    int code = valid(key) ? QURT_EOK : QURT_EINVALID;
    if (code == QURT_EOK) {
        own_values()[key] = (struct value){keys[key].generation, value};
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void *qurt_tls_get_specific(int key)
{
    pthread_mutex_lock(&lock);
    bool current = valid(key) && values != NULL && values[key].generation == keys[key].generation;
    const void *value = current ? values[key].value : NULL;
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)value;
}

void tls_destroy(void)
{
    for (int i = 0; values != NULL && i < THREAD_KEYS; i++) {
        pthread_mutex_lock(&lock);
        bool current = keys[i].used && values[i].generation == keys[i].generation;
        void (*destructor)(void *) = current ? keys[i].destructor : NULL;
        void *value = current ? (void *)(uintptr_t)values[i].value : NULL;
        values[i].value = NULL;
        pthread_mutex_unlock(&lock);
        if (destructor != NULL && value != NULL) {
            destructor(value);
        }
    }
    free(values);
    values = NULL;
}

const struct shell_symbol qurt_tls_symbols[] = {
    EXPORT(qurt_tls_create_key),
    EXPORT(qurt_tls_delete_key),
    EXPORT(qurt_tls_set_specific),
    EXPORT(qurt_tls_get_specific),
    EXPORT_END,
};

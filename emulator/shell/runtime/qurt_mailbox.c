/* qurt_mailbox.c: QuRT's mailboxes: each holds one value of 64 bits, and is found by its name. */
#include "qurt_mailbox.h"

#include <pthread.h>
#include <string.h>

#include "qurt_error.h"
#include "../counts.h"
#include "runtime.h"

#define BOXES 64
#define NAME_BYTES 8

struct box {
    bool used, full, halted;
    uint32_t generation; /* part of the id, so that ids of deleted boxes stay invalid */
    char name[NAME_BYTES];
    unsigned long long data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct box boxes[BOXES];

static unsigned long long id_of(const struct box *box)
{
    return ((unsigned long long)box->generation << 32) | (uint32_t)(box - boxes + 1);
}

/* Returns NULL for an invalid id. The caller holds the lock. */
static struct box *by_id(unsigned long long id)
{
    uint32_t number = (uint32_t)id - 1;
    struct box *box = number < BOXES ? &boxes[number] : NULL;
    return box != NULL && box->used && id_of(box) == id ? box : NULL;
}

static struct box *by_name(const char *name)
{
    for (struct box *box = boxes; box < boxes + BOXES; box++) {
        if (box->used && strncmp(box->name, name, NAME_BYTES) == 0) {
            return box;
        }
    }
    return NULL;
}

unsigned long long qurt_mailbox_create(char *name, qurt_mailbox_receiver_cfg_t recv_opt)
{
    unsigned long long id = QURT_MAILBOX_ID_NULL;
    (void)recv_opt; /* this process is the only one */
    pthread_mutex_lock(&lock);
    for (struct box *box = boxes;
         name != NULL && id == QURT_MAILBOX_ID_NULL && by_name(name) == NULL && box < boxes + BOXES;
         box++) {
        if (!box->used) {
            *box = (struct box){.used = true, .generation = box->generation + 1};
            strncpy(box->name, name, NAME_BYTES);
            id = id_of(box);
        }
    }
    pthread_mutex_unlock(&lock);
    return id;
}

unsigned long long qurt_mailbox_get_id(char *name)
{
    pthread_mutex_lock(&lock);
    const struct box *box = name == NULL ? NULL : by_name(name);
    unsigned long long id = box == NULL ? QURT_MAILBOX_ID_NULL : id_of(box);
    pthread_mutex_unlock(&lock);
    return id;
}

int qurt_mailbox_send(unsigned long long mailbox_id, qurt_mailbox_send_option_t send_opt,
                      unsigned long long data)
{
    int code = QURT_EOK;
    pthread_mutex_lock(&lock);
    struct box *box = by_id(mailbox_id);
    if (box == NULL) {
        code = QURT_MAILBOX_ID_ERROR;
    } else if (box->full && send_opt != QURT_MAILBOX_SEND_OVERWRITE) {
        code = QURT_MAILBOX_FULL;
    } else {
        box->data = data;
        box->full = true;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

int qurt_mailbox_receive(unsigned long long mailbox_id, qurt_mailbox_recv_option_t recv_opt,
                         unsigned long long *data)
{
    pthread_mutex_lock(&lock);
    struct box *box = by_id(mailbox_id);
    if (box == NULL || data == NULL) {
        pthread_mutex_unlock(&lock);
        return box == NULL ? QURT_MAILBOX_ID_ERROR : QURT_MAILBOX_ERROR;
    }
    while (recv_opt == QURT_MAILBOX_RECV_WAITING && box != NULL && !box->full && !box->halted) {
        counts_pause();
        counts_flush();
        pthread_cond_wait(&changed, &lock);
        counts_resume();
        box = by_id(mailbox_id);
    }
    int code = QURT_EOK;
    if (box == NULL) {
        code = QURT_MAILBOX_DELETED;
    } else {
        *data = box->data;
        if (!box->full) {
            code = box->halted ? QURT_MAILBOX_RECEIVE_HALTED : QURT_MAILBOX_NON_VALID_DATA;
        }
        box->full = box->full && recv_opt == QURT_MAILBOX_RECV_PEEK_NON_WAITING;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int end(unsigned long long id, bool delete)
{
    pthread_mutex_lock(&lock);
    struct box *box = by_id(id);
    if (box != NULL) {
        box->halted = true;
        box->used = !delete;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return box == NULL ? QURT_MAILBOX_ID_ERROR : QURT_EOK;
}

int qurt_mailbox_delete(unsigned long long mailbox_id)
{
    return end(mailbox_id, true);
}

int qurt_mailbox_receive_halt(unsigned long long mailbox_id)
{
    return end(mailbox_id, false);
}

const struct shell_symbol qurt_mailbox_symbols[] = {
    EXPORT(qurt_mailbox_create),
    EXPORT(qurt_mailbox_get_id),
    EXPORT(qurt_mailbox_send),
    EXPORT(qurt_mailbox_receive),
    EXPORT(qurt_mailbox_delete),
    EXPORT(qurt_mailbox_receive_halt),
    EXPORT_END,
};

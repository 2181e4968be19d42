/* qurt_pipe.c: QuRT's pipes: ring buffers of 64-bit items with two semaphores. */
#include <stdlib.h>

#include "qurt_error.h"
#include "qurt_pipe.h"
#include "runtime.h"

int qurt_pipe_init(qurt_pipe_t *pipe, qurt_pipe_attr_t *attr)
{
    if (pipe == NULL || attr == NULL || attr->buffer == NULL || attr->elements == 0 ||
        attr->elements > 0xffff) {
        return QURT_EFAILED;
    }
    *pipe = (qurt_pipe_t){.size = attr->elements,
                          .lock_func = qurt_mutex_lock,
                          .unlock_func = qurt_mutex_unlock,
                          .try_lock_func = qurt_mutex_try_lock,
                          .destroy_lock_func = qurt_mutex_destroy,
                          .magic = QURT_PIPE_MAGIC,
                          .data = attr->buffer};
    qurt_mutex_init(&pipe->pipe_lock);
    qurt_sem_init_val(&pipe->senders, (unsigned short)attr->elements);
    qurt_sem_init_val(&pipe->receiver, 0);
    return QURT_EOK;
}

int qurt_pipe_create(qurt_pipe_t **pipe, qurt_pipe_attr_t *attr)
{
    if (pipe == NULL || attr == NULL) {
        return QURT_EFAILED;
    }
    if (attr->mem_partition == QURT_PIPE_ATTR_MEM_PARTITION_TCM) {
        return QURT_ENOTALLOWED;
    }
    qurt_pipe_attr_t own = *attr;
    qurt_pipe_t *made = malloc(sizeof *made);
    own.buffer = calloc(attr->elements, sizeof *own.buffer);
    if (made == NULL || qurt_pipe_init(made, &own) != QURT_EOK) {
        free(own.buffer);
        free(made);
        return QURT_EFAILED;
    }
    *pipe = made;
    return QURT_EOK;
}

void qurt_pipe_destroy(qurt_pipe_t *pipe)
{
    pipe->magic = 0;
}

void qurt_pipe_delete(qurt_pipe_t *pipe)
{
    qurt_pipe_destroy(pipe);
    free(pipe->data);
    free(pipe);
}

static void put(qurt_pipe_t *pipe, qurt_pipe_data_t data)
{
    qurt_mutex_lock(&pipe->pipe_lock);
    pipe->data[pipe->sendidx] = data;
    pipe->sendidx = (pipe->sendidx + 1) % pipe->size;
    qurt_mutex_unlock(&pipe->pipe_lock);
    qurt_sem_add(&pipe->receiver, 1);
}

static qurt_pipe_data_t get(qurt_pipe_t *pipe)
{
    qurt_mutex_lock(&pipe->pipe_lock);
    qurt_pipe_data_t data = pipe->data[pipe->recvidx];
    pipe->recvidx = (pipe->recvidx + 1) % pipe->size;
    qurt_mutex_unlock(&pipe->pipe_lock);
    qurt_sem_add(&pipe->senders, 1);
    return data;
}

void qurt_pipe_send(qurt_pipe_t *pipe, qurt_pipe_data_t data)
{
    qurt_sem_down(&pipe->senders);
    put(pipe, data);
}

int qurt_pipe_try_send(qurt_pipe_t *pipe, qurt_pipe_data_t data)
{
    if (qurt_sem_try_down(&pipe->senders) != 0) {
        return -1;
    }
    put(pipe, data);
    return 0;
}

qurt_pipe_data_t qurt_pipe_receive(qurt_pipe_t *pipe)
{
    qurt_sem_down(&pipe->receiver);
    return get(pipe);
}

qurt_pipe_data_t qurt_pipe_try_receive(qurt_pipe_t *pipe, int *success)
{
    bool had = qurt_sem_try_down(&pipe->receiver) == 0;
    if (success != NULL) {
        *success = had ? 0 : -1;
    }
    return had ? get(pipe) : 0;
}

int qurt_pipe_is_empty(qurt_pipe_t *pipe)
{
    return qurt_sem_get_val(&pipe->receiver) == 0;
}

const struct shell_symbol qurt_pipe_symbols[] = {
    EXPORT(qurt_pipe_create),   EXPORT(qurt_pipe_init),
    EXPORT(qurt_pipe_destroy),  EXPORT(qurt_pipe_delete),
    EXPORT(qurt_pipe_send),     EXPORT(qurt_pipe_receive),
    EXPORT(qurt_pipe_try_send), EXPORT(qurt_pipe_try_receive),
    EXPORT(qurt_pipe_is_empty), EXPORT_END,
};

/* qurt_pipe.h: queues of 64-bit items between threads.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * On no known DSP shell: qurt_pipe_receive_cancellable, qurt_pipe_send_cancellable. */
#ifndef QURT_PIPE_H
#define QURT_PIPE_H

#include "qurt_mutex.h"
#include "qurt_sem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_PIPE_MAGIC 0xF1FEF1FE
#define QURT_PIPE_ATTR_MEM_PARTITION_RAM 0
#define QURT_PIPE_ATTR_MEM_PARTITION_TCM 1

typedef unsigned long long int qurt_pipe_data_t;

typedef struct {
    qurt_mutex_t pipe_lock;
    qurt_sem_t senders;
    qurt_sem_t receiver;
    unsigned int size;
    unsigned int sendidx;
    unsigned int recvidx;
    void (*lock_func)(qurt_mutex_t *);
    void (*unlock_func)(qurt_mutex_t *);
    int (*try_lock_func)(qurt_mutex_t *);
    void (*destroy_lock_func)(qurt_mutex_t *);
    unsigned int magic;
    qurt_pipe_data_t *data;
} qurt_pipe_t;

typedef struct {
    qurt_pipe_data_t *buffer;
    unsigned int elements;
    unsigned char mem_partition;
} qurt_pipe_attr_t;

static inline void qurt_pipe_attr_init(qurt_pipe_attr_t *attr)
{
    attr->buffer = 0;
    attr->elements = 0;
    attr->mem_partition = QURT_PIPE_ATTR_MEM_PARTITION_RAM;
}

static inline void qurt_pipe_attr_set_buffer(qurt_pipe_attr_t *attr, qurt_pipe_data_t *buffer)
{
    attr->buffer = buffer;
}

static inline void qurt_pipe_attr_set_elements(qurt_pipe_attr_t *attr, unsigned int elements)
{
    attr->elements = elements;
}

static inline void qurt_pipe_attr_set_buffer_partition(qurt_pipe_attr_t *attr,
                                                       unsigned char mem_partition)
{
    attr->mem_partition = mem_partition;
}

/* qurt_pipe_create allocates the pipe and its buffer, and qurt_pipe_delete frees both.
 * qurt_pipe_init uses the buffer of the attributes, and qurt_pipe_destroy does not free it. */
int qurt_pipe_create(qurt_pipe_t **pipe, qurt_pipe_attr_t *attr);
int qurt_pipe_init(qurt_pipe_t *pipe, qurt_pipe_attr_t *attr);
void qurt_pipe_destroy(qurt_pipe_t *pipe);
void qurt_pipe_delete(qurt_pipe_t *pipe);
void qurt_pipe_send(qurt_pipe_t *pipe, qurt_pipe_data_t data);
qurt_pipe_data_t qurt_pipe_receive(qurt_pipe_t *pipe);
int qurt_pipe_try_send(qurt_pipe_t *pipe, qurt_pipe_data_t data);
qurt_pipe_data_t qurt_pipe_try_receive(qurt_pipe_t *pipe, int *success);
int qurt_pipe_receive_cancellable(qurt_pipe_t *pipe, qurt_pipe_data_t *result);
int qurt_pipe_send_cancellable(qurt_pipe_t *pipe, qurt_pipe_data_t data);
int qurt_pipe_is_empty(qurt_pipe_t *pipe);

#ifdef __cplusplus
}
#endif

#endif

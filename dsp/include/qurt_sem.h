/* qurt_sem.h: counting semaphores.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK.
 *
 * Not on every DSP shell: qurt_sem_down_timed. */
#ifndef QURT_SEM_H
#define QURT_SEM_H

#ifdef __cplusplus
extern "C" {
#endif

typedef union {
    unsigned int raw[2] __attribute__((aligned(8)));
    struct {
        unsigned short val;
        unsigned short n_waiting;
        unsigned int reserved1;
        unsigned int queue;
        unsigned int reserved2;
    } X;
} qurt_sem_t;

/* The count starts at 1. */
void qurt_sem_init(qurt_sem_t *sem);
void qurt_sem_init_val(qurt_sem_t *sem, unsigned short val);
void qurt_sem_destroy(qurt_sem_t *sem);
int qurt_sem_add(qurt_sem_t *sem, unsigned int amt);
int qurt_sem_down(qurt_sem_t *sem);
int qurt_sem_down_timed(qurt_sem_t *sem, unsigned long long int duration);
int qurt_sem_down_cancellable(qurt_sem_t *sem);

/* Returns 0, or -1 when the count is 0. */
int qurt_sem_try_down(qurt_sem_t *sem);

static inline int qurt_sem_up(qurt_sem_t *sem)
{
    return qurt_sem_add(sem, 1);
}

static inline unsigned short qurt_sem_get_val(qurt_sem_t *sem)
{
    return sem->X.val;
}

#ifdef __cplusplus
}
#endif

#endif

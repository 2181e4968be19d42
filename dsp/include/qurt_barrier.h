/* qurt_barrier.h: barriers, at which threads wait for each other.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_BARRIER_H
#define QURT_BARRIER_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_BARRIER_SERIAL_THREAD 1
#define QURT_BARRIER_OTHER 0

typedef union {
    struct {
        unsigned short threads_left;
        unsigned short count;
        unsigned int threads_total;
        unsigned int queue;
        unsigned int reserved;
    };
    unsigned long long int raw;
} qurt_barrier_t;

int qurt_barrier_init(qurt_barrier_t *barrier, unsigned int threads_total);
int qurt_barrier_destroy(qurt_barrier_t *barrier);

/* Returns QURT_BARRIER_SERIAL_THREAD to the last thread and QURT_BARRIER_OTHER to the others. The
 * barrier can be used again immediately. */
int qurt_barrier_wait(qurt_barrier_t *barrier);

#ifdef __cplusplus
}
#endif

#endif

/* qurt_barrier.h: threads that wait for each other.
 *
 * Interface (names, signatures, layout) as documented for QuRT in the Hexagon SDK. */
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

/* QURT_BARRIER_SERIAL_THREAD to the last one that came, QURT_BARRIER_OTHER to
 * the rest. Ready for the next round at once. */
int qurt_barrier_wait(qurt_barrier_t *barrier);

#ifdef __cplusplus
}
#endif

#endif

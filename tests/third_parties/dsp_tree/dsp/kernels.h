#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECTOR 128

// One part of a call; each worker gets another `first`.
struct job {
    const int32_t *a;
    const int32_t *b;
    int32_t *result;
    int32_t weight;
    uint8_t *vtcm; // of this worker
    size_t vtcm_size;
};

// result = a + weight * b, and float result = a * weight; `count` is a number of words.
void mix(const struct job *job, size_t first, size_t count);
void scale(const struct job *job, size_t first, size_t count);
uint16_t matrix_multiply_ones(uint8_t *vtcm);

// workers.c
int workers_start(unsigned count);
void workers_stop(void);
unsigned workers_run(void (*kernel)(const struct job *, size_t, size_t), const struct job *jobs,
                     size_t count);

#endif

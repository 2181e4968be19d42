#!/bin/sh
# Good guess: when a message of ggml-hexagon, llama.cpp's backend for the DSP, is answered, no thread of
# the DSP works on it any more: its results do not change.
#
# What happens: work_queue_wakeup() tells the workers by the same number as a new job.  A worker that
# has seen that number and was held up before it reads the queue finds the first job there, does its
# share of it, and then takes the number of that job for news: if the main thread has not yet moved
# the queue on, the worker does its share once more, while the message is answered and the next
# operator reuses the same memory.  If it ends before the main thread looks at the number of shares that
# are left, this number falls below zero, and the main thread waits without end.
#
# Why it matters: a row of a matrix product that was right is overwritten with what the next operator
# has put into VTCM.  It was seen on a busy machine, once in 280 operators; everything else was right,
# and a comparison of both runs finds no reason.
#
# Seen with ggml 0.25.3 in llama-cpp-python 0.3.36 from PyPI, ggml/src/ggml-hexagon/htp/work-queue.c,
# compiled here for POSIX threads.  A thread sleeps where another one could be scheduled: a worker
# before it reads the queue, and the main thread when all shares are done.
set -eu
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
python3 -m venv "$scratch/venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1
"$scratch/venv/bin/pip" download --quiet --no-deps --no-binary :all: --dest "$scratch" \
    llama-cpp-python==0.3.36
cd "$scratch"
tar -xzf llama_cpp_python-0.3.36.tar.gz
mkdir build && cd build
htp=../llama_cpp_python-0.3.36/vendor/llama.cpp/ggml/src/ggml-hexagon/htp
cp "$htp/work-queue.c" "$htp/work-queue.h" .

# What the file needs of QuRT and of the backend, and a name for each atomic read.
cat >qurt.h <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
typedef pthread_t qurt_thread_t;
typedef int qurt_thread_attr_t;
#define qurt_thread_attr_init(attr) (void)(attr)
#define qurt_thread_attr_set_stack_addr(attr, value) (void)(value)
#define qurt_thread_attr_set_stack_size(attr, value) (void)(value)
#define qurt_thread_attr_set_name(attr, value) (void)(value)
#define qurt_thread_attr_set_priority(attr, value) (void)(value)
#define qurt_thread_get_priority(thread) 100
#define qurt_thread_get_id() 0
#define qurt_thread_create(thread, attr, function, data) \
    pthread_create(thread, NULL, (void *(*)(void *))(function), data)
#define qurt_thread_join(thread, status) (*(status) = pthread_join(thread, NULL))
#define qurt_futex_wait(place, value) usleep(100)
#define qurt_futex_wake(place, count) (void)(place)
unsigned after_read(unsigned value, const char *what);
#undef atomic_load_explicit
#define atomic_load_explicit(place, order) after_read(__atomic_load_n(place, order), #place)
C
touch qurt_hvx.h
echo '#define FARF(level, ...) (void)0' >HAP_farf.h
cat >hex-utils.h <<'C'
#include <stddef.h>
#include <stdint.h>
#define HEX_L2_LINE_SIZE 64
#define hex_pause() usleep(10)
static inline uint32_t hex_ceil_pow2(uint32_t x) { uint32_t p = 1; while (p < x) p *= 2; return p; }
static inline size_t hex_align_up(size_t x, size_t to) { return (x + to - 1) / to * to; }
C
sed -i 's/#include <stdatomic.h>/#include "qurt.h"/' work-queue.c
cat >main.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "work-queue.h"
static atomic_int shares, awake, delayed, done;
static pthread_t main_thread;
unsigned after_read(unsigned value, const char *what)
{
    int here = pthread_equal(pthread_self(), main_thread);
    if (!here && strcmp(what, "&q->seqn") == 0 && value == 1 && !atomic_exchange(&delayed, 1)) {
        atomic_store(&awake, 1);
        usleep(100000); /* the worker has seen that it was woken up */
    }
    if (here && strcmp(what, "&task->barrier") == 0 && value == 0) {
        atomic_store(&done, 1);
        usleep(100000); /* the main thread has seen that all shares are done */
    }
    return value;
}
static void share(unsigned count, unsigned which, void *data)
{
    (void)count, (void)data;
    if (which == 1 && atomic_fetch_add(&shares, 1) == 1)
        while (!atomic_load(&done)) /* the second time: not before the main thread has seen it */
            usleep(100);
}
int main(void)
{
    size_t size = work_queue_sizeof(2, 8, 16384);
    work_queue_t queue;
    main_thread = pthread_self();
    queue = work_queue_init(aligned_alloc(4096, (size + 4095) / 4096 * 4096), 2, 8, 16384);
    work_queue_wakeup(queue);
    while (!atomic_load(&awake))
        usleep(100);
    work_queue_run(queue, share, NULL, 2);
    usleep(100000);
    printf("one job of two threads; the second thread did its share %d times\n", shares);
    fflush(stdout);
    _exit(shares != 2);
}
C
cc -O1 -std=gnu11 -w -I. main.c work-queue.c -lpthread -o twice
timeout 60 ./twice

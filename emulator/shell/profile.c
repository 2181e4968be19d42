/* profile.c: a sampling profiler.
 *
 * Each thread has a timer of the processor time that it uses. At its signal, the thread appends its
 * place and the return addresses of its frames to a file. QEMU delivers signals between blocks of
 * code, so the place is the start of the block that would be executed next.
 *
 * Each line of the file begins with the process and a letter:
 *
 *   PID m BASE START END NAME   a module: the address of its link-time address 0, and its memory
 *   PID t THUNK PACKET          code in place of a packet, see translate/translate.h
 *   PID s WEIGHT ADDRESS...     a sample: the place, r31, and the frames from the newest on
 *   PID d                       a thread that is not sampled
 */
#define _GNU_SOURCE
#include "profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "counts.h"
#include "signal_handler.h"
#include "text.h"
#include "translate/translate.h"

#define INTERVAL_NANOSECONDS 2000000
#define FRAMES_MAX 62
#define LINE_MAX 1024
/* After so many samples, only each second one is kept, then each fourth, and so on. */
#define SAMPLES_KEPT 50000u
#define WEIGHT_BITS_MAX 16u

static int file = -1;
static unsigned taken; /* samples */

static _Thread_local int timer = -1;
static _Thread_local bool sampled; /* the thread's signals are those of its timer */

static void put(const char *bytes, size_t size)
{
    if (write(file, bytes, size) < 0) {
        file = -1; /* the disk is full */
    }
}

static char *put_hex(char *at, uintptr_t value)
{
    *at++ = ' ';
    for (int shift = 28; shift >= 0; shift -= 4) {
        *at++ = "0123456789abcdef"[(value >> shift) & 15];
    }
    return at;
}

static void sample(const mcontext_t *machine)
{
    const unsigned number = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    const unsigned kept = number / SAMPLES_KEPT;
    const unsigned bits = kept < WEIGHT_BITS_MAX ? kept : WEIGHT_BITS_MAX;
    if ((number & ((1u << bits) - 1)) != 0) {
        return;
    }
    uintptr_t addresses[2 + FRAMES_MAX] = {interrupted_pc(machine), machine->r31};
    const size_t count = 2 + frames_addresses(machine->r30, addresses + 2, FRAMES_MAX);
    char line[LINE_MAX];
    struct text text = text_start(line, sizeof line);
    text_add(&text, "%d s %u", (int)getpid(), 1u << bits);
    char *at = line + text.used;
    for (size_t i = 0; i < count; i++) {
        at = put_hex(at, addresses[i]);
    }
    *at++ = '\n';
    put(line, (size_t)(at - line));
}

void profile_note(int number, siginfo_t *information, void *context);
void profile_note(int number, siginfo_t *information, void *context)
{
    uint32_t from[3];
    (void)number;
    (void)information;
    counts_handler_begin(from);
    const int error = errno;
    if (sampled && file >= 0) {
        sample(&((const ucontext_t *)context)->uc_mcontext);
    }
    errno = error;
    counts_handler_end(from);
}

void profile_on_signal(int number, siginfo_t *information, void *context);
SIGNAL_HANDLER("profile_on_signal", "profile_note");

void profile_start(void)
{
    struct sigaction action;
    const char *path = shell_facts()->profile;
    if (path[0] == 0) {
        return;
    }
    file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = profile_on_signal;
    action.sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESTART);
    sigaction(SIGPROF, &action, NULL);
}

void profile_thread_begin(void)
{
    /* The kernel's struct sigevent: musl's timer_create passes no thread. */
    struct {
        int value, number, notify, thread;
        char rest[48];
    } event = {.number = SIGPROF, .notify = 4 /* SIGEV_THREAD_ID */};
    const struct timespec interval = {.tv_nsec = INTERVAL_NANOSECONDS};
    const struct itimerspec times = {interval, interval};
    if (file < 0) {
        return;
    }
    counts_measure_handler(SIGPROF);
    event.thread = gettid();
    if (syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) {
        char line[32];
        struct text text = text_start(line, sizeof line);
        text_add(&text, "%d d\n", (int)getpid());
        put(line, text.used);
        timer = -1;
        return;
    }
    sampled = true;
    timer_settime((timer_t)(intptr_t)timer, 0, &times, NULL);
}

void profile_thread_end(void)
{
    sampled = false;
    if (timer >= 0) {
        timer_delete((timer_t)(intptr_t)timer);
        timer = -1;
    }
}

bool profile_keeps_addresses(void)
{
    return file >= 0;
}

void profile_module(const struct link_memory *memory, const char *name)
{
    char bytes[LINE_MAX];
    if (file < 0) {
        return;
    }
    struct text text = text_start(bytes, sizeof bytes);
    const unsigned long start = (unsigned long)(uintptr_t)memory->mapping;
    text_add(&text, "%d m %lx %lx %lx %s\n", (int)getpid(), (unsigned long)(uintptr_t)memory->base,
             start, start + memory->mapping_size, name);
    put(bytes, text.used);
    for (size_t i = 0; i < memory->thunk_count; i++) {
        uintptr_t thunk, packet;
        translate_thunk(memory, i, &thunk, &packet);
        text = text_start(bytes, sizeof bytes);
        text_add(&text, "%d t %lx %lx\n", (int)getpid(), (unsigned long)thunk,
                 (unsigned long)packet);
        put(bytes, text.used);
    }
}

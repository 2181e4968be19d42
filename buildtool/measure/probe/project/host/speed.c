/* speed.c: times of calls and copies, and the clock of the DSP. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "AEEStdErr.h"
#include "checks.h"

enum { CALLS = 1000, COPIES = 100, WARM_UP = 20, COPY_BYTES = 1 << 20 };

static int64_t now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Prints the times of `count` calls with an argument of `bytes`, after some that do not count. */
static int time_calls(remote_handle64 handle, int count, int bytes)
{
    int64_t *times = calloc((size_t)count, sizeof *times);
    uint8_t *data = malloc((size_t)bytes + 1);
    int code = times == NULL || data == NULL ? AEE_ENOMEMORY : 0;

    for (int i = 0; code == 0 && i < bytes; i++)
        data[i] = (uint8_t)i;
    for (int i = -WARM_UP; i < count && code == 0; i++) {
        const int64_t start = now_ns();

        code = device_probe_take(handle, data, bytes);
        if (i >= 0)
            times[i] = now_ns() - start;
    }
    printf("bytes %d\nnanoseconds", bytes);
    for (int i = 0; code == 0 && i < count; i++)
        printf(" %" PRId64, times[i]);
    printf("\n");
    free(data);
    free(times);
    return code;
}

int check_latency(remote_handle64 handle)
{
    return time_calls(handle, CALLS, 0);
}

int check_bandwidth(remote_handle64 handle)
{
    return time_calls(handle, COPIES, COPY_BYTES);
}

/* The clock without and with a vote for the highest one. */
int check_clock(remote_handle64 handle)
{
    uint64_t cycles[2] = {0, 0}, ticks[2] = {0, 0};
    int code = 0;

    for (int fast = 0; fast < 2 && code == 0; fast++)
        code = device_probe_clock(handle, fast, &cycles[fast], &ticks[fast]);
    if (code == 0)
        printf("cycles %" PRIu64 " %" PRIu64 "\nticks %" PRIu64 " %" PRIu64 "\n", cycles[0],
               cycles[1], ticks[0], ticks[1]);
    return code;
}

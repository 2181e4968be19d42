/* queue.c: packets to the DSP and back. */
#include <stdio.h>
#include <string.h>

#include "AEEStdErr.h"
#include "checks.h"
#include "dspqueue.h"

#define WAIT_US 5000000u

enum { PACKETS = 100, QUEUE_BYTES = 4096, MESSAGE_BYTES = 16 };

/* Older libraries lack these functions. */
static struct {
    __typeof__(dspqueue_create) *create;
    __typeof__(dspqueue_export) *export_id;
    __typeof__(dspqueue_close) *close;
    __typeof__(dspqueue_write) *write;
    __typeof__(dspqueue_read) *read;
} library;

static int find_functions(void)
{
    *(void **)&library.create = library_function("dspqueue_create");
    *(void **)&library.export_id = library_function("dspqueue_export");
    *(void **)&library.close = library_function("dspqueue_close");
    *(void **)&library.write = library_function("dspqueue_write");
    *(void **)&library.read = library_function("dspqueue_read");
    return library.create && library.export_id && library.close && library.write && library.read;
}

/* Older DSPs report failures late: as an error of a later read. */
static void ignore(dspqueue_t queue, AEEResult error, void *context)
{
    (void)queue;
    (void)error;
    (void)context;
}

static int exchange(dspqueue_t queue, int number, int *right)
{
    uint8_t sent[MESSAGE_BYTES], message[MESSAGE_BYTES];
    uint32_t flags, buffers, length = 0;
    int code;

    memset(sent, number, sizeof sent);
    begin_step("dspqueue_write");
    code = library.write(queue, 0, 0, NULL, sizeof sent, sent, WAIT_US);
    if (code != 0)
        return code;
    begin_step("dspqueue_read");
    code = library.read(queue, &flags, 0, &buffers, NULL, sizeof message, &length, message,
                        WAIT_US);
    memset(sent, number + 1, sizeof sent);
    *right += code == 0 && length == sizeof sent && memcmp(sent, message, sizeof sent) == 0;
    return code;
}

int check_dspqueue(remote_handle64 handle)
{
    dspqueue_t queue = NULL;
    uint64_t id = 0;
    int right = 0, code;

    if (!find_functions())
        return 0;
    begin_step("dspqueue_create");
    code = library.create(probed_domain, 0, QUEUE_BYTES, QUEUE_BYTES, NULL, ignore, NULL, &queue);
    if (code != 0)
        return code;
    begin_step("dspqueue_export");
    code = library.export_id(queue, &id);
    if (code != 0)
        return code;
    begin_step("dspqueue_import");
    code = device_probe_open_queue(handle, id);
    for (int i = 0; i < PACKETS && code == 0; i++)
        code = exchange(queue, i, &right);
    printf("packets %d\nright %d\n", PACKETS, right);
    if (code != 0)
        return code;
    begin_step("dspqueue_close");
    code = device_probe_close_queue(handle);
    return code != 0 ? code : library.close(queue);
}

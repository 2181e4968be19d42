/* client.c: runs cases of test skels, and the ARM64 side of these cases.
 *
 *   client 'open threads; case threads many_threads 3; close threads'
 *
 * Each command prints itself, " = ", the code in hex, and what else there is. @NAME in an
 * argument stands for the descriptor of a buffer or the id of a queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "dspqueue.h"
#include "remote.h"
#include "rpcmem.h"

struct thing {
    char name[24];
    remote_handle64 handle;
    int *buffer;
    int size, fd;
    dspqueue_t queue;
    volatile int packets, bytes, in_order, error;
};

static struct thing things[32];

static struct thing *thing(const char *name)
{
    for (int i = 0; i < 32; i++) {
        if (things[i].name[0] == 0) {
            snprintf(things[i].name, sizeof things[i].name, "%s", name);
        }
        if (strcmp(things[i].name, name) == 0) {
            return &things[i];
        }
    }
    exit(99);
}

static int number(const char *word)
{
    if (word == NULL) {
        return 0;
    }
    if (word[0] != '@') {
        return (int)strtol(word, NULL, 0);
    }
    struct thing *named = thing(word + 1);
    uint64_t id = 0;
    if (named->queue != NULL) {
        dspqueue_export(named->queue, &id);
    }
    return named->queue != NULL ? (int)id : named->fd;
}

static int open_skel(char **word)
{
    const char *session = word[2];
    const char *domain = session == NULL || word[3] == NULL ? "cdsp" : word[3];
    struct remote_rpc_control_unsigned_module request = {strcmp(domain, "cdsp1") == 0 ? 4 : 3, 1};
    char uri[256];
    remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &request, sizeof request);
    snprintf(uri, sizeof uri,
             "file:///lib%s_skel.so?cases_skel_handle_invoke&_modver=1.0&_dom=%s%s%s", word[1],
             domain, session == NULL ? "" : "&_session=", session == NULL ? "" : session);
    return remote_handle64_open(uri, &thing(word[1])->handle);
}

static int run_case(char **word, char *more)
{
    int in[4], out[8] = {0};
    for (int i = 0; i < 4; i++) {
        in[i] = number(word[3 + i]); /* unused words are NULL */
    }
    remote_arg arguments[3] = {{.buf = {word[2], strlen(word[2]) + 1}},
                               {.buf = {in, sizeof in}},
                               {.buf = {out, sizeof out}}};
    int code = remote_handle64_invoke(thing(word[1])->handle, REMOTE_SCALARS_MAKE(2, 2, 1),
                                      arguments);
    sprintf(more, " %d %d %d %d", out[0], out[1], out[2], out[3]);
    return code;
}

/* ---- buffers ---- */

static int allocate(char **word)
{
    struct thing *buffer = thing(word[1]);
    buffer->size = number(word[2]);
    buffer->buffer = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, 1, buffer->size);
    buffer->fd = rpcmem_to_fd(buffer->buffer);
    return buffer->buffer == NULL;
}

static int map_buffer(char **word)
{
    struct thing *buffer = thing(word[1]);
    return fastrpc_mmap(3, buffer->fd, buffer->buffer, 0, (size_t)buffer->size,
                        (enum fastrpc_map_flags)number(word[2]));
}

/* ---- queues ---- */

static void packets(dspqueue_t queue, AEEResult error, void *context)
{
    struct thing *named = context;
    uint8_t message[256];
    uint32_t flags, count, length;
    struct dspqueue_buffer buffers[4];
    (void)error;
    while (dspqueue_read_noblock(queue, &flags, 4, &count, buffers, sizeof message, &length,
                                 message) == 0) {
        uint32_t value = 0;
        memcpy(&value, message, length < 4 ? length : 4);
        named->in_order += (int)value == named->packets;
        named->bytes += (int)length;
        named->packets++;
    }
}

static void failed(dspqueue_t queue, AEEResult error, void *context)
{
    (void)queue;
    ((struct thing *)context)->error = error;
}

/* queue NAME REQUEST_SIZE RESPONSE_SIZE [callback] */
static int create(char **word)
{
    struct thing *named = thing(word[1]);
    return dspqueue_create(3, 0, (uint32_t)number(word[2]), (uint32_t)number(word[3]),
                           word[4] == NULL ? NULL : packets, failed, named, &named->queue);
}

/* write QUEUE TEXT TIMEOUT [BUFFER FLAGS] */
static int write_packet(char **word)
{
    struct dspqueue_buffer buffer = {.fd = 0};
    if (word[4] != NULL) {
        buffer.fd = (uint32_t)number(word[4]);
        buffer.flags = (uint32_t)number(word[5]);
    }
    return dspqueue_write(thing(word[1])->queue, 0, word[4] != NULL, &buffer,
                          (uint32_t)strlen(word[2]), (uint8_t *)word[2], (uint32_t)number(word[3]));
}

/* read QUEUE TIMEOUT: the message, the buffers' descriptors, whether ptr is our address */
static int read_packet(char **word, char *more)
{
    uint8_t message[256] = {0};
    uint32_t flags = 0, count = 0, length = 0;
    struct dspqueue_buffer buffers[4];
    int code = dspqueue_read(thing(word[1])->queue, &flags, 4, &count, buffers, 255, &length,
                             message, (uint32_t)number(word[2]));
    if (code == 0) {
        more += sprintf(more, " '%.*s' flags %x", (int)length, (char *)message, (unsigned)flags);
    }
    for (uint32_t i = 0; code == 0 && i < count; i++) {
        int ours = 0;
        for (int k = 0; k < 32; k++) {
            ours |= things[k].buffer != NULL && things[k].fd == (int)buffers[i].fd &&
                    buffers[i].ptr == things[k].buffer;
        }
        more += sprintf(more, " buffer of %u%s", (unsigned)buffers[i].size, ours ? " ours" : "");
    }
    return code;
}

/* burst QUEUE COUNT: writes numbered packets, and waits for space. */
static int burst(char **word)
{
    int code = 0;
    for (uint32_t i = 0; i < (uint32_t)number(word[2]) && code == 0; i++) {
        uint8_t bytes[4] = {(uint8_t)(i % 100), (uint8_t)(i / 100), 0, 0};
        code = dspqueue_write(thing(word[1])->queue, 0, 0, NULL, 4, bytes, 10000000);
    }
    return code;
}

/* tally QUEUE COUNT: waits until COUNT packets have arrived by callback. */
static int tally(char **word, char *more)
{
    struct thing *named = thing(word[1]);
    for (int i = 0; i < 10000 && named->packets < number(word[2]) && named->error == 0; i++) {
        usleep(1000);
    }
    sprintf(more, " %d packets %d bytes %d in order", named->packets, named->bytes,
            named->in_order);
    return named->error;
}

static int stat_of(char **word, char *more)
{
    uint64_t value = 0;
    int code = dspqueue_get_stat(thing(word[1])->queue, (enum dspqueue_stat)number(word[2]),
                                 &value);
    sprintf(more, " %d", (int)value);
    return code;
}

static int act(char **word, char *more)
{
#define IS(name) (strcmp(word[0], name) == 0)
    char line[16];
    if (IS("open")) {
        return open_skel(word);
    }
    if (IS("case")) {
        return run_case(word, more);
    }
    if (IS("close")) {
        return remote_handle64_close(thing(word[1])->handle);
    }
    if (IS("alloc")) {
        return allocate(word);
    }
    if (IS("map")) {
        return map_buffer(word);
    }
    if (IS("unmap")) {
        return fastrpc_munmap(3, thing(word[1])->fd, NULL, 0);
    }
    if (IS("poke")) {
        thing(word[1])->buffer[0] = number(word[2]);
        return 0;
    }
    if (IS("peek")) {
        sprintf(more, " %d", thing(word[1])->buffer[0]);
        return 0;
    }
    if (IS("queue")) {
        return create(word);
    }
    if (IS("write")) {
        return write_packet(word);
    }
    if (IS("read")) {
        return read_packet(word, more);
    }
    if (IS("burst")) {
        return burst(word);
    }
    if (IS("tally")) {
        return tally(word, more);
    }
    if (IS("stat")) {
        return stat_of(word, more);
    }
    if (IS("wakeup")) {
        return dspqueue_write_early_wakeup_noblock(thing(word[1])->queue, 100, 0);
    }
    if (IS("shut")) {
        int code = dspqueue_close(thing(word[1])->queue);
        if (code == 0) {
            thing(word[1])->queue = NULL;
        }
        return code;
    }
    if (IS("sleep")) {
        return usleep((useconds_t)number(word[1]) * 1000);
    }
    if (IS("pid")) {
        sprintf(more, " %d", (int)getpid());
        return 0;
    }
    if (IS("await")) { /* until standard input has a line */
        return fgets(line, sizeof line, stdin) == NULL;
    }
    exit(98);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    char *rest = argc == 2 ? argv[1] : NULL;
    while (rest != NULL) {
        char *line = strsep(&rest, ";");
        char copy[256], more[512] = "";
        char *words[10] = {0};
        int count = 0;
        snprintf(copy, sizeof copy, "%s", line + strspn(line, " \n"));
        for (char *word = strtok(line, " \n"); word != NULL && count < 8;
             word = strtok(NULL, " \n")) {
            words[count++] = word;
        }
        if (count > 0) {
            int code = act(words, more);
            printf("%s = %x%s\n", copy, (unsigned)code, more);
        }
    }
    return 0;
}

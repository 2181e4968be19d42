/* core.h: interfaces between the files of the core. */
#ifndef BUILDTOOL_SHELL_CORE_H
#define BUILDTOOL_SHELL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell.h"
#include "wire.h"

/* ---- facts.c ---- */

/* Reads key=value arguments, as libcdsprpc passes them. Unknown keys are ignored. */
void facts_set(int count, char **arguments);

/* ---- fault.c ---- */

/* What the calling thread is doing, for the report of a crash. */
struct fault_context {
    const char *skel; /* NULL: not in a call */
    uint32_t method;
};
extern _Thread_local struct fault_context fault_context;

/* Signals that end a process are reported on standard error first. */
void fault_catch(void);
/* Gives the calling thread a stack of its own for that, so that it can report the
 * overflow of its stack. */
void fault_thread(void);

/* ---- log.c ---- */

/* Ends the line that skels print, if there is one. */
void log_end_line(void);

/* ---- serve.c ---- */

/* Serves the control socket until it ends, then ends the process. */
void serve(void) __attribute__((noreturn));

/* ---- requests.c: each answers on the socket; false when the channel is unusable ---- */

bool request_invoke(int socket, const struct wire_header *request);
bool request_open(int socket, const struct wire_header *request, int skel);
bool request_close(int socket, const struct wire_header *request);
bool request_other(int socket, const struct wire_header *request, int *fd);

/* Answers with a result and a block. */
bool reply(int socket, int result, uint64_t handle, const void *payload, size_t size);

/* ---- handles.c ---- */

typedef union {
    struct {
        void *pv;
        uint32_t nLen;
    } buf;
    uint64_t raw;
} shell_argument; /* remote_arg as skels have it */

struct handle;

/* Opens an interface of a skel. is_64: its entry takes a handle, and has open and close. */
int handle_open(int skel, const char *file, const char *symbol, const char *uri, bool is_64,
                int socket, uint64_t *handle, char *reason, size_t room);
int handle_invoke(uint64_t handle, uint32_t scalars, shell_argument *arguments);
int handle_close(uint64_t handle);

/* ---- buffers.c ---- */

int buffer_share(const struct wire_buffer *buffer, int fd); /* keeps fd */
int buffer_unshare(uint64_t id);
/* A part of a shared buffer in the DSP's memory, held until buffer_release. */
int buffer_acquire(uint64_t id, uint64_t offset, uint32_t length, void **address);
void buffer_release(uint64_t id);
int buffer_map(const struct wire_map *map, uint64_t *address);
int buffer_unmap(uint64_t id);

/* ---- messages.c ---- */

int downcall(uint32_t topic, const void *in, size_t in_size, int *fd, void *out, size_t out_room,
             size_t *out_size);

#endif

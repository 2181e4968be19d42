/* core.h: the interface between the source files of the shell's core. */
#ifndef BUILDTOOL_SHELL_CORE_H
#define BUILDTOOL_SHELL_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell.h"
#include "wire.h"

/* ---- facts.c ---- */

/* Sets the facts from the key=value arguments of libcdsprpc. Ignores unknown keys. */
void facts_set(int count, char **arguments);

/* ---- fault.c ---- */

/* The method that the calling thread executes, for the report of a crash. */
struct fault_context {
    const char *skel; /* NULL outside of calls */
    uint32_t method;
};
extern _Thread_local struct fault_context fault_context;

/* Installs handlers that report fatal signals on standard error before the process ends. */
void fault_catch(void);
/* Sets up an alternate signal stack for the calling thread, so that the overflow of its stack can
 * be reported. */
void fault_thread(void);

/* ---- log.c ---- */

/* Writes the unfinished line that skels have printed, if there is one. */
void log_end_line(void);

/* ---- serve.c ---- */

/* Serves the control socket until end of file, then ends the process. */
void serve(void) __attribute__((noreturn));

/* ---- requests.c ---- */

/* Each function answers its request on the socket. Returns false when the channel is unusable. */

bool request_invoke(int socket, const struct wire_header *request);
bool request_open(int socket, const struct wire_header *request, int skel);
bool request_close(int socket, const struct wire_header *request);
bool request_other(int socket, const struct wire_header *request, int *fd);

/* Sends a REPLY with a result and a payload. */
bool reply(int socket, int result, uint64_t handle, const void *payload, size_t size);

/* ---- handles.c ---- */

typedef union {
    struct {
        void *pv;
        uint32_t nLen;
    } buf;
    uint64_t raw;
} shell_argument; /* remote_arg on the DSP side */

struct handle;

/* Opens an interface of a skel. is_64: the interface's entry takes a handle, and the interface has
 * open and close methods. */
int handle_open(int skel, const char *file, const char *symbol, const char *uri, bool is_64,
                int socket, uint64_t *handle, char *reason, size_t room);
int handle_invoke(uint64_t handle, uint32_t scalars, shell_argument *arguments);
int handle_close(uint64_t handle);

/* ---- buffers.c ---- */

/* Adds a buffer of the client. Takes ownership of fd. */
int buffer_share(const struct wire_buffer *buffer, int fd);
int buffer_unshare(uint64_t id);
/* Finds the address of a part of a shared buffer. The buffer stays mapped until buffer_release. */
int buffer_acquire(uint64_t id, uint64_t offset, uint32_t length, void **address);
void buffer_release(uint64_t id);
int buffer_map(const struct wire_map *map, uint64_t *address);
int buffer_unmap(uint64_t id);

/* ---- messages.c ---- */

int downcall(uint32_t topic, const void *in, size_t in_size, int *fd, void *out, size_t out_room,
             size_t *out_size);

#endif

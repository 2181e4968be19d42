/* shell.h: what the core of the emulated DSP shell provides to the runtime.
 *
 * Codes are those of AEEStdErr.h as the DSP side has them (0x80000400 + x). */
#ifndef BUILDTOOL_SHELL_H
#define BUILDTOOL_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* ---- the device and the process ---- */

struct shell_facts {
    const char *soc; /* "QCS6490" */
    uint32_t arch;   /* 0x68 for v68: the hex digits are the name */
    uint32_t vtcm_bytes;
    uint32_t hvx_units;
    uint32_t hw_threads;
    bool hmx;
    bool unsigned_pd;     /* this process runs unsigned modules */
    int domain;           /* 3 is the CDSP */
    uint32_t session;     /* 0 is the default session */
    uint32_t client_pid;  /* of the program on the ARM side */
    int thread_priority;  /* what the client asked for, else 192 */
    uint32_t stack_bytes; /* what the client asked for, else 16384 */
    const char *state;    /* directory on the build machine for lock files that all programs
                            * of this device share */
};

const struct shell_facts *shell_facts(void);

/* ---- log ---- */

/* Levels as HAP_debug.h numbers them. */
enum shell_level {
    SHELL_LOW = 0,
    SHELL_MEDIUM = 1,
    SHELL_HIGH = 2,
    SHELL_ERROR = 3,
    SHELL_FATAL = 4
};

/* Writes one line to the client's standard error, at once and in one write.
 * file may be NULL; text needs no newline at its end. */
void shell_log(int level, const char *file, int line, const char *text);

/* Adds to the line that skels print. It is written at its end, which is a newline or that
 * of a call, with the level HIGH. */
void shell_print(const char *text, size_t length);

/* The same with a format; for the shell's own messages. */
void shell_logf(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- buffers of the client, by the number of its file descriptor ---- */

/* The known descriptors are those of buffers passed in a call, of dma handles
 * passed in a call, of fastrpc_mmap, of remote_mem_map, of registered dma handles. */

/* Bytes of the buffer in *size. AEE_ENOSUCHMAP when the client never passed it. */
int shell_fd_size(int client_fd, uint64_t *size);

/* The same, but AEE_ENOSUCHMAP also when the client has not mapped it with fastrpc_mmap,
 * whatever the flags. */
int shell_fd_mapped(int client_fd, uint64_t *size);

/* A mapping of its own of [offset, offset + length), prot as for mmap; offset is a
 * multiple of 4096. Ended by shell_fd_unmap. Outlives the client's own unmapping. */
int shell_fd_map(int client_fd, uint64_t offset, size_t length, int prot, void **address);
int shell_fd_unmap(void *address, size_t length);

/* The one mapping that the client made with fastrpc_mmap(FASTRPC_MAP_FD); counted,
 * each get needs a put. AEE_ERPC when there is none, as HAP_mmap_get has it. */
int shell_fd_get(int client_fd, void **address, uint64_t *size);
int shell_fd_put(int client_fd);

/* ---- messages between a part of the runtime and its counterpart in libcdsprpc ---- */

/* The host's end is emulator/cdsprpc/message.h. */

/* Handles a downcall: the host thread waits for it. Runs on a DSP thread of its
 * own. in[0, in_size) is the message; *fd is a descriptor that came with it, or
 * -1: the handler may keep it by setting *fd to -1, else it is closed. Up to
 * out_room bytes of answer go to out, their number to *out_size. Returns a code. */
typedef int (*shell_downcall)(const void *in, size_t in_size, int *fd, void *out, size_t out_room,
                              size_t *out_size);

/* To be called before any skel runs: from a constructor
 * (__attribute__((constructor))). */
void shell_on_downcall(enum wire_topic topic, shell_downcall handler);

/* Sends a message to the host's end, which gets it on a thread of its own; does
 * not wait. Messages of one thread arrive in order. fd is -1, or a descriptor to
 * go with it, which stays the caller's. size is at most WIRE_MESSAGE_MAX. */
int shell_upcall(enum wire_topic topic, const void *message, size_t size, int fd);

#endif

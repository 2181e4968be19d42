/* shell.h: the interface of the emulated DSP shell's core to the runtime.
 *
 * Codes are the DSP side's values of AEEStdErr.h (0x80000400 + x). */
#ifndef BUILDTOOL_SHELL_H
#define BUILDTOOL_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* ---- the device and the process ---- */

/* With --strict, and in out buffers when calls are recorded, the bytes of memory that nobody has
 * written: large as an integer and as a float, and not a number in half precision. */
#define POISON 0x7e

/* Whether memory that a skel sees is between unmapped pages, and which end of it touches one. */
enum shell_strict { STRICT_OFF, STRICT_BACK, STRICT_FRONT };

struct shell_facts {
    const char *soc; /* "QCS6490" */
    uint32_t arch;   /* 0x68 for v68 */
    uint32_t vtcm_bytes;
    uint32_t hvx_units;
    uint32_t hw_threads;
    uint32_t hmx;         /* HMX_COMPUTES or HMX_ZEROS of unit.h; 0: votes for it and locks fail */
    const char *hmx_unit; /* the program that computes HMX */
    bool unsigned_pd;     /* whether this process runs unsigned modules */
    int domain;           /* 3 is the CDSP */
    uint32_t session;     /* 0 is the default session */
    uint32_t client_pid;  /* process id of the program on the ARM side */
    int thread_priority;  /* requested by the client; 192 by default */
    uint32_t stack_bytes; /* requested by the client; 16384 by default */
    bool measure_stack;   /* counts have what threads use of their stacks */
    uint64_t heap_bytes;  /* how large the heap can grow; libcdsprpc passes it */
    enum shell_strict strict;
    bool fills_outputs;  /* out buffers have POISON before each call */
    bool debug;          /* a debugger controls this process */
    const char *state;   /* directory on the build machine with the lock files that all
                            * programs of this device share */
    const char *reports; /* file for reports of calls that take long; "": none */
    const char *counts;  /* file for the counts of methods; "": none */
    const char *trace;   /* file for the records of trace.h; "": none */
    const char *profile; /* file for samples; "": none */
    const char *farf;    /* "0x1f FILE,FILE": the RUNTIME_ messages that are logged at first */
    uint32_t levels;     /* of messages of skels: bit n: level n reaches the terminal */
};

const struct shell_facts *shell_facts(void);

/* ---- log ---- */

/* The numbers are those of HAP_debug.h. */
enum shell_level {
    SHELL_LOW = 0,
    SHELL_MEDIUM = 1,
    SHELL_HIGH = 2,
    SHELL_ERROR = 3,
    SHELL_FATAL = 4
};

/* Writes one line to the client's standard error, unbuffered and with one write. file may be NULL.
 * text need not end with a newline. */
void shell_log(int level, const char *file, int line, const char *text);

/* Writes a line that a skel logs, like shell_log, unless the client has silenced its level. */
void skel_log(int level, const char *file, int line, const char *text);

/* Appends text to the line that skels print. A newline or the end of a call writes the line, with
 * the level HIGH. */
void shell_print(const char *text, size_t length);

/* Writes a formatted line, like shell_log. For messages of the shell itself. */
void shell_logf(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Logs a message and ends the process with SIGABRT, like a crash in a kernel. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* ---- calls ---- */

/* Returns the stack address at which the call of the calling thread entered the skel, or 0 outside
 * of calls. */
uintptr_t shell_call_frame(void);

/* ---- modules ---- */

/* Finds the memory of the module that contains an address. Returns false when there is none. */
bool shell_module_span(const void *address, const void **memory, size_t *size);

/* ---- stop ---- */

/* Reports a wrong use of memory, with the stack of the caller, and ends the process as abort()
 * does. kind is a word for programs that read the report, and text a phrase without a period.
 * address is what the report finds a region for; 0 stands for none. */
void shell_stop(const char *kind, uintptr_t address, const char *text) __attribute__((noreturn));

/* ---- buffers of the client, by the client's file descriptor ---- */

/* The shell knows the descriptors of buffers and dma handles passed in calls, of fastrpc_mmap, of
 * remote_mem_map, and of registered dma handles. */

/* Stores the buffer's size in bytes in *size. Returns AEE_ENOSUCHMAP for an unknown descriptor. */
int shell_fd_size(int client_fd, uint64_t *size);

/* The same for a buffer that the client has mapped with fastrpc_mmap, with any flags. Returns
 * AEE_ENOSUCHMAP for any other buffer. */
int shell_fd_mapped(int client_fd, uint64_t *size);

/* Creates a separate mapping of [offset, offset + length). prot is as for mmap; offset is a
 * multiple of 4096. The mapping exists until shell_fd_unmap, even when the client unmaps the
 * buffer. */
int shell_fd_map(int client_fd, uint64_t offset, size_t length, int prot, void **address);
int shell_fd_unmap(void *address, size_t length);

/* Finds the mapping that the client created with fastrpc_mmap(FASTRPC_MAP_FD), and counts a
 * reference, which shell_fd_put drops. Returns AEE_ERPC when there is no such mapping, as
 * HAP_mmap_get does. */
int shell_fd_get(int client_fd, void **address, uint64_t *size);
int shell_fd_put(int client_fd);

/* ---- messages between a part of the runtime and its counterpart in libcdsprpc ---- */

/* emulator/cdsprpc/message.h has the host's functions. */

/* Handles a downcall, for which the host thread waits. Runs on the DSP thread of that host thread's
 * channel. in[0, in_size) is the message. *fd is the attached descriptor, or -1; the caller closes
 * it unless the handler sets *fd to -1. The handler writes an answer of up to out_room bytes to out
 * and its size to *out_size. Returns a code. */
typedef int (*shell_downcall)(const void *in, size_t in_size, int *fd, void *out, size_t out_room,
                              size_t *out_size);

/* Sets the handler of a topic. Call this before any skel runs, from a constructor
 * (__attribute__((constructor))). */
void shell_on_downcall(enum wire_topic topic, shell_downcall handler);

/* Sends a message to the host, which handles it on the session's listening thread. Does not wait
 * for the handler. Messages of one thread arrive in order. fd is -1 or a descriptor to attach,
 * which stays open. size is at most WIRE_MESSAGE_MAX. */
int shell_upcall(enum wire_topic topic, const void *message, size_t size, int fd);

#endif

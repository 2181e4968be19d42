/* core.h: the interface between the source files of the shell's core. */
#ifndef BUILDTOOL_SHELL_CORE_H
#define BUILDTOOL_SHELL_CORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell.h"
#include "text.h"
#include "wire.h"

/* ---- facts.c ---- */

/* Sets the facts from the key=value arguments of libcdsprpc. Ignores unknown keys. */
void facts_set(int count, char **arguments);

/* ---- fault.c ---- */

/* The method that the calling thread executes, for the report of a crash. */
struct fault_context {
    const char *skel; /* NULL outside of calls */
    uint32_t method;
    uintptr_t frame; /* where the call or the thread enters the skel */
    uintptr_t entry; /* the function of the skel that is called */
};
extern _Thread_local struct fault_context fault_context;

/* The stack of the calling thread, for the report of a crash. */
struct fault_stack {
    uintptr_t low, high;
    size_t asked; /* the size that the client or the skel requested */
    bool exact;   /* the stack has that size; otherwise it is larger */
};
extern _Thread_local struct fault_stack fault_stack;

/* Installs handlers that report fatal signals on standard error before the process ends. */
void fault_catch(void);
/* Sets up an alternate signal stack for the calling thread, so that the overflow of its stack can
 * be reported. */
void fault_thread(void);
/* Frees that stack, at the end of the thread. */
void fault_thread_end(void);

/* ---- running.c ---- */

#define RUNNING_ADDRESSES_MAX 64

/* How far the report of a call is. */
enum running_state { CALL_SHORT, CALL_ASKED, CALL_ANSWERED, CALL_REPORTED };

/* A call that has not returned. The calling thread's stack holds it. */
struct running_call {
    struct running_call *next;
    pthread_t thread;
    int socket; /* of the channel */
    const char *skel;
    uint32_t method;
    uint64_t since; /* of clock_now() */
    int state;      /* of running_state */
    /* Where the thread executes, and the return addresses of its frames, the newest first. */
    uintptr_t addresses[RUNNING_ADDRESSES_MAX];
    size_t address_count;
};

void running_start(void);
/* The caller sets `skel` and `method`. */
void running_begin(struct running_call *call);
void running_end(struct running_call *call);
/* Calls `use` with the socket of a call, whose reply is not sent in the meantime. Returns false if
 * no call is running. */
bool running_use_channel(void (*use)(int socket, void *context), void *context);
/* Logs the calls that have been running for at least so many seconds, each once. The line begins
 * with `why`. */
void running_report(unsigned seconds, const char *why);
/* The file for lines for programs while the process runs, or -1. */
int running_reports(void);

/* ---- frames.c ---- */

/* A place in the code of a module. */
struct frame {
    uintptr_t address;
    const char *module;
    uint32_t offset; /* link-time address */
};

/* Whether an address is in the code of the shell itself. */
bool in_shell(uintptr_t address);

/* Stores the return addresses of the calling thread's frames from a frame pointer on, the newest
 * first, and returns their number. Reads nothing but the stack. */
size_t frames_addresses(uintptr_t frame_pointer, uintptr_t *addresses, size_t room);
/* Finds the same with their places, without those outside of modules. */
size_t frames_walk(uintptr_t frame_pointer, struct frame *frames, size_t room);
/* Finds the place of one address. Returns false when it is not in the code of a module. No module
 * may be unloaded meanwhile: the caller holds a lock of the modules, or the process is ending. */
bool frame_at(uintptr_t address, struct frame *frame);

/* ---- report.c ---- */

/* A crash, as the shell reports it. */
struct crash {
    const char *kind;     /* a word */
    const char *text;     /* a phrase */
    int number;           /* the signal */
    uintptr_t pc, lr, fp; /* pc and lr are 0 for a crash that the shell itself has found */
    uintptr_t address;    /* the memory that was used wrongly; 0: none */
    uintptr_t sp;         /* for overflow.c */
    bool overflow;        /* the stack has overflowed */
};

/* Writes a line for people and a line for programs to standard error. */
void report_crash(const struct crash *crash);
/* Writes a line for programs to a file: where a call that takes long executes. The caller holds a
 * lock of the modules. */
void report_running(int file, const struct running_call *call, unsigned seconds);
/* Logs a use of a vector that is wrong, or loses a part of it, and writes a line for programs: the packet
 * that uses it, the one that wrote it, and the one that copied it, or 0. */
void report_pair(bool is_wrong, const char *text, const uintptr_t packets[3]);

/* ---- overflow.c ---- */

/* Whether an address is in the unmapped page below the calling thread's stack. */
bool overflow_guard(uintptr_t address);
/* Whether a bad access to memory is the overflow of the calling thread's stack. */
bool is_overflow(const struct crash *crash);
/* Describes an overflow: how much stack the code needs at least, and how much was requested. */
void overflow_describe(const struct crash *crash, struct text *text);

/* ---- log.c ---- */

/* Writes the unfinished line that skels have printed, if there is one. */
void log_end_line(void);

/* ---- serve.c ---- */

/* Serves the control socket until end of file, then ends the process. */
void serve(void) __attribute__((noreturn));

/* The socket of the calling thread's channel, or -1 for a thread of a skel. */
extern _Thread_local int channel_socket;

/* ---- library.c ---- */

/* Requests a library from libcdsprpc, which searches for it as for skels. A thread of a skel sends
 * the request on the channel of a call that is running. Returns false if none is. Otherwise, stores
 * a descriptor in *fd, which the caller closes, or -1. The caller holds the lock of the modules. */
bool library_request(const char *name, int *fd);

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
                uint64_t *handle, char *reason, size_t room);

/* What is done when a method has returned, as a part of its call: it can stop the process. */
struct call_check {
    void (*returned)(const void *context);
    const void *context;
};
int handle_invoke(uint64_t handle, uint32_t scalars, shell_argument *arguments,
                  const struct call_check *check);
int handle_close(uint64_t handle);

/* ---- buffers.c ---- */

/* Adds a buffer of the client. Takes ownership of fd. */
int buffer_share(const struct wire_buffer *buffer, int fd);
int buffer_unshare(uint64_t id);
/* Finds the address of a part of a shared buffer. The buffer stays mapped until buffer_release. */
int buffer_acquire(uint64_t id, uint64_t offset, uint32_t length, void **address);
void buffer_release(uint64_t id);
/* Whether the skel or the client has received a pointer to the buffer that outlives calls. */
bool buffer_given(uint64_t id);
int buffer_map(const struct wire_map *map, uint64_t *address);
int buffer_unmap(uint64_t id);

/* ---- messages.c ---- */

int downcall(uint32_t topic, const void *in, size_t in_size, int *fd, void *out, size_t out_room,
             size_t *out_size);

#endif

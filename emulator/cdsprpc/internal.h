/* internal.h: the interface between the source files of the emulated libcdsprpc. */
#ifndef BUILDTOOL_CDSPRPC_INTERNAL_H
#define BUILDTOOL_CDSPRPC_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "AEEStdErr.h"
#include "remote.h"
#include "wire.h"

/* Marks functions that the library exports. All others are hidden. */
#define EXPORT __attribute__((visibility("default")))

/* Converts a code to the DSP side's value. */
#define DSP_CODE(code) ((int)(DSP_AEE_EOFFSET + (unsigned)(code)))

#define DOMAINS 5  /* adsp, mdsp, sdsp, cdsp, cdsp1 */
#define SESSIONS 4 /* sessions of each domain; 0 is the default session */
#define EFFECTIVE_DOMAINS (DOMAINS * SESSIONS)
#define OWN_DOMAIN CDSP_DOMAIN_ID

/* ---- log.c ---- */

/* Writes a line to standard error. It begins with "libcdsprpc: ". */
void log_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- rpcmem.c ---- */

/* Returns "back" or "front" if the DSP process uses memory strictly (`buildtool run sim --strict`),
 * or "". */
const char *strict_mode(void);

/* ---- crashes.c ---- */

/* Whether a line of the DSP process's standard error is for programs. */
bool crash_is_for_programs(const char *line);
/* The path of the file for reports, or "". */
const char *crash_reports(void);
/* Appends these lines to the file that `buildtool` reads, or one that says why the process died. */
void crash_pass_on(int errors, const char *why);

/* ---- config.c: the device ---- */

struct config {
    char soc[64];
    uint32_t arch; /* 0x68 for v68 */
    uint32_t vtcm_bytes;
    uint32_t heap_bytes;
    uint32_t hvx_units;
    uint32_t hw_threads;
    bool hmx;
    bool unsigned_pd;
    bool domains[DOMAINS];
    char qemu[1024];
    char qemu_cpu[32];
    char shell[1024];
    char state[1024];
};

/* Returns the device's configuration, which is read once. Returns NULL when it is missing or
 * invalid; the first call then writes a message to standard error. */
const struct config *config_get(void);

/* ---- uri.c ---- */

#define URI_NAME_MAX 256

struct uri {
    char file[URI_NAME_MAX];   /* libX_skel.so */
    char symbol[URI_NAME_MAX]; /* X_skel_handle_invoke */
    bool is_64;                /* the URI has _modver=1.0: the entry takes a handle */
    int domain;                /* from _dom=, or -1 */
    int session;               /* from _session=, or 0 */
};

/* Parses a module's URI or name. Returns AEE_EBADPARM when it is invalid. */
int uri_parse(const char *text, struct uri *uri);

/* Returns the name of a domain id. An effective domain id is not valid here. */
const char *domain_name(int domain);
/* Returns the id of the domain with the name name[0, n), or -1. */
int domain_by_name(const char *name, size_t n);

/* ---- search.c: the skel on the library path ---- */

/* Opens the first file with that name on the library path. Returns its descriptor, or -1 and a code
 * in *code. On failure, writes the list of all files that it tried to standard error, unless
 * `quiet`. */
int search_open(const char *file, const char *domain, bool quiet, int *code);

/* ---- session.c: DSP processes ---- */

struct channel {
    struct channel *next;
    int socket;
    bool busy;
};

/* A call that has not returned, for the report of a crash. */
struct running {
    struct running *next;
    const char *name; /* file name of the skel */
    uint32_t method;
    bool opening;
};

struct shared; /* buffers.c */

struct session {
    struct session *next;
    int references; /* protected by the lock of the session table */
    int effective;  /* domain + DOMAINS * session id */
    pid_t process;  /* process id of the DSP process */
    int control, supervisor, errors;
    /* Protects the members below, except `sharing` and `shared`. A thread that holds the lock of
     * the session table may take it. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started;   /* the DSP process runs; `process` and the descriptors do not change */
    int start_code; /* why the process did not start; 0 if it did */
    _Atomic bool dead;
    bool watched;  /* it has a listening thread */
    bool awaited;  /* a thread waits for the end of the process */
    bool notified; /* it is dead, and the notifiers have been called */
    bool closed;   /* its last handle is closed; it accepts no new handle */
    bool ending;   /* the library is ending it */
    bool killed;   /* the client requested its end */
    bool pinned;   /* does not end when its last handle is closed */
    int handles;
    struct channel *channels;
    struct running *running;
    pthread_mutex_t sharing;
    struct shared *shared; /* buffers that the DSP process knows; protected by `sharing` */
};

/* Creates a session with one reference and no process. Returns NULL when out of memory. */
struct session *session_new(int effective);

/* Finds the usable session of an effective domain, or starts one if `start` is set. Waits while
 * another thread starts it. Returns AEE_EBADPARM for an unknown domain, AEE_ECONNREFUSED when the
 * DSP process does not start, and AEE_ENOSUCH when there is no session and `start` is not set. The
 * caller releases *session with session_put. */
int session_get(int effective, bool start, struct session **session);
void session_put(struct session *session);

/* Whether the session is starting or alive, and no thread is ending it. */
bool session_usable(struct session *session);

/* Waits until the session has started. Returns the code of the start. */
int session_await_start(struct session *session);

/* Ends the DSP process and waits until it is gone. */
void session_end(struct session *session);
/* Waits until the notifiers have been told of the end of a dead session, because the client may
 * unload their libraries afterwards. Does not wait in a notifier. */
void session_await_notified(struct session *session);

/* Creates a pair of connected sockets with close-on-exec set. Neither has the number of a standard
 * stream: the client may have closed those, and messages for standard error must not be written to
 * a socket. */
bool socket_pair(int ends[2]);

/* Record the start and the end of a call. */
void session_running(struct session *session, struct running *running);
void session_returned(struct session *session, struct running *running);

/* Reserves a channel to the DSP process for the next request of this thread. The thread returns it
 * with session_channel_back, which closes the channel unless it is `usable`. Returns AEE_ECONNRESET
 * when the session is dead or no channel can be opened. */
int session_channel(struct session *session, struct channel **channel);
void session_channel_back(struct session *session, struct channel *channel, bool usable);

/* Receives the header of the reply to a request. Until then, opens the libraries that the DSP
 * process requests. Returns 0 or an errno value. */
int session_await_reply(const struct session *session, int socket, struct wire_header *header);

/* Handles a broken channel: waits until the DSP process is known to be dead and its death has been
 * reported. Returns the code for the call, the DSP side's AEE_EBADSTATE. */
int session_lost(struct session *session);

/* Sends a request and waits for the reply, whose header replaces *header. Stores the reply's
 * payload in `answer`. *answer_size is the size of that buffer on entry, and of the stored payload,
 * which may be truncated, on return. Both pointers may be NULL. */
int session_request(struct session *session, struct wire_header *header, const void *payload,
                    size_t size, int fd, void *answer, size_t *answer_size);

/* ---- start.c: starting the process ---- */

/* Starts the DSP process and sets control, supervisor and errors, descriptors that a forked child
 * must close. Returns AEE_ECONNREFUSED and writes a message when that fails. */
int start_process(struct session *session, const struct config *config);

/* Waits for the first message of the DSP process and sets `process`. Returns AEE_ECONNREFUSED and
 * writes a message when there is none. */
int start_await_hello(struct session *session, const struct config *config);

/* ---- watch.c: messages of the DSP process, and its end ---- */

/* Starts a listening thread. Only sessions with notifiers or messages have one, so that the library
 * does not make other clients multi-threaded, which limits what they can do after a fork. */
int watch_start(struct session *session);

/* Waits until the DSP process is gone, reports its end and marks the session as dead. Called by the
 * listening thread, or, in a session without one, by the thread that finds the process gone. */
void watch_until_dead(struct session *session, bool listening);

/* ---- threads.c ---- */

/* Starts a thread of the library. Returns false on failure. */
bool thread_start(void (*run)(void *), void *argument);
/* Waits at most so many seconds until all threads but the calling one have ended. */
void threads_join(int seconds);
void threads_forget(void); /* in a forked child */

/* ---- settings.c: what clients request before a session starts ---- */

struct settings {
    bool unsigned_module;
    bool reserved;
    int priority;   /* 1 to 255 */
    int stack_size; /* bytes */
};

struct settings settings_of(int effective);
int settings_unsigned(int effective, bool enable);
int settings_threads(int effective, int priority, int stack_size);
int settings_reserve(int domain, uint32_t *session);
int settings_add_notifier(int effective, const remote_rpc_notif_register_t *notify);
/* Calls the client's notifiers, except those whose library has been unloaded. */
void settings_call_notifiers(int effective, remote_rpc_status_flags_t status);
/* Whether the calling thread is in a notifier. */
bool settings_in_notifier(void);
/* Whether the client has a notifier for this domain. */
bool settings_has_notifier(int effective);

/* ---- handles.c ---- */

struct opened {
    struct opened *next;
    uint64_t id;
    struct session *session;
    uint64_t remote; /* the number of the handle in the DSP process */
    bool is_64;
    bool closing;
    int calls;
    char name[URI_NAME_MAX];
};

int handle_add(struct session *session, uint64_t remote, bool is_64, const char *name,
               uint64_t *id);
/* Finds an open handle for a call, which ends with handle_release. Returns NULL when there is
 * none. */
struct opened *handle_acquire(uint64_t id, bool is_64);
void handle_release(struct opened *handle);
/* Removes a handle from the table and waits for its calls. The caller frees it. */
struct opened *handle_remove(uint64_t id, bool is_64);
void handles_forget(void); /* in a forked child */
/* Frees the handles that are in no call, when the library is unloaded. */
void handles_free(void);

/* ---- buffers.c: memory shared with the DSP ---- */

/* Finds the buffer that contains [address, address + length) and shares it with the session's DSP
 * process. Returns false when there is no such buffer. Otherwise, sets `argument` and *code, the
 * code of sharing. */
bool buffers_share_range(struct session *session, const void *address, size_t length,
                         struct wire_argument *argument, int *code);
/* Shares the buffer with the client's descriptor. id may be NULL. */
int buffers_share_fd(struct session *session, int fd, uint64_t *id);
/* Whether the library knows a buffer with the client's descriptor. */
bool buffers_has_fd(int fd);
/* Frees the session's list of shared buffers. */
void buffers_session_gone(struct session *session);
void buffers_forget(void); /* in a forked child */
/* Forgets all buffers, when the library is unloaded. The client keeps its memory. */
void buffers_free(void);

/* Adds a buffer, which begins at `shift` in its file. On success, takes ownership of fd. `ours` is
 * set for rpcmem_alloc. */
int buffers_add(void *address, size_t size, int client_fd, int fd, bool ours, size_t shift);
/* Removes the buffer that starts at an address. Returns its descriptor, or -1. */
int buffers_remove(const void *address, bool ours, size_t *size, int *client_fd);
int buffers_fd_of(const void *address);
/* Returns the client's address of the buffer with a descriptor, or NULL when it is unknown. */
void *buffers_address_of(int client_fd);
void buffers_remove_fd(int client_fd);

/* ---- rpcmem.c ---- */

/* Creates a memfd of `size` bytes with close-on-exec set. Returns -1 on failure. */
int memory_file(size_t size);

/* ---- dspqueue.c ---- */

/* Waits at most so many seconds for the threads of queues that the client has not closed. */
void queues_stop(int seconds);

/* ---- invoke.c ---- */

/* Makes a call. `sent` may be NULL; otherwise it is called with `context` when the arguments have been
 * sent, but not after an earlier error. */
int invoke(struct opened *handle, uint32_t scalars, remote_arg *arguments, void (*sent)(void *),
           void *context);

/* ---- sessions.c: the table of sessions ---- */

/* Calls `act` for every session in the table. */
void sessions_each(void (*act)(struct session *session, void *context), void *context);
/* Removes a dead session from the table. */
void sessions_remove(struct session *session);

#endif

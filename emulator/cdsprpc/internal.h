/* internal.h: interfaces between the files of the emulated libcdsprpc. */
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

/* Functions that the library exports; all others are hidden. */
#define EXPORT __attribute__((visibility("default")))

/* The DSP side's value of a code. */
#define DSP_CODE(code) ((int)(DSP_AEE_EOFFSET + (unsigned)(code)))

#define DOMAINS 5  /* adsp, mdsp, sdsp, cdsp, cdsp1 */
#define SESSIONS 4 /* of each domain; 0 is the default one */
#define EFFECTIVE_DOMAINS (DOMAINS * SESSIONS)
#define OWN_DOMAIN CDSP_DOMAIN_ID

/* ---- log.c ---- */

/* One line to standard error, beginning with "libcdsprpc: ". */
void log_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- config.c: the device ---- */

struct config {
    char soc[64];
    uint32_t arch; /* 0x68 for v68 */
    uint32_t vtcm_bytes;
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

/* The device's configuration, read once; NULL, with a message on standard error the
 * first time, when there is none or it is wrong. */
const struct config *config_get(void);

/* ---- uri.c ---- */

#define URI_NAME_MAX 256

struct uri {
    char file[URI_NAME_MAX];   /* libX_skel.so */
    char symbol[URI_NAME_MAX]; /* X_skel_handle_invoke */
    bool is_64;                /* _modver=1.0: the entry takes a handle */
    int domain;                /* of _dom=, or -1 */
    int session;               /* of _session=, or 0 */
};

/* AEE_EBADPARM for what cannot be a module's name. */
int uri_parse(const char *text, struct uri *uri);

const char *domain_name(int domain);            /* of a domain id, not an effective one */
int domain_by_name(const char *name, size_t n); /* or -1 */

/* ---- search.c: the skel on the library path ---- */

/* A descriptor of the first file of that name, or -1 and in *code why; everything that
 * was tried goes to standard error then, unless quiet. */
int search_open(const char *file, const char *domain, bool quiet, int *code);

/* ---- session.c: DSP processes ---- */

struct channel {
    struct channel *next;
    int socket;
    bool busy;
};

/* A call under way, for the report of a crash. */
struct running {
    struct running *next;
    const char *name; /* of the skel */
    uint32_t method;
    bool opening;
};

struct shared; /* buffers.c */

struct session {
    struct session *next;
    int references; /* under the sessions' lock */
    int effective;  /* domain + DOMAINS * session id */
    pid_t process;  /* the DSP process */
    int control, supervisor, errors;
    pthread_mutex_t lock; /* of what follows; may be taken under the sessions' lock */
    pthread_cond_t changed;
    bool started;   /* the DSP process has answered: what is above does not change any more */
    int start_code; /* why it did not start, once it is dead */
    _Atomic bool dead;
    bool watched;  /* a thread listens */
    bool awaited;  /* a thread waits for the process's end */
    bool notified; /* and the notifiers have been called */
    bool closed;   /* its last handle is: no more may be opened on it */
    bool ending;   /* we asked for its end */
    bool killed;   /* the client asked for it */
    bool pinned;   /* stays when its last handle is closed */
    int handles;
    struct channel *channels;
    struct running *running;
    pthread_mutex_t sharing;
    struct shared *shared; /* buffers that the DSP process knows; under `sharing` */
};

/* A session without a process yet, with one reference; NULL without memory. */
struct session *session_new(int effective);

/* The living session of an effective domain, started when there is none and start is
 * set. Waits while another thread starts it. AEE_EBADPARM for no such domain;
 * AEE_ECONNREFUSED when the DSP does not answer; AEE_ENOSUCH when there is none and start is
 * not set. The caller releases *session with session_put. */
int session_get(int effective, bool start, struct session **session);
void session_put(struct session *session);

/* Whether it is starting or alive, and nobody is ending it. */
bool session_usable(struct session *session);

/* Waits until it has started; the code of that. */
int session_await_start(struct session *session);

/* Ends the DSP process and waits until it is gone. */
void session_end(struct session *session);
/* The same, and waits until the notifiers have been called. Not to be called by them. */
void session_end_notified(struct session *session);

/* Two ends, close-on-exec, none of them a standard stream's number: a client may have
 * closed those, and what goes to standard error must not go into a socket. */
bool socket_pair(int ends[2]);

/* Notes a call under way, and that it is over. */
void session_running(struct session *session, struct running *running);
void session_returned(struct session *session, struct running *running);

/* A channel to the DSP process for this thread's next request, to be given back; usable
 * false closes it. AEE_ECONNRESET when the session is dead. */
int session_channel(struct session *session, struct channel **channel);
void session_channel_back(struct session *session, struct channel *channel, bool usable);

/* After a channel broke: waits until the death of the DSP process is established and
 * reported. The code for the call: EBADSTATE of the DSP side. */
int session_lost(struct session *session);

/* One request with its answer; payload up to WIRE_TEXT_MAX bytes comes back in answer,
 * which may be NULL; *answer_size is its room, then its size. */
int session_request(struct session *session, struct wire_header *header, const void *payload,
                    size_t size, int fd, void *answer, size_t *answer_size);

/* ---- start.c: starting the process ---- */

/* Starts the DSP process, with descriptors of which a forked child must not keep copies: fills
 * control, supervisor and errors. AEE_ECONNREFUSED with a message. */
int start_process(struct session *session, const struct config *config);

/* Waits for the DSP process's first message: fills process. AEE_ECONNREFUSED with a message. */
int start_await_hello(struct session *session, const struct config *config);

/* ---- watch.c: messages of the DSP process, and its end ---- */

/* Starts a listening thread. Only clients with notifiers or queues need one: with another thread,
 * a client's fork() would be the fork of several threads. */
int watch_start(struct session *session);

/* Waits until the DSP process is gone, reports, and makes the session dead. The listening thread
 * does this; without one, the thread that finds the process gone. */
void watch_until_dead(struct session *session, bool listening);

/* ---- settings.c: what clients ask for before a session starts ---- */

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
/* Calls the client's functions. */
void settings_call_notifiers(int effective, remote_rpc_status_flags_t status);
/* Whether the client has a notifier for this domain. */
bool settings_has_notifier(int effective);

/* ---- handles.c ---- */

struct opened {
    struct opened *next;
    uint64_t id;
    struct session *session;
    uint64_t remote; /* the DSP's number for it */
    bool is_64;
    bool closing;
    int calls;
    char name[URI_NAME_MAX];
};

int handle_add(struct session *session, uint64_t remote, bool is_64, const char *name,
               uint64_t *id);
/* Takes hold of an open handle; NULL when there is none. */
struct opened *handle_acquire(uint64_t id, bool is_64);
void handle_release(struct opened *handle);
/* Takes it out of the table and waits for its calls. The caller frees it. */
struct opened *handle_remove(uint64_t id, bool is_64);
void handles_forget(void); /* in a forked child */

/* ---- buffers.c: memory shared with the DSP ---- */

/* A buffer that holds [address, address + length), made known to the session. Fills in
 * the argument and returns true; *code when sharing failed. */
bool buffers_share_range(struct session *session, const void *address, size_t length,
                         struct wire_argument *argument, int *code);
/* Makes the buffer with the client's descriptor known; *id may be NULL. */
int buffers_share_fd(struct session *session, int fd, uint64_t *id);
/* Whether a descriptor was registered or is of rpcmem_alloc. */
bool buffers_has_fd(int fd);
void buffers_session_gone(struct session *session); /* frees its list */
void buffers_forget(void);                          /* in a forked child */

/* Adds a buffer; keeps fd, which is the library's own. */
int buffers_add(void *address, size_t size, int client_fd, int fd, bool ours);
/* Removes the buffer that starts at an address; returns its descriptor, or -1. */
int buffers_remove(const void *address, bool ours, size_t *size, int *client_fd);
int buffers_fd_of(const void *address);
/* Where the buffer with that descriptor lies in the client; NULL when that is not known. */
void *buffers_address_of(int client_fd);
void buffers_remove_fd(int client_fd);

/* ---- rpcmem.c ---- */

/* A new memfd of that many bytes, close-on-exec, or -1. */
int memory_file(size_t size);

/* ---- invoke.c ---- */

int invoke(struct opened *handle, uint32_t scalars, remote_arg *arguments);

/* ---- sessions.c: all of them ---- */

/* Calls act for every living session. */
void sessions_each(void (*act)(struct session *session, void *context), void *context);
/* Takes a dead session out of the table. */
void sessions_remove(struct session *session);

#endif

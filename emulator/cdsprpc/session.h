/* session.h: DSP processes, and the channels to them. */
#ifndef BUILDTOOL_CDSPRPC_SESSION_H
#define BUILDTOOL_CDSPRPC_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cdsprpc.h"
#include "config.h"
#include "wire.h"

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

/* A buffer that the DSP process knows. */
struct shared {
    struct shared *next;
    uint64_t id;
};

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

/* ---- sessions.c: the table of sessions ---- */

/* Calls `act` for every session in the table. */
void sessions_each(void (*act)(struct session *session, void *context), void *context);
/* Removes a dead session from the table. */
void sessions_remove(struct session *session);

/* Before and after a fork; the child forgets all sessions, and can open sessions of its own. */
void sessions_before_fork(void);
void sessions_in_parent(void);
void sessions_in_child(void);

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

/* A handler of upcalls. It runs on the session's listening thread and must return soon. It must not
 * call message_downcall on that thread. fd is the attached descriptor, which the handler closes, or
 * -1. message is NULL and size is 0 when the DSP process of the domain has died. */
typedef void (*upcall_handler)(int domain, const void *message, size_t size, int fd);

/* Sets the handler of a topic. Call this before the first message_downcall. */
void watch_on_upcall(enum wire_topic topic, upcall_handler handler);

#endif

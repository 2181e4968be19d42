/* library.c: what the library does at fork, exit and dlclose. */
#include <pthread.h>

#include "buffers.h"
#include "handles.h"
#include "program_crash.h"
#include "queues.h"
#include "session.h"
#include "threads.h"

#define SECONDS_TO_JOIN 2

static void in_child(void)
{
    sessions_in_child();
    threads_forget();
    handles_forget();
    buffers_forget();
}

static void end_one(struct session *session, void *context)
{
    (void)context;
    session_end(session);
    session_await_notified(session);
}

__attribute__((constructor)) static void at_load(void)
{
    pthread_atfork(sessions_before_fork, sessions_in_parent, in_child);
    program_crash_catch();
}

/* Ends all DSP processes when the program ends or unloads the library, and waits for them, so that
 * none of them outlives the program. Then ends what would execute the library's code or refer to
 * it. Other threads may be in the library when the program ends. What they use is not freed. */
__attribute__((destructor)) static void at_exit(void)
{
    sessions_each(end_one, NULL);
    queues_stop(SECONDS_TO_JOIN);
    threads_join(SECONDS_TO_JOIN);
    handles_free();
    buffers_free();
    program_crash_forget();
}

/* message.h: messages between a part of libcdsprpc and its counterpart in the DSP shell.
 *
 * The DSP's end is emulator/shell/shell.h. */
#ifndef BUILDTOOL_CDSPRPC_MESSAGE_H
#define BUILDTOOL_CDSPRPC_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* Calls the topic's handler on the DSP and waits for it. domain is a domain id,
 * an effective domain id, or -1 for the library's own; its DSP process is started
 * when there is none. fd is -1, or a descriptor to go with it, which stays the
 * caller's. *out_size is out's room on entry and the answer's size on return; both
 * may be NULL. Returns a code: the handler's own, or EBADSTATE when the DSP died. */
int message_downcall(int domain, enum wire_topic topic, const void *in, size_t in_size, int fd,
                     void *out, size_t *out_size);

/* Makes a buffer known to the DSP process under its descriptor's number, as a call
 * with that buffer would. */
int message_share_fd(int domain, int fd);

/* What the handler of upcalls gets. It runs on the session's listening thread and
 * must return soon; it may call message_downcall only from another thread. fd is a
 * descriptor that came with the message, or -1; it is the handler's to close.
 * size 0 and message NULL: the DSP process of that domain has died. */
typedef void (*message_handler)(int domain, const void *message, size_t size, int fd);

/* One handler a topic; set it before the first downcall. */
void message_on_upcall(enum wire_topic topic, message_handler handler);

#endif

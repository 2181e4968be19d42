/* handles.h: open handles. */
#ifndef BUILDTOOL_CDSPRPC_HANDLES_H
#define BUILDTOOL_CDSPRPC_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "session.h"
#include "uri.h"

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

#endif

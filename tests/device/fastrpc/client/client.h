/* client.h: the commands of the client. */
#ifndef CLIENT_H
#define CLIENT_H

#include "AEEStdErr.h"
#include "remote.h"
#include "rpcmem.h"

/* words[0] is the name of the command; more receives what is printed after the code. */
typedef int (*action)(char **words, char *more);

struct command {
    const char *name;
    action act;
};

void remember(const char *name, void *value);
void *recall(const char *name);

/* clang-format off */
#define LIST                                                                                    \
    X(unsigned_pd) X(open) X(open32) X(open_uri) X(close) X(close32) X(again) X(call) X(call32) \
    X(twice) X(number) X(failing) X(places) X(handles) X(wild) X(null) X(info) X(reserve)       \
    X(effective) X(geturi) X(end) X(kill_dsp) X(exception) X(type) X(notify) X(stack) X(alloc)  \
    X(alloc2) X(tofd) X(release) X(fill) X(peek) X(map) X(unmap) X(memmap) X(registered)        \
    X(registered_fd) X(byfd) X(dma) X(change) X(meet) X(threads) X(async) X(domains)            \
    X(domain_of) X(forked) X(children) X(pause_here) X(old_mmap) X(opens) X(control) X(churn)   \
    X(most) X(ended) X(second) X(childless) X(endless)
/* clang-format on */

#define X(name) int do_##name(char **words, char *more);
LIST
#undef X
#define X(name) {#name, do_##name},
#define COMMANDS LIST

#endif

/* bt_trace_skel.h: fetches what a skel has recorded of its methods, for `buildtool run --trace`.
 *
 * Stubs that `buildtool idl --trace` generates include it.  The skel's counter and that of this side
 * are read in one exchange: they belong together by at most half its duration. */
#ifndef BT_TRACE_SKEL_H
#define BT_TRACE_SKEL_H

#include <string.h>

#include "bt_trace.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BT_TRACE_RATE 19200000u /* of the counter on the DSP */
#define BT_TRACE_AT_ONCE 512u
#define BT_TRACE_EXCHANGES 64 /* in which a skel has sent all that it keeps */

struct bt_trace_answer { /* of a skel, for BT_TRACE_METHOD */
    uint64_t now;
    uint32_t first, count;
    struct {
        uint64_t start, end;
        uint32_t method, thread;
        int32_t code;
        uint32_t rest;
    } methods[BT_TRACE_AT_ONCE];
};

static inline int bt_trace_ask(remote_handle64 handle, uint32_t first,
                               struct bt_trace_answer *answer, uint32_t size)
{
    uint32_t asked[2] = {BT_TRACE_METHOD, first};
    remote_arg arguments[2];
    memset(arguments, 0, sizeof arguments);
    arguments[0].buf.pv = asked;
    arguments[0].buf.nLen = sizeof asked;
    arguments[1].buf.pv = answer;
    arguments[1].buf.nLen = size;
    return remote_handle64_invoke(handle, REMOTE_SCALARS_MAKEX(0, 31, 1, 1, 0, 0), arguments);
}

static inline uint64_t bt_trace_scaled(uint64_t ticks, uint64_t rate, uint64_t from)
{
    return ticks / from * rate + ticks % from * rate / from;
}

/* Makes the skel record its methods. */
static inline void bt_trace_start(remote_handle64 handle)
{
    struct bt_trace_answer answer;
    if (bt_trace_file() != NULL) {
        (void)bt_trace_ask(handle, 0, &answer, 16);
    }
}

/* Records the methods of the skel `uri`, before its handle is closed. */
static inline void bt_trace_fetch(remote_handle64 handle, const char *uri)
{
    struct bt_trace_header *file = bt_trace_file();
    struct bt_trace_answer answer;
    const uint64_t before = bt_trace_ticks();
    if (file == NULL || bt_trace_ask(handle, 0, &answer, 16) != 0) {
        return; /* the skel does not record, or the session has ended */
    }
    const uint64_t half = (bt_trace_ticks() - before) / 2, rate = bt_trace_rate();
    const uint64_t there = answer.now, here = before + half;
    const uint32_t name = bt_trace_name(file, uri);
    for (int exchange = 0; exchange < BT_TRACE_EXCHANGES; exchange++) {
        const uint32_t first = exchange == 0 ? answer.first : answer.first + answer.count;
        if (bt_trace_ask(handle, first, &answer, sizeof answer) != 0 || answer.count == 0 ||
            answer.count > BT_TRACE_AT_ONCE) {
            return;
        }
        for (uint32_t i = 0; i < answer.count; i++) {
            const uint64_t start = answer.methods[i].start, end = answer.methods[i].end;
            const uint32_t number = start <= end && end <= there ? bt_trace_next(file, 1) : 0;
            if (number == 0) {
                continue;
            }
            struct bt_trace_record *record = bt_trace_at(file, number);
            record->kind = BT_TRACE_SKEL_CALL;
            record->process = (uint32_t)getpid();
            record->thread = answer.methods[i].thread;
            record->start = here - bt_trace_scaled(there - start, rate, BT_TRACE_RATE);
            record->end = here - bt_trace_scaled(there - end, rate, BT_TRACE_RATE);
            record->method = answer.methods[i].method;
            record->code = answer.methods[i].code;
            record->in = bt_trace_scaled(half, 1000000000u, rate);
            record->name = name;
            bt_trace_done(record);
        }
    }
}

#ifdef __cplusplus
}
#endif

#endif

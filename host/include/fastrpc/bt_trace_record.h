/* bt_trace_record.h: the records of `buildtool run --trace`.
 *
 * All processes of a run, on both sides of FastRPC, map one file, which begins with a header.  A
 * record is theirs that they have counted there.  buildtool/run/trace/records.py has the same
 * layout. */
#ifndef BT_TRACE_RECORD_H
#define BT_TRACE_RECORD_H

#include <stdint.h>

#define BT_TRACE_VARIABLE "BUILDTOOL_TRACE" /* the path of the file */
#define BT_TRACE_MAGIC 0x31525442u          /* "BTR1" */
#define BT_TRACE_NAME 72
#define BT_TRACE_RECORDS 262144u /* in a file */
#define BT_TRACE_BYTES 33554560u /* of these and the header */

enum bt_trace_kind {
    /* start: ticks; end: CLOCK_MONOTONIC, in: CLOCK_REALTIME, both in ns; out: ticks per second */
    BT_TRACE_CLOCKS = 1,
    BT_TRACE_TEXT,  /* name: more of the name of the record before */
    BT_TRACE_BEGIN, /* of an event of the user, which has a name */
    BT_TRACE_END,
    BT_TRACE_OPEN, /* name: the URI of the skel */
    BT_TRACE_CLOSE,
    BT_TRACE_CALL, /* name: the file of the skel; in, out: bytes of the buffers */
    BT_TRACE_CALL_ASYNC,
    BT_TRACE_MAP, /* in: bytes */
    BT_TRACE_UNMAP,
    BT_TRACE_MESSAGE, /* of a dspqueue; in: bytes */
    BT_TRACE_LATENCY, /* a vote for low latency; in: microseconds */
    /* of the DSP; process is that of the program */
    BT_TRACE_DSP_CALL = 32,
    BT_TRACE_DSP_BEGIN,
    BT_TRACE_DSP_END,
    BT_TRACE_DSP_LOG,  /* name: the line */
    BT_TRACE_DSP_VOTE, /* name: the vote for power */
};

struct bt_trace_record { /* little endian */
    uint32_t magic, kind;
    uint32_t process, thread;
    /* Ticks of the virtual counter of ARM64; on the DSP, ns of CLOCK_MONOTONIC.  Without a duration
     * both are the same. */
    uint64_t start, end;
    uint32_t method;
    int32_t code;
    uint64_t in, out;
    char name[BT_TRACE_NAME]; /* ends at a zero byte, if there is one */
};

struct bt_trace_header {
    uint32_t magic, count; /* of records, also of those for which there was no place */
    char rest[120];
};

/* The place of the next record, or of several that stay together; NULL if the file is full.  It is
 * not valid before bt_trace_done. */
static inline struct bt_trace_record *bt_trace_next(struct bt_trace_header *file, uint32_t several)
{
    const uint32_t number = __atomic_fetch_add(&file->count, several, __ATOMIC_RELAXED);
    const uint32_t left = number < BT_TRACE_RECORDS ? BT_TRACE_RECORDS - number : 0;
    return several <= left ? (struct bt_trace_record *)(void *)(file + 1) + number
                           : (struct bt_trace_record *)0;
}

static inline void bt_trace_done(struct bt_trace_record *record)
{
    __atomic_store_n(&record->magic, BT_TRACE_MAGIC, __ATOMIC_RELEASE);
}

/* Copies as much of a text as fits, and returns what does not. */
static inline const char *bt_trace_name(struct bt_trace_record *record, const char *text)
{
    int i = 0;
    while (i < BT_TRACE_NAME && *text != '\0') {
        record->name[i++] = *text++;
    }
    return text; /* the file is zeros where nothing was written */
}

#endif

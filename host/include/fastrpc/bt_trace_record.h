/* bt_trace_record.h: the records of `buildtool run --trace`.
 *
 * All processes of a run, on both sides of FastRPC, append records to one file, each with one write.
 * buildtool/run/trace/records.py has the same layout. */
#ifndef BT_TRACE_RECORD_H
#define BT_TRACE_RECORD_H

#include <stdint.h>

#define BT_TRACE_VARIABLE "BUILDTOOL_TRACE" /* the path of the file */
#define BT_TRACE_MAGIC 0x31525442u          /* "BTR1" */
#define BT_TRACE_NAME 72
#define BT_TRACE_RECORDS 200000u /* of a process at most */

enum bt_trace_kind {
    BT_TRACE_CLOCKS = 1, /* start: CLOCK_MONOTONIC, end: CLOCK_REALTIME */
    BT_TRACE_DROPPED,    /* in: records that were not written */
    BT_TRACE_TEXT,       /* name: more of the name of the record before */
    BT_TRACE_BEGIN,      /* of an event of the user, which has a name */
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
    uint64_t start, end; /* in ns of CLOCK_MONOTONIC; without a duration they are the same */
    uint32_t method;
    int32_t code;
    uint64_t in, out;
    char name[BT_TRACE_NAME]; /* ends at a zero byte, if there is one */
};

/* Copies as much of a text as fits, and returns what does not. */
static inline const char *bt_trace_name(struct bt_trace_record *record, const char *text)
{
    int i = 0;
    while (i < BT_TRACE_NAME && *text != '\0') {
        record->name[i++] = *text++;
    }
    while (i < BT_TRACE_NAME) {
        record->name[i++] = '\0';
    }
    return text;
}

#endif

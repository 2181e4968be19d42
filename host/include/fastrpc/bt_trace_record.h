/* bt_trace_record.h: the records of `buildtool run --trace`.
 *
 * All processes of a run, on both sides of FastRPC, map one file, which begins with a header.  A
 * record is theirs that they have counted there.  buildtool/run/trace/records.py has the same
 * layout. */
#ifndef BT_TRACE_RECORD_H
#define BT_TRACE_RECORD_H

#include <stdint.h>

#define BT_TRACE_VARIABLE "BUILDTOOL_TRACE" /* the path of the file */
#define BT_TRACE_MAGIC 0x32525442u          /* "BTR2" */
#define BT_TRACE_PART 56                    /* bytes of a text in one record */
#define BT_TRACE_PARTS 20u                  /* of one text; what is longer is cut */
#define BT_TRACE_RECORDS 524288u            /* in a file */
#define BT_TRACE_BYTES 33554496u            /* of these and the header */
#define BT_TRACE_READINGS 8                 /* of the clocks, the shortest of which is recorded */

/* The number of a method that answers with what the skel has recorded of others. */
#define BT_TRACE_METHOD 0x52545442u

enum bt_trace_kind {
    /* start: ticks; end: CLOCK_MONOTONIC, in: CLOCK_REALTIME, both in ns; out: ticks per second */
    BT_TRACE_CLOCKS = 1,
    BT_TRACE_TEXT,  /* a name, or the beginning of one: it ends at a zero byte */
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
    /* On the DSP, as the skel has recorded it; name: the URI of the skel; in: how wrong the times can
     * be, in ns. */
    BT_TRACE_SKEL_CALL,
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
    uint32_t name; /* the number of the record with its beginning; 0: none */
    uint32_t rest;
};

struct bt_trace_text { /* the same size */
    uint32_t magic, kind;
    char text[BT_TRACE_PART];
};

struct bt_trace_header {
    uint32_t magic, count; /* of records, also of those for which there was no place */
    char rest[56];
};

/* The number, from 1 on, of the next record, or of the first of several that stay together; 0 if the
 * file is full.  None is valid before bt_trace_done. */
static inline uint32_t bt_trace_next(struct bt_trace_header *file, uint32_t several)
{
    const uint32_t used = __atomic_fetch_add(&file->count, several, __ATOMIC_RELAXED);
    const uint32_t left = used < BT_TRACE_RECORDS ? BT_TRACE_RECORDS - used : 0;
    return several <= left ? used + 1 : 0;
}

static inline struct bt_trace_record *bt_trace_at(struct bt_trace_header *file, uint32_t number)
{
    return (struct bt_trace_record *)(void *)(file + 1) + number - 1;
}

static inline void bt_trace_done(struct bt_trace_record *record)
{
    __atomic_store_n(&record->magic, BT_TRACE_MAGIC, __ATOMIC_RELEASE);
}

/* Takes a reading of the clocks between the ticks `before` and `after`, if it took less than those
 * before it, the `shortest` of which is ~0 at first.  A thread that waits for a processor within a
 * reading makes it wrong by as much. */
static inline void bt_trace_reading(struct bt_trace_record *record, uint64_t *shortest,
                                    uint64_t before, uint64_t monotonic, uint64_t realtime,
                                    uint64_t after)
{
    if (after - before < *shortest) {
        *shortest = after - before;
        record->start = before + *shortest / 2;
        record->end = monotonic;
        record->in = realtime;
    }
}

/* Records a text as long as records may refer to it; returns its number, 0 for an empty one.  The
 * file is zeros where nothing was written. */
static inline uint32_t bt_trace_name(struct bt_trace_header *file, const char *text)
{
    const uint32_t most = BT_TRACE_PARTS * BT_TRACE_PART;
    uint32_t size = 0;
    while (size < most && text[size] != '\0') {
        size++;
    }
    const uint32_t parts = size == most ? BT_TRACE_PARTS : size / BT_TRACE_PART + 1;
    const uint32_t number = size > 0 ? bt_trace_next(file, parts) : 0;
    for (uint32_t part = 0; number != 0 && part < parts; part++) {
        struct bt_trace_record *record = bt_trace_at(file, number + part);
        struct bt_trace_text *to = (struct bt_trace_text *)(void *)record;
        to->kind = BT_TRACE_TEXT;
        for (uint32_t i = 0; i < BT_TRACE_PART && part * BT_TRACE_PART + i < size; i++) {
            to->text[i] = text[part * BT_TRACE_PART + i];
        }
        bt_trace_done(record);
    }
    return number;
}

#endif

/* recording.h: the layout of a recording of calls, which record_calls.h writes and replay_calls.c
 * reads; docs/diverge.md describes it.  All numbers are little-endian. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdint.h>

#define RECORDING_MAGIC "BTRECRD1"
#define PAGE_SIZE 4096u

struct recording_header {
    char magic[8];
    uint64_t left_out; /* calls and messages that are not in the file */
};

/* A file is a header and chunks; `size` is that of what follows, a multiple of 4. */
struct chunk {
    uint32_t kind, size;
};

enum chunk_kind {
    CHUNK_PAGES = 1, /* the next pages: the first page of a file has the number 1, 0 is all zeros */
    CHUNK_OPEN,      /* struct chunk_open, the URI with its zero */
    CHUNK_CLOSE,     /* struct chunk_open */
    CHUNK_CALL, /* struct chunk_call, contents of all buffers before the call, 16 bytes a handle */
    CHUNK_RETURN,   /* struct chunk_return, contents of the out buffers */
    CHUNK_MEMORY,   /* struct chunk_memory: memory that both sides see */
    CHUNK_CHANGED,  /* struct chunk_changed, pairs of a page's place and its number */
    CHUNK_FREED,    /* struct chunk_memory */
    CHUNK_MAP,      /* struct chunk_map */
    CHUNK_UNMAP,    /* struct chunk_map */
    CHUNK_REGISTER, /* struct chunk_map: remote_register_dma_handle_attr */
    CHUNK_QUEUE,    /* struct chunk_queue */
    CHUNK_EXPORT,   /* struct chunk_queue */
    CHUNK_MESSAGE,  /* struct chunk_message, its struct recorded_buffers, its bytes */
    CHUNK_ANSWER,   /* the same */
    CHUNK_UNQUEUE,  /* struct chunk_queue */
    CHUNK_CONTROL   /* struct chunk_control, the request; of a reserved session both names */
};

/* The content of a buffer: its size, the numbers of its whole pages, the rest in whole words. */

struct chunk_open {
    uint32_t handle; /* from 1, in the order of opening */
    int32_t code;
    uint32_t is64;
};

struct chunk_call {
    uint32_t number; /* of the call or message, from 1 */
    uint32_t thread, handle, scalars;
};

struct chunk_return {
    uint32_t number;
    int32_t code;
};

struct chunk_memory {
    uint32_t memory; /* from 1 */
    int32_t fd;
    uint64_t size;
};

struct chunk_changed {
    uint32_t memory;
    uint32_t number; /* of the call or message */
    uint32_t
        after; /* 0: seen before the call; 1: after it; 2: ... while the DSP did nothing more */
};

struct chunk_map {
    int32_t domain, fd;
    uint32_t offset, flags;
    uint64_t size;
    int32_t code;
    uint32_t none;
};

struct chunk_queue {
    uint32_t queue; /* from 1 */
    int32_t domain;
    uint32_t flags, request_size, response_size, none;
    uint64_t id;
};

struct chunk_message {
    uint32_t number; /* of the message; of an answer, that of the message that it is for, or 0 */
    uint32_t thread, queue, flags, buffers, length;
};

struct recorded_buffer { /* dspqueue_buffer */
    uint32_t fd, size, offset, flags;
    uint64_t address;
};

struct chunk_control {
    uint32_t request;
    int32_t code;
    uint32_t session; /* that was reserved */
};

#endif

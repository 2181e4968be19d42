/* packets.c: compares packets with what their instructions do alone.
 *
 * The test writes packets.s, with the functions, and packets.h, with `packets`. */
#include <stdlib.h>

#include "cases.h"

typedef void function(const void *in, void *out) __attribute__((visibility("hidden")));

struct part {
    void (*function)(const void *in, void *out);
    uint32_t vectors, predicates; /* that it writes, as sets */
};

struct packet {
    void (*function)(const void *in, void *out);
    struct part parts[6];
    int count;
    int stored; /* the vector that it stores; -1: none */
    int new;
    uint32_t overwritten; /* vectors that are cleared behind it */
    int32_t r5, r6;
};

#include "packets.h"

__asm__(".include \"packets.s\"");

struct state {
    unsigned char vectors[32][128], predicates[4][128];
    unsigned char stored[128];
    unsigned char unused[5][128];
    int32_t r5, r6, more[30];
};

static struct state in __attribute__((aligned(128)));
static struct state is __attribute__((aligned(128)));
static struct state part __attribute__((aligned(128)));
static struct state wanted __attribute__((aligned(128)));

/* Half of the lanes are numbers near 1, so that results are not all NaN and infinities. */
static void fill(uint32_t seed)
{
    uint32_t *words = (uint32_t *)(void *)&in;
    for (size_t i = 0; i < sizeof in / 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t high = seed >> 8 & 0xffffu;
        words[i] = (seed >> 28 & 1u) != 0 ? seed ^ seed << 13
                                          : 0x3c003c00u + (high | high << 16) % 0x5000u;
    }
    for (int q = 0; q < 4; q++) {
        for (int i = 0; i < 128; i++) {
            in.predicates[q][i] &= 1;
        }
    }
}

static void run(void (*function)(const void *, void *), struct state *out)
{
    memset(out, 0, sizeof *out);
    function(&in, out);
}

/* What the packet should leave. */
static void expect(const struct packet *packet)
{
    memcpy(&wanted, &in, sizeof wanted);
    for (int i = 0; i < packet->count; i++) {
        run(packet->parts[i].function, &part);
        for (int v = 0; v < 32; v++) {
            if ((packet->parts[i].vectors >> v & 1u) != 0) {
                memcpy(wanted.vectors[v], part.vectors[v], 128);
            }
        }
        for (int q = 0; q < 4; q++) {
            if ((packet->parts[i].predicates >> q & 1u) != 0) {
                memcpy(wanted.predicates[q], part.predicates[q], 128);
            }
        }
    }
    memset(wanted.stored, 0, 128);
    if (packet->stored >= 0) {
        const struct state *from = packet->new ? &wanted : &in;
        memcpy(wanted.stored, from->vectors[packet->stored], 128);
    }
    for (int v = 0; v < 32; v++) {
        if ((packet->overwritten >> v & 1u) != 0) {
            memset(wanted.vectors[v], 0, 128);
        }
    }
}

/* Compares the packets with a number from in[0] on, in[1] of them. Stores that of the first wrong
 * one, and what differs: a byte of the state, what it is and should be, or 10000 for r5 and r6. If
 * all are right, stores -1. */
static int compare(const int32_t arguments[4], int32_t out[8])
{
    for (int32_t n = arguments[0]; n < arguments[0] + arguments[1]; n++) {
        const struct packet *packet = &packets[n];
        fill((uint32_t)n * 77u + 5u);
        expect(packet);
        run(packet->function, &is);
        out[0] = n;
        for (size_t i = 0; i < offsetof(struct state, unused); i++) {
            out[1] = (int32_t)i;
            out[2] = ((unsigned char *)&is)[i];
            out[3] = ((unsigned char *)&wanted)[i];
            if (((unsigned char *)&is)[i] != ((unsigned char *)&wanted)[i]) {
                return 0;
            }
        }
        out[1] = 10000;
        out[2] = is.r5;
        out[3] = is.r6;
        if (is.r5 != packet->r5 || is.r6 != packet->r6) {
            return 0;
        }
    }
    out[0] = -1;
    return 0;
}

const struct named_case cases[] = {CASE(compare), {NULL, NULL}};

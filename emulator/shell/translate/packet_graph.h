/* packet_graph.h: the packets of a function, and which of them can follow each other. */
#ifndef BUILDTOOL_SHELL_PACKET_GRAPH_H
#define BUILDTOOL_SHELL_PACKET_GRAPH_H

#include "forms.h"
#include "functions.h"

struct packet {
    uint32_t target; /* of a jump: the number of a word; 0: none or outside */
    uint32_t callee; /* the address of a called function; 0: none or unknown */
    uint8_t size;    /* in words */
    bool starts;     /* whether a packet starts at the word */
    bool ends_loop;
    bool follows; /* it is executed after a packet that is behind it */
    bool leaves;  /* the next packet does not follow, or not with the vectors of this one */
    bool calls, returns;
    bool outside; /* a jump can lead out of the function */
    bool unknown; /* it can lead anywhere */
};

#define LOOPS_MAX 64

struct graph {
    const struct function *function;
    struct packet *packets; /* for each word */
    size_t count;
    uint32_t loops[LOOPS_MAX]; /* words where hardware loops start */
    size_t loop_count;
};

/* Called for each word with the code of a vector instruction: with the first word of its packet. */
typedef void (*graph_visit)(void *context, size_t packet, uint32_t word);

/* Reads a function. Returns false if it is too large, or if there is no memory for it. */
bool graph_read(struct graph *graph, const struct image *image, const struct function *function,
                graph_visit visit, void *context);
void graph_free(struct graph *graph);

/* Returns the union of the sets that `sets` has for the packets that can follow one, and ALL_VECTORS if
 * it goes on in an unknown place. */
#define ALL_VECTORS UINT32_MAX
uint32_t graph_behind(const struct graph *graph, size_t at, const uint32_t *sets);

/* Adds a set to those of the packets that can follow one. Returns whether one has grown. */
bool graph_spread(const struct graph *graph, size_t at, uint32_t set, uint32_t *sets);

#endif

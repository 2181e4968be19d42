/* extensions.c: follows the extension bits of vectors along the paths of functions.
 *
 * Forwards: those in memory can be right after a result with extension bits, at the start of a function and
 * after a call, and are not after a reset, which costs nothing. Where they cannot be right, an operand has
 * those of a reset. Backwards: where they can be right and are read, each write before has to store them.
 * What functions read of their callers' vectors, and of those that their callees leave, is taken together
 * for all functions: nearly always nothing. */
#include "extensions.h"

#include <stdlib.h>

#include "extension_vectors.h"

struct image_search {
    const struct image *image;
    const struct functions *functions;
    struct liveness liveness;
    uint32_t arguments, results; /* read from memory at the start of functions, and after calls */
    const struct extended_packets *packets;
    struct extended (*use_of)(uint32_t word);
    extensions_visit visit; /* NULL until these are known */
    void *context;
};

struct search {
    struct image_search *image;
    struct graph graph;
    struct extended *uses; /* of packets */
    uint32_t *right;       /* before packets: memory can be right */
    uint32_t *needed;      /* before packets: memory has to be right */
    uint32_t *used;        /* read or changed by packets */
    uint32_t loaded;       /* that any packet loads */
    uint32_t saved;
    uint32_t entered; /* memory has to be right before what can be executed first */
};

static void add_word(void *context, size_t packet, uint32_t word)
{
    struct search *search = context;
    struct extended *all = &search->uses[packet], use = search->image->use_of(word);
    search->used[packet] |= registers_read(word).v | vectors_changed(word);
    all->read |= use.read;
    all->written |= use.written;
    all->reset |= use.reset;
    all->perhaps |= use.perhaps;
    all->loaded |= use.loaded;
    all->moved |= use.moved;
    all->moved_from |= use.moved_from;
    search->saved |= use.saved;
}

/* Calls `visit` with what can be executed first: the start, functions in it, and, if it is not known where
 * the function can jump to, all. */
static void visit_entries(struct search *search, void (*visit)(struct search *search, size_t at))
{
    const struct graph *graph = &search->graph;
    const struct functions *functions = search->image->functions;
    const uint32_t start = graph->function->range.start;
    bool all = false;
    for (const struct function *each = functions->count > 0 ? graph->function : NULL;
         each != NULL && each < functions->list + functions->count &&
         (each->range.start - start) / 4 < graph->count;
         each++) {
        visit(search, (each->range.start - start) / 4);
    }
    for (size_t i = 0; i < graph->count; i++) {
        const uint32_t callee = graph->packets[i].callee;
        if (callee >= start && (callee - start) / 4 < graph->count) {
            visit(search, (callee - start) / 4);
        }
        all = all || graph->packets[i].unknown;
    }
    for (size_t i = 0; i < (all ? graph->count : 1); i++) {
        visit(search, i);
    }
}

/* Calls `visit` with what is executed after calls, and the vectors that they can leave: where an unwind table
 * says that they keep none, those that they return. */
static void visit_returned(struct search *search,
                           void (*visit)(struct search *search, size_t at, uint32_t left))
{
    const struct graph *graph = &search->graph;
    const uint32_t left = graph->function->unwound ? ABI_RESULTS : ALL_VECTORS;
    for (size_t i = 0; i < graph->count; i++) {
        const size_t next = i + graph->packets[i].size;
        if (graph->packets[i].calls && next < graph->count) {
            visit(search, next, left);
        }
    }
}

static void set_right(struct search *search, size_t at)
{
    search->right[at] = ALL_VECTORS;
}

static void add_right(struct search *search, size_t at, uint32_t left)
{
    search->right[at] |= left;
}

static void add_arguments(struct search *search, size_t at)
{
    search->image->arguments |= search->needed[at];
}

static void add_results(struct search *search, size_t at, uint32_t left)
{
    search->image->results |= search->needed[at] & left;
}

static void go_forwards(struct search *search)
{
    const struct graph *graph = &search->graph;
    visit_entries(search, set_right);
    visit_returned(search, add_right);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < graph->count; i++) {
            const struct extended *use = &search->uses[i];
            const uint32_t moved = (search->right[i] & use->moved_from) != 0 ? use->moved : 0;
            const uint32_t right = graph->packets[i].calls
                                       ? ALL_VECTORS
                                       : (search->right[i] & ~use->reset) | use->written | moved;
            again = (graph->packets[i].starts && graph_spread(graph, i, right, search->right)) ||
                    again;
        }
    }
    for (size_t i = 0; i < graph->count; i++) {
        search->loaded |= (search->uses[i].read | search->uses[i].moved_from) & search->right[i];
    }
}

/* Returns what has to be right behind a packet. */
static uint32_t needed_behind(const struct search *search, size_t at)
{
    const struct packet *packet = &search->graph.packets[at];
    const uint32_t arguments = search->image->arguments, results = search->image->results;
    const uint32_t behind = graph_behind(&search->graph, at, search->needed) |
                            (packet->calls || packet->outside ? arguments : 0) |
                            (packet->returns || packet->outside ? results : 0) |
                            (packet->unknown ? ALL_VECTORS : 0);
    return behind & (search->loaded | arguments | results);
}

/* Returns what a packet loads, if this has to be right behind it. */
static uint32_t loaded_by(const struct search *search, size_t at, uint32_t behind)
{
    const struct extended *use = &search->uses[at];
    return (use->read | ((use->moved & behind) != 0 ? use->moved_from : 0)) & search->right[at];
}

static void go_backwards(struct search *search)
{
    for (bool again = true; again;) {
        again = false;
        for (size_t i = search->graph.count; i-- > 0;) {
            const struct extended *use = &search->uses[i];
            if (!search->graph.packets[i].starts) {
                continue;
            }
            const uint32_t behind = needed_behind(search, i);
            const uint32_t needed = (behind & ~(use->reset | use->written)) |
                                    loaded_by(search, i, behind);
            again = again || needed != search->needed[i];
            search->needed[i] = needed;
        }
    }
}

/* Whether packets of a function are in another one, too, for which they are visited again. */
static bool overlaps(const struct functions *functions, const struct function *function)
{
    const struct function *end = functions->list + functions->count, *next = function + 1;
    return functions->count == 0 ||
           (function > functions->list && function[-1].range.end > function->range.start) ||
           (next < end && next->range.start < function->range.end);
}

static void set_entered(struct search *search, size_t at)
{
    search->entered |= search->needed[at];
}

static void add_entered(struct search *search, size_t at, uint32_t left)
{
    search->entered |= search->needed[at] & left;
}

static void report(struct search *search, uint32_t *behind)
{
    const struct graph *graph = &search->graph;
    struct image_search *image = search->image;
    struct memory_use memory = {.saved = search->saved};
    for (size_t i = 0; i < graph->count; i++) {
        behind[i] = graph->packets[i].starts ? needed_behind(search, i) : 0;
    }
    if (image->use_of == extended_by && !overlaps(image->functions, graph->function)) {
        visit_entries(search, set_entered);
        visit_returned(search, add_entered);
        choose_extension_vectors(
            &(struct lifetimes){graph, search->needed, behind, search->used, search->entered},
            &image->liveness, memory.vectors);
    }
    for (size_t i = 0; i < graph->count; i++) {
        const struct extended *use = &search->uses[i];
        memory.loaded = loaded_by(search, i, behind[i]);
        memory.stored = use->written & behind[i];
        memory.reset = (use->reset | use->perhaps) & behind[i];
        memory.held = held_vectors(memory.vectors, search->needed[i] | behind[i]);
        if (memory.loaded != 0 || memory.stored != 0 || memory.reset != 0 || memory.held != 0) {
            image->visit(image->context, graph->function->range.start + (uint32_t)i * 4,
                         graph->packets[i].size, memory);
        }
    }
}

static void search_function(struct image_search *image, const struct function *function)
{
    const size_t count = (function->range.end - function->range.start) / 4 + 1;
    struct search search = {.image = image};
    search.uses = calloc(count, sizeof *search.uses);
    search.right = calloc(4 * count, sizeof *search.right);
    search.needed = search.right + count;
    search.used = search.right + 2 * count;
    if (search.uses != NULL && search.right != NULL &&
        graph_read(&search.graph, image->image, function, add_word, &search)) {
        for (size_t i = 0; i < search.graph.count; i++) {
            search.uses[i].read &= ~search.uses[i].loaded;
        }
        go_forwards(&search);
        go_backwards(&search);
        visit_returned(&search, add_results);
        visit_entries(&search, add_arguments);
        if (image->visit != NULL) {
            report(&search, search.right + 3 * count);
        }
        graph_free(&search.graph);
    }
    free(search.uses);
    free(search.right);
}

static bool has_extended(const struct function *function, const struct extended_packets *packets)
{
    const uint32_t *extended = packets->addresses;
    size_t low = 0, high = packets->count; /* of the first one in the function or behind it */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (extended[middle] < function->range.start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < packets->count && extended[low] < function->range.end;
}

static void search_functions(struct image_search *search)
{
    const struct functions *functions = search->functions;
    for (size_t i = 0; i < functions->count; i++) {
        const bool concerned = search->visit != NULL && (search->arguments | search->results) != 0;
        if (concerned || has_extended(&functions->list[i], search->packets)) {
            search_function(search, &functions->list[i]);
        }
    }
    /* without functions, code is in any place */
    for (uint32_t i = 0; functions->count == 0 && i < search->image->segment_count; i++) {
        const struct image_segment *segment = &search->image->segments[i];
        const uint32_t end = segment->address + segment->file_size;
        if ((segment->flags & PF_X) != 0) {
            search_function(search, &(struct function){.range = {segment->address, end}});
        }
    }
}

void extensions_find(const struct image *image, const struct functions *functions,
                     const struct extended_packets *packets, struct extended (*uses)(uint32_t word),
                     extensions_visit visit, void *context)
{
    struct image_search search = {.image = image,
                                  .functions = functions,
                                  .liveness = {image, functions, NULL, NULL, NULL},
                                  .packets = packets,
                                  .use_of = uses};
    uint32_t arguments, results;
    do {
        arguments = search.arguments;
        results = search.results;
        search_functions(&search);
    } while (arguments != search.arguments || results != search.results);
    search.visit = visit;
    search.context = context;
    search_functions(&search);
    liveness_free(&search.liveness);
}

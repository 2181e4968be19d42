/* thunk_origins.c: finds the packets of an image that thunks stand for. */
#include "thunk_origins.h"

#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "code_scan.h"
#include "qf_steps.h"
#include "qf_tags.h"
#include "thunk.h"

#define GROWTH 256u /* packets for which memory is allocated at once */

/* Returns a new one, or NULL. */
static struct thunk_origin *add_origin(struct link_memory *memory, uint32_t address, size_t size)
{
    struct thunk_origin *all = memory->thunk_origins;
    if (all == NULL || memory->thunk_count % GROWTH == 0) {
        struct thunk_origin *larger = realloc(all, (memory->thunk_count + GROWTH) * sizeof *all);
        if (larger == NULL) { /* so qemu ends at this packet */
            return NULL;
        }
        memory->thunk_origins = all = larger;
    }
    struct thunk_origin *origin = &all[memory->thunk_count++];
    *origin = (struct thunk_origin){.packet = address, .size = (uint32_t)size};
    return origin;
}

static bool may_be_replaced(uint32_t word)
{
    return thunk_replaces(word) || may_spin(word);
}

struct found {
    const struct image *image;
    struct link_memory *memory;
};

/* Whether the packet at an address is the end of a loop that waits. */
static bool ends_waiting_loop(const struct image *image, uint32_t address, size_t size)
{
    enum { BEFORE = 2 };
    uint32_t words[BEFORE + PACKET_WORDS_MAX];
    const uint32_t from = address - BEFORE * 4;
    return image_words(image, from, words, BEFORE + size) == BEFORE + size &&
           spins(words + BEFORE, size);
}

static void add_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    const struct found *found = context;
    struct link_memory *memory = found->memory;
    const bool waits = may_spin(word);
    if (waits && !ends_waiting_loop(found->image, address, size)) {
        return;
    }
    struct thunk_origin *origin = memory->thunk_count == 0
                                      ? NULL
                                      : &memory->thunk_origins[memory->thunk_count - 1];
    if (origin == NULL || origin->packet != address) { /* it can have several such instructions */
        origin = add_origin(memory, address, size);
    }
    if (origin != NULL) {
        origin->waits = origin->waits || waits;
    }
    const struct extended use = extended_by(word);
    if (origin != NULL && (use.read | use.written) != 0) {
        origin->extended = true;
    }
}

static int by_packet(const void *left, const void *right)
{
    const struct thunk_origin *a = left, *b = right;
    return a->packet < b->packet ? -1 : a->packet > b->packet;
}

struct uses {
    struct link_memory *memory;
    size_t sorted; /* packets; those behind them were added here */
    bool of_tags;
};

static void add_memory_use(struct memory_use *all, const struct memory_use *use)
{
    all->loaded |= use->loaded;
    all->stored |= use->stored;
    all->reset |= use->reset;
    all->saved |= use->saved;
    all->held |= use->held;
    if (use->held != 0) {
        memcpy(all->vectors, use->vectors, sizeof use->vectors);
    }
}

static void add_use(void *context, uint32_t address, size_t size, struct memory_use use)
{
    const struct uses *uses = context;
    struct link_memory *memory = uses->memory;
    const struct thunk_origin key = {.packet = address};
    struct thunk_origin *origin = bsearch(&key, memory->thunk_origins, uses->sorted, sizeof key,
                                          by_packet);
    if (origin == NULL && (use.reset != 0 || uses->of_tags)) {
        origin = add_origin(memory, address, size);
    }
    if (origin != NULL) {
        add_memory_use(uses->of_tags ? &origin->tags : &origin->use, &use);
    }
}

/* Sorts packets. Those that are in two functions become one. Returns how many are left. */
static size_t sort(struct thunk_origin *all, size_t count)
{
    size_t to = 0;
    qsort(all, count, sizeof *all, by_packet);
    for (size_t i = 0; i < count; i++) {
        if (to > 0 && all[to - 1].packet == all[i].packet) {
            add_memory_use(&all[to - 1].use, &all[i].use);
            add_memory_use(&all[to - 1].tags, &all[i].tags);
        } else {
            all[to++] = all[i];
        }
    }
    return to;
}

/* Moves those behind the `sorted` ones, none of which is one of these, to their places among them: there are
 * few, and sorting all takes long. */
static void merge(struct link_memory *memory, size_t sorted)
{
    struct thunk_origin *all = memory->thunk_origins;
    size_t added = memory->thunk_count - sorted;
    struct thunk_origin *new = malloc((added + 1) * sizeof *new);
    if (new == NULL) { /* as in add_origin */
        memory->thunk_count = sorted;
        return;
    }
    memcpy(new, all + sorted, added * sizeof *new);
    added = sort(new, added);
    memory->thunk_count = sorted + added;
    for (size_t end = memory->thunk_count; added > 0; end--) {
        const bool is_old = sorted > 0 && all[sorted - 1].packet > new[added - 1].packet;
        all[end - 1] = is_old ? all[--sorted] : new[--added];
    }
    free(new);
}

/* Finds out what has to be done with extension bits, and the packets that reset some. */
static void find_extensions(const struct image *image, const struct functions *functions,
                            struct link_memory *memory)
{
    const size_t count = memory->thunk_count = sort(memory->thunk_origins, memory->thunk_count);
    struct uses uses = {memory, count, false};
    uint32_t *extended = malloc((count + 1) * sizeof *extended);
    struct extended_packets packets = {extended, 0};
    for (size_t i = 0; extended != NULL && i < count; i++) {
        if (memory->thunk_origins[i].extended) {
            extended[packets.count++] = memory->thunk_origins[i].packet;
        }
    }
    const size_t rounds = qf_tags_are_kept() ? 1 + QF_TAG_USES : 1;
    for (size_t i = 0; packets.count > 0 && i < rounds; i++) {
        uses.sorted = memory->thunk_count;
        uses.of_tags = i > 0;
        extensions_find(image, functions, &packets, i > 0 ? qf_tag_uses[i - 1] : extended_by,
                        add_use, &uses);
        merge(memory, uses.sorted);
    }
    free(extended);
}

void thunk_origins_find(const struct image *image, struct functions *functions,
                        struct link_memory *memory)
{
    struct found found = {image, memory};
    code_scan(image, functions, THUNK_CLASSES | SPIN_CLASSES, may_be_replaced, add_packet, &found);
    if (memory->thunk_count > 0) {
        find_extensions(image, functions, memory);
    }
}

/* translate.c: finds the packets of an image with instructions that are replaced, and writes thunks. */
#include "translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code_scan.h"
#include "calls.h"
#include "extensions.h"
#include "liveness.h"
#include "qf_steps.h"
#include "qf_tags.h"
#include "runtime/runtime.h"
#include "thunk.h"

/* Of a thunk: where it starts, and the packet that it stands for. */
struct thunk_origin {
    uint32_t start, packet;
    uint32_t size;           /* words */
    bool extended;           /* whether an instruction has extension bits */
    bool waits;              /* whether it is the end of a loop that waits */
    struct memory_use use;   /* of those */
    struct memory_use tags;  /* see qf_tags.h */
    const char *instruction; /* if it is not translated: one that is in it */
    const char *why;
};

struct translation {
    struct link_memory *memory;
    struct liveness liveness;
    size_t bytes, veneers; /* bytes of thunks, and the number of veneers in each place */
    unsigned far;          /* packets that are too far away */
    char far_places[256];
};

/* ---- finding the packets ---- */

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

/* Sorts the packets. Those that are in two functions become one. */
static void merge(struct link_memory *memory)
{
    struct thunk_origin *all = memory->thunk_origins;
    size_t count = 0;
    qsort(all, memory->thunk_count, sizeof *all, by_packet);
    for (size_t i = 0; i < memory->thunk_count; i++) {
        if (count > 0 && all[count - 1].packet == all[i].packet) {
            add_memory_use(&all[count - 1].use, &all[i].use);
            add_memory_use(&all[count - 1].tags, &all[i].tags);
        } else {
            all[count++] = all[i];
        }
    }
    memory->thunk_count = count;
}

/* Finds out what has to be done with extension bits, and the packets that reset some. */
static void find_extensions(const struct image *image, const struct functions *functions,
                            struct link_memory *memory)
{
    const size_t count = memory->thunk_count;
    struct uses uses = {memory, count, false};
    uint32_t *extended = malloc((count + 1) * sizeof *extended);
    struct extended_packets packets = {extended, 0};
    qsort(memory->thunk_origins, count, sizeof *memory->thunk_origins, by_packet);
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
        merge(memory);
    }
    free(extended);
}

#define THUNK_MAX (CODE_WORDS_MAX * sizeof(uint32_t))
#define VENEER_BYTES (2 * sizeof(uint32_t))

static size_t whole_pages(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) & ~(page - 1);
}

void translate_find(const struct image *image, struct functions *functions,
                    struct link_memory *memory)
{
    struct found found = {image, memory};
    code_scan(image, functions, THUNK_CLASSES | SPIN_CLASSES, may_be_replaced, add_packet, &found);
    if (memory->thunk_count > 0) {
        find_extensions(image, functions, memory);
    }
    memory->veneers_size = whole_pages(memory->thunk_count * VENEER_BYTES);
    memory->thunks_size = memory->veneers_size + whole_pages(memory->thunk_count * THUNK_MAX);
}

/* ---- writing the thunks ---- */

static void add_far(struct translation *translation, uint32_t address)
{
    const size_t used = strlen(translation->far_places);
    snprintf(translation->far_places + used, sizeof translation->far_places - used, "%s+0x%x",
             used == 0 ? "" : ", ", (unsigned)address);
    translation->far++;
}

/* Returns the instruction because of which a packet is not translated. */
static const char *culprit(const uint32_t *packet, size_t size)
{
    const char *name = "a change of a vector that is read as qf";
    for (size_t i = 0; i < size; i++) {
        const struct call *call = call_of(packet[i]);
        const struct form *form = form_is_replaced(packet[i]) ? form_of(packet[i]) : NULL;
        if (call != NULL || form != NULL) {
            name = call != NULL ? call->name : form->syntax;
        }
        if (form != NULL && form->operation == NULL) {
            break;
        }
    }
    return name;
}

/* Writes a long jump to the thunk where a short one reaches it, and that one. */
static void put_veneer(struct translation *translation, struct code *jump, uint32_t to)
{
    const struct link_memory *memory = translation->memory;
    for (size_t i = 0; i < 2 && jump->problem != NULL; i++) {
        uint8_t *place = memory->veneers[i] + translation->veneers * VENEER_BYTES;
        struct code veneer;
        code_begin(&veneer, (uint32_t)(uintptr_t)place);
        code_long_jump(&veneer, to);
        memcpy(place, veneer.words, VENEER_BYTES);
        code_begin(jump, jump->address);
        code_jump(jump, veneer.address);
    }
    translation->veneers++;
}

/* Writes the thunk of a packet. Returns false if it is too far away. */
static bool translate_packet(struct translation *translation, struct thunk_origin *origin)
{
    const struct link_memory *memory = translation->memory;
    uint8_t *place = memory->base + origin->packet;
    const uint32_t from = (uint32_t)(uintptr_t)place;
    uint32_t packet[PACKET_WORDS_MAX];
    memcpy(packet, place, origin->size * sizeof *packet); /* relocated */
    struct code code, jump;
    code_begin(&code, (uint32_t)(uintptr_t)memory->thunks + (uint32_t)translation->bytes);
    code_begin(&jump, from);
    qf_tags_write(&code, packet, origin->size, from, &origin->tags);

    if (origin->waits) {
        thunk_write_wait(&code, from);
    }
    thunk_write(&code, packet, origin->size, from,
                live_after(&translation->liveness, origin->packet), &origin->use);
    origin->why = code.problem;
    if (origin->why != NULL) {
        origin->instruction = culprit(packet, origin->size);
        thunk_write_stop(&code);
    }
    code_jump(&jump, code.address);
    if (jump.problem != NULL && origin->size > 1) {
        code_begin(&jump, from);
        code_long_jump(&jump, code.address);
    } else if (jump.problem != NULL) {
        put_veneer(translation, &jump, code.address);
    }
    if (jump.problem != NULL) {
        add_far(translation, origin->packet);
        return false;
    }
    memcpy(place, jump.words, jump.used * sizeof *jump.words);
    memcpy(memory->thunks + translation->bytes, code.words, code.used * sizeof *code.words);
    origin->start = code.address;
    origin->packet = from;
    translation->bytes += code.used * sizeof *code.words;
    return true;
}

void translate_patch(const struct image *image, const struct functions *functions,
                     struct link_memory *memory, const char *name)
{
    struct translation translation = {
        .memory = memory,
        .liveness = {.image = image, .functions = functions, .base = memory->base},
        .bytes = memory->veneers_size,
    };
    if (memory->thunk_count == 0) {
        return;
    }
    size_t written = 0;
    for (size_t i = 0; i < memory->thunk_count; i++) {
        struct thunk_origin origin = memory->thunk_origins[i];
        if (translate_packet(&translation, &origin)) {
            memory->thunk_origins[written++] = origin;
        }
    }
    memory->thunk_count = written;
    liveness_free(&translation.liveness);
    memory->thunks_size = whole_pages(translation.bytes);
    uint8_t *end = memory->thunks + memory->thunks_size;
    munmap(end, (size_t)(memory->mapping + memory->mapping_size - end));
    memory->mapping_size = (size_t)(end - memory->mapping);
    mprotect(memory->veneers[0], memory->veneers_size, PROT_READ | PROT_EXEC);
    mprotect(memory->thunks, memory->thunks_size, PROT_READ | PROT_EXEC);
    if (translation.far > 0) {
        shell_logf(SHELL_ERROR,
                   "%s: %u packet%s with instructions that qemu does not execute %s too far from "
                   "both ends of the file, 8 MB or more, to be replaced: %s",
                   name, translation.far, translation.far == 1 ? "" : "s",
                   translation.far == 1 ? "is" : "are", translation.far_places);
    }
}

bool translate_contains(const struct link_memory *memory, uintptr_t address)
{
    return address - (uintptr_t)memory->thunks < memory->thunks_size;
}

uintptr_t translate_origin(const struct link_memory *memory, uintptr_t address,
                           const char **instruction, const char **why)
{
    if (!translate_contains(memory, address) || memory->thunk_count == 0) {
        return address;
    }
    const struct thunk_origin *all = memory->thunk_origins;
    size_t low = 0, high = memory->thunk_count;
    while (high - low > 1) { /* the last one that starts at the address or before */
        const size_t middle = low + (high - low) / 2;
        if (all[middle].start <= address) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (all[low].instruction != NULL) {
        *instruction = all[low].instruction;
        *why = all[low].why;
    }
    /* A call that is alone in its packet is one of the shell's functions. */
    uint32_t before = 0;
    if (address - (uintptr_t)memory->thunks >= sizeof before) {
        memcpy(&before, (const void *)(address - sizeof before), sizeof before);
    }
    const bool returns = (before & (0xfe000000u | PARSE)) == (0x5a000000u | PARSE_END);
    return all[low].packet + (returns ? 4 : 0);
}

void translate_thunk(const struct link_memory *memory, size_t number, uintptr_t *start,
                     uintptr_t *packet)
{
    *start = memory->thunk_origins[number].start;
    *packet = memory->thunk_origins[number].packet;
}

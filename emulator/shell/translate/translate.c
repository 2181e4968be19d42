/* translate.c: writes thunks for packets, and jumps to them. */
#include "translate.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "liveness.h"
#include "qf_tags.h"
#include "qf_values.h"
#include "runtime/runtime.h"
#include "thunk.h"
#include "thunk_origins.h"

struct translation {
    struct link_memory *memory;
    struct liveness liveness;
    size_t bytes, veneers; /* bytes of thunks, and the number of veneers in each place */
    unsigned far;          /* packets that are too far away */
    char far_places[256];
};

/* ---- memory for thunks ---- */

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
    thunk_origins_find(image, functions, memory);
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
    qf_values_write(&code, packet, origin->size, from, &origin->use);
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

bool translate_patch(const struct image *image, const struct functions *functions,
                     struct link_memory *memory, const char *name)
{
    struct translation translation = {
        .memory = memory,
        .liveness = {.image = image, .functions = functions, .base = memory->base},
        .bytes = memory->veneers_size,
    };
    if (memory->thunk_count == 0) {
        return true;
    }
    size_t written = 0, refused = 0;
    for (size_t i = 0; i < memory->thunk_count; i++) {
        struct thunk_origin origin = memory->thunk_origins[i];
        if (translate_packet(&translation, &origin)) {
            memory->thunk_origins[written++] = origin;
            refused += origin.instruction != NULL;
        }
    }
    memory->thunk_count = written;
    liveness_free(&translation.liveness);
    memory->thunks_size = whole_pages(translation.bytes);
    uint8_t *end = memory->thunks + memory->thunks_size;
    munmap(end, (size_t)(memory->mapping + memory->mapping_size - end));
    memory->mapping_size = (size_t)(end - memory->mapping);
    if (translation.far > 0) {
        shell_logf(SHELL_ERROR,
                   "%s: %u packet%s with instructions that qemu does not execute %s too far from "
                   "both ends of the file, 8 MB or more, to be replaced: %s",
                   name, translation.far, translation.far == 1 ? "" : "s",
                   translation.far == 1 ? "is" : "are", translation.far_places);
    }
    return translation.far == 0 && refused == 0;
}

void translate_protect(const struct link_memory *memory)
{
    if (memory->thunks_size > 0) {
        mprotect(memory->veneers[0], memory->veneers_size, PROT_READ | PROT_EXEC);
        mprotect(memory->thunks, memory->thunks_size, PROT_READ | PROT_EXEC);
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

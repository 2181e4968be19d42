/* translate.c: finds the packets with floating point in an image, and replaces them by thunks. */
#include "translate.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code_scan.h"
#include "liveness.h"
#include "thunk.h"

/* Of a thunk: where it starts, and the packet that it stands for. */
struct origin {
    uint32_t start, packet;
    const struct form *form; /* if it is not translated: one that is in it */
    const char *why;
};

struct translation {
    const struct image *image;
    const struct link_memory *memory; /* NULL: only the sizes count */
    uint32_t last;                    /* the packet that was translated last */
    struct liveness liveness;
    size_t bytes, count;
};

static struct origin *origins(const struct link_memory *memory)
{
    return (struct origin *)(void *)(memory->thunks + memory->thunks_size) - memory->thunk_count;
}

static void translate_packet(void *context, uint32_t address, size_t size, uint32_t word)
{
    struct translation *translation = context;
    const struct link_memory *memory = translation->memory;
    uint32_t packet[PACKET_WORDS_MAX];
    if (address == translation->last ||
        image_words(translation->image, address, packet, size) != size) {
        return; /* it can have several such instructions */
    }
    translation->last = address;
    uint8_t *place = memory == NULL ? NULL : memory->base + address;
    const uint32_t from = memory == NULL ? address : (uint32_t)(uintptr_t)place;
    struct code code = {.address = from};
    if (memory != NULL) {
        memcpy(packet, place, size * sizeof *packet); /* relocated */
        code.address = (uint32_t)(uintptr_t)memory->thunks + (uint32_t)translation->bytes;
    }
    const uint32_t live = live_after(&translation->liveness, address);
    thunk_write(&code, packet, size, from, live);
    struct code jump = {.address = from};
    code_jump(&jump, code.address);
    const char *why = code.problem;
    if (why != NULL) {
        thunk_write_stop(&code);
    }
    if (memory != NULL) {
        memcpy(memory->thunks + translation->bytes, code.words, code.used * sizeof *code.words);
        if (jump.problem == NULL) { /* one that is too far away ends qemu, as all would */
            memcpy(place, jump.words, sizeof *jump.words);
        }
        origins(memory)[translation->count] = (struct origin){.start = code.address,
                                                              .packet = from,
                                                              .form = why == NULL ? NULL
                                                                                  : form_of(word),
                                                              .why = why};
    }
    translation->bytes += code.used * sizeof *code.words;
    translation->count++;
}

size_t translate_room(const struct image *image, const struct functions *functions, size_t *count)
{
    struct translation translation = {
        .image = image,
        .last = UINT32_MAX,
        .liveness = {.image = image, .functions = functions},
    };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    code_scan(image, functions, form_is_floating, translate_packet, &translation);
    liveness_free(&translation.liveness);
    *count = translation.count;
    return (translation.bytes + translation.count * sizeof(struct origin) + page - 1) & ~(page - 1);
}

void translate_patch(const struct image *image, const struct functions *functions,
                     const struct link_memory *memory)
{
    struct translation translation = {
        .image = image,
        .memory = memory,
        .last = UINT32_MAX,
        .liveness = {.image = image, .functions = functions, .base = memory->base},
    };
    if (memory->thunk_count > 0) {
        code_scan(image, functions, form_is_floating, translate_packet, &translation);
        liveness_free(&translation.liveness);
        mprotect(memory->thunks, memory->thunks_size, PROT_READ | PROT_EXEC);
    }
}

uintptr_t translate_origin(const struct link_memory *memory, uintptr_t address,
                           const char **instruction, const char **why)
{
    if (address - (uintptr_t)memory->thunks >= memory->thunks_size) {
        return address;
    }
    const struct origin *all = origins(memory);
    size_t low = 0, high = memory->thunk_count;
    while (high - low > 1) { /* the last one that starts at the address or before */
        const size_t middle = low + (high - low) / 2;
        if (all[middle].start <= address) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (all[low].form != NULL) {
        *instruction = all[low].form->syntax;
        *why = all[low].why;
    }
    return all[low].packet;
}

/* frames.c: walks the frames of a stack.
 *
 * A function of Hexagon code that calls others begins with allocframe: it stores the caller's frame
 * pointer and its own return address, and sets the frame pointer (r30) to them. */
#include <string.h>

#include "core.h"
#include "image.h"
#include "module.h"

#define FRAMES_LOOKED_AT 200 /* a damaged stack can have a long chain */

bool frame_at(uintptr_t address, struct frame *frame)
{
    uint32_t offset = 0;
    const char *module = module_at(address, &offset);
    const struct image *image = module == NULL ? NULL : module_image_at(address);
    if (image == NULL || !image_holds(image, offset, 4, PF_X)) {
        return false;
    }
    *frame = (struct frame){.address = address, .module = module, .offset = offset};
    return true;
}

/* Stores the return address of the frame to which *at points, and sets *at to the next one, or 0.
 * Returns false when there is no frame. */
static bool frame_read(uintptr_t *at, uintptr_t *address)
{
    uintptr_t words[2];
    if (*at == 0 || *at % 8 != 0 || *at < fault_stack.low || *at >= fault_stack.high ||
        fault_stack.high - *at < sizeof words) {
        return false;
    }
    memcpy(words, (const void *)*at, sizeof words);
    *address = words[1];
    *at = words[0] > *at ? words[0] : 0;
    return true;
}

size_t frames_addresses(uintptr_t frame_pointer, uintptr_t *addresses, size_t room)
{
    size_t count = 0;
    while (count < room && frame_read(&frame_pointer, &addresses[count])) {
        count++;
    }
    return count;
}

size_t frames_walk(uintptr_t frame_pointer, struct frame *frames, size_t room)
{
    size_t count = 0;
    uintptr_t address;
    for (int i = 0; i < FRAMES_LOOKED_AT && count < room && frame_read(&frame_pointer, &address);
         i++) {
        count += frame_at(address, &frames[count]);
    }
    return count;
}

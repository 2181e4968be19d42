/* translate.h: makes skels run that have instructions which qemu does not execute.
 *
 * qemu ends itself when it translates such an instruction, or takes it for another one. So each
 * packet that contains one is replaced by a jump to a thunk, which computes the same. A packet that
 * cannot be translated gets a thunk that faults. */
#ifndef BUILDTOOL_SHELL_TRANSLATE_H
#define BUILDTOOL_SHELL_TRANSLATE_H

#include "link.h"
#include "translate/functions.h"

/* Finds the packets of an image that need thunks, and sets memory->thunks_size and veneers_size: the bytes
 * that these need at most, in whole pages. */
void translate_find(const struct image *image, struct functions *functions,
                    struct link_memory *memory);

/* Writes the thunks to memory->thunks, and changes the packets. The memory is writable; what is not needed
 * at the end is unmapped. A packet jumps to its thunk directly if that is within 8 MB, or with a long jump.
 * If it has one word, for which a long jump is too long, it jumps to a veneer: a long jump beside the
 * image. Logs the packets that have no veneer within 8 MB, with the name of the module. Returns whether all
 * packets execute. */
bool translate_patch(const struct image *image, const struct functions *functions,
                     struct link_memory *memory, const char *name);

/* Makes the thunks executable, and no longer writable. */
void translate_protect(const struct link_memory *memory);

/* Whether an address is in a thunk of the image. */
bool translate_contains(const struct link_memory *memory, uintptr_t address);

/* If the address is in a thunk of the image, returns the address of the packet that it stands for,
 * and, if it cannot be translated, stores the instruction and why; of a return address, one that
 * is behind the start of the packet. Otherwise, returns the address itself. Signal handlers can call it. */
uintptr_t translate_origin(const struct link_memory *memory, uintptr_t address,
                           const char **instruction, const char **why);

/* Stores where the thunk with a number below memory->thunk_count begins, and the address of the
 * packet that it stands for. */
void translate_thunk(const struct link_memory *memory, size_t number, uintptr_t *start,
                     uintptr_t *packet);

#endif

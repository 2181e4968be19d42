/* code.h: writes machine code. */
#ifndef BUILDTOOL_SHELL_CODE_H
#define BUILDTOOL_SHELL_CODE_H

#include "forms.h"

#define CODE_WORDS_MAX 320u

/* Code for an address, a packet after the other. If it cannot be written, then `problem` says why,
 * and the words mean nothing. */
struct code {
    uint32_t address;
    size_t used;
    const char *problem;
    uint32_t words[CODE_WORDS_MAX];
};

/* Begins code for an address. */
void code_begin(struct code *code, uint32_t address);

/* Writes a word, and data of whole words. */
void code_put(struct code *code, uint32_t word);
void code_data(struct code *code, const void *data, size_t size);

/* { jump to }, { jump ##to } and { call ##to } */
void code_jump(struct code *code, uint32_t to);
void code_long_jump(struct code *code, uint32_t to);
void code_call(struct code *code, uint32_t to);

/* { rN = #value }, { rD = memw(rS+#offset) }, { rD = add(rS,#offset) } and { rD = mux(pP,rS,rT) } */
void code_constant(struct code *code, unsigned n, uint32_t value);
void code_load_scalar(struct code *code, unsigned to, unsigned base, uint32_t offset);
void code_add(struct code *code, unsigned to, unsigned base, uint32_t offset);
void code_select(struct code *code, unsigned to, unsigned predicate, unsigned yes, unsigned no);

/* { vD = vmem(rS+#vectors) }, of -8 to 7 vectors, and { vD = vU }; as words, to change packets */
void code_load_vector(struct code *code, unsigned to, unsigned base, int vectors);
void code_move_vector(struct code *code, unsigned to, unsigned from);

/* Writes a packet of `size` words that was at the address `from`, and jumps back behind it. If `tail`
 * is not NULL, then its code is executed after the packet. Instructions that refer to the address of
 * the packet are changed. Hardware loops that end with the packet end after it and the tail. */
void code_packet(struct code *code, const uint32_t *packet, size_t size, uint32_t from,
                 void (*tail)(struct code *code, const void *context), const void *context);

#endif

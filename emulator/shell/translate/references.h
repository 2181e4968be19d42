/* references.h: the addresses to which instructions refer, and where they lead. */
#ifndef BUILDTOOL_SHELL_REFERENCES_H
#define BUILDTOOL_SHELL_REFERENCES_H

#include "forms.h"

/* What an instruction does with an address that it has as a distance from its packet: it jumps there or
 * calls it, makes it the start of a hardware loop, or adds it (add(pc,#)). */
enum reference_kind { REFERENCE_NONE, REFERENCE_JUMP, REFERENCE_LOOP, REFERENCE_ADDRESS };

enum reference_kind reference_of(uint32_t word);
#define REFERENCE_CLASSES (1u << 2 | 1u << 4 | 1u << 11 | 1u << 12 | 1u << 13)

/* If a word in a packet refers to an address, stores that. `before` is the word before it. */
bool referred_address(uint32_t word, uint32_t before, uint32_t packet, uint32_t *target);

/* Returns a word that refers to an address with another value: the distance divided by 4, or the lowest
 * six bits of a distance whose others are in an extender. */
uint32_t with_reference(uint32_t word, uint32_t value);

/* Whether a word is the extender of the constant in the next one. */
bool is_extender(uint32_t word);

/* Returns the extender of a constant. */
uint32_t extender_of(uint32_t value);

/* Where a word can lead to, besides the next packet. */
enum flow { FLOW_NONE, FLOW_JUMP, FLOW_CALL, FLOW_RETURN, FLOW_UNKNOWN };
enum flow flow_of(uint32_t word);

/* Whether a word can be one that refers to an address or leads to one. Most words can be left out. */
static inline bool may_lead(uint32_t word)
{
    const uint32_t classes = REFERENCE_CLASSES | 1u << 10 | 1u << 18;
    return (word & PARSE) == 0 || has_class(word, classes);
}

/* Whether the packet behind is not the next one, or, of calls, the next one after the return only. */
bool never_goes_on(uint32_t word);

#endif

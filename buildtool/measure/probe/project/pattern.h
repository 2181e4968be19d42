/* pattern.h: the words that both sides expect in a buffer. */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdint.h>

/* Differs in all four bytes from word to word. */
static inline uint32_t pattern_word(uint32_t seed, uint32_t at)
{
    return (at + seed) * 2654435761u ^ seed;
}

#endif

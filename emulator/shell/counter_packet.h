/* counter_packet.h: decodes packets that read the DSP's counters, and moves them.
 *
 * A packet has one to four words. Bits 15:14 of each are its parse bits: 11 ends a packet, 00 is a
 * pair of short instructions and ends it too. The other values are words before the end, and mark
 * the end of hardware loops. */
#ifndef BUILDTOOL_SHELL_COUNTER_PACKET_H
#define BUILDTOOL_SHELL_COUNTER_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACKET_WORDS_MAX 4u

/* The maximum number of words that packet_move writes: the packet, a jump back, and a jump for each
 * branch of the packet. */
#define MOVED_WORDS_MAX 8u

enum counter { COUNTER_NONE, COUNTER_UTIMER, COUNTER_UPCYCLE };

/* Returns the counter that an instruction reads: the registers c31:30 or c15:14, as a pair or one
 * of them. */
enum counter counter_read(uint32_t word);

/* Finds the packet that contains words[at]. Returns false when the words around it are no packet,
 * which means that they are data. */
bool packet_around(const uint32_t *words, size_t count, size_t at, size_t *first, size_t *size);

/* Writes a copy of a packet of `size` words to `to`, followed by a jump to the next packet. `from`
 * and `address` are the addresses of the packet and of the copy. The copy reads c19:18 in place of
 * the counter. Returns the number of words, or 0 when the packet cannot be moved. */
size_t packet_move(const uint32_t *packet, size_t size, uint32_t from, uint32_t address,
                   uint32_t to[MOVED_WORDS_MAX]);

#define PROLOGUE_WORDS 6u

/* Writes code for `address` that calls a function and keeps r31:30. */
void packet_call(uint32_t to[PROLOGUE_WORDS], uint32_t address, uint32_t function);

/* Encodes a packet that jumps. Returns false when the distance is more than 8 MB. */
bool packet_jump(uint32_t from, uint32_t to, uint32_t *word);

#endif

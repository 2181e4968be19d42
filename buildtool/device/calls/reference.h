/* reference.h: the function of a library of `diverge --reference` that answers messages in queues.
 *
 * `message` has `length` bytes and names `count` `buffers`, which are laid out as dspqueue_buffer;
 * their addresses, and memory of descriptors that a message tells, are what the DSP would see.  It
 * changes that memory as the DSP would, writes an answer of at most `room` bytes, and returns its
 * size; 0 if it does not know what the message means, which is then not compared. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

#define REFERENCE_ANSWER "buildtool_reference_answer"

typedef int reference_answer_function(const uint8_t *message, uint32_t length, const void *buffers,
                                      uint32_t count, uint8_t *answer, uint32_t room);

#endif

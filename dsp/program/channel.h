/* channel.h: the streams of the program, between its threads and the calls of the host program. */
#ifndef BUILDTOOL_CHANNEL_H
#define BUILDTOOL_CHANNEL_H

#include "dsp_program.h"

void channel_init(void);

/* Those of struct dsp_streams. */
void channel_write(int stream, const void *bytes, size_t size);
void channel_flush(void);
size_t channel_read(void *bytes, size_t room);
void channel_leave(int status) __attribute__((noreturn));

/* main has returned, or called exit. */
void channel_end(void);

/* Waits for the next event, see dsp_event. */
int channel_next(int32 *status, uint8 *data, int room, uint32 *used);

/* Gives input to the program; nothing means its end. */
void channel_input(const uint8 *data, size_t size);

#endif

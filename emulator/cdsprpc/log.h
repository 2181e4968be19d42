/* log.h: messages of the library. */
#ifndef BUILDTOOL_CDSPRPC_LOG_H
#define BUILDTOOL_CDSPRPC_LOG_H

/* Writes a line to standard error. It begins with "libcdsprpc: ". */
void log_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The levels of FARF messages that are shown, bit n for level n: BUILDTOOL_SIM_FARF, all without it. */
unsigned int log_levels(void);

#endif

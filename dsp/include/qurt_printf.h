/* qurt_printf.h: formatted output to the log.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_PRINTF_H
#define QURT_PRINTF_H

#ifdef __cplusplus
extern "C" {
#endif

int qurt_printf(const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif

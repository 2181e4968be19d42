/* qurt_sclk.h: the 19.2 MHz system clock.
 *
 * The interface (names, signatures, layout) is that documented for QuRT in the Hexagon SDK. */
#ifndef QURT_SCLK_H
#define QURT_SCLK_H

#ifdef __cplusplus
extern "C" {
#endif

#define QURT_SYSCLOCK_TIMETICK_FROM_US(us) ((us) * 192ull / 10ul)
#define QURT_SYSCLOCK_MAX_DURATION (1042499uLL * 3600uLL * 1000uLL * 1000uLL)
#define QURT_SYSCLOCK_MAX_DURATION_TICKS (1042499uLL * 3600uLL * 19200000uLL)
#define QURT_SYSCLOCK_ERROR_MARGIN 192

unsigned long long qurt_sysclock_get_hw_ticks(void);
unsigned long long qurt_timer_timetick_to_us(unsigned long long ticks);

#ifdef __cplusplus
}
#endif

#endif

/* pthread.h: with the constants of the DSP's pthread functions, which are those of QuRT. */
#pragma GCC system_header

#include_next <pthread.h>

#undef PTHREAD_MUTEX_INITIALIZER
#undef PTHREAD_COND_INITIALIZER
#undef PTHREAD_MUTEX_ERRORCHECK
#undef PTHREAD_MUTEX_NORMAL
#undef PTHREAD_MUTEX_RECURSIVE
#undef PTHREAD_MUTEX_DEFAULT
#define PTHREAD_MUTEX_INITIALIZER 0xffffffffu
#define PTHREAD_COND_INITIALIZER 0xffffffffu
#define PTHREAD_MUTEX_ERRORCHECK 0
#define PTHREAD_MUTEX_NORMAL 1
#define PTHREAD_MUTEX_RECURSIVE 2
#define PTHREAD_MUTEX_DEFAULT 3

/* bits/alltypes.h: the types of the DSP's C library that differ from those of zig's.
 *
 * Times and offsets of files have 32 bits.  A mutex is one word of QuRT, and so is a condition variable;
 * of attributes only the size counts here.  The Hexagon SDK documents them (posix/pthread_types.h). */
#pragma GCC system_header

#if defined(__NEED_time_t) && !defined(__DEFINED_time_t)
typedef long time_t;
#define __DEFINED_time_t
#endif

#if defined(__NEED_suseconds_t) && !defined(__DEFINED_suseconds_t)
typedef long suseconds_t;
#define __DEFINED_suseconds_t
#endif

#if defined(__NEED_off_t) && !defined(__DEFINED_off_t)
typedef long off_t;
#define __DEFINED_off_t
#endif

#if defined(__NEED_pthread_t) && !defined(__DEFINED_pthread_t)
typedef unsigned int pthread_t;
#define __DEFINED_pthread_t
#endif

#if defined(__NEED_pthread_key_t) && !defined(__DEFINED_pthread_key_t)
typedef int pthread_key_t;
#define __DEFINED_pthread_key_t
#endif

#if defined(__NEED_pthread_mutex_t) && !defined(__DEFINED_pthread_mutex_t)
typedef unsigned int pthread_mutex_t;
#define __DEFINED_pthread_mutex_t
#endif

#if defined(__NEED_pthread_cond_t) && !defined(__DEFINED_pthread_cond_t)
typedef unsigned int pthread_cond_t;
#define __DEFINED_pthread_cond_t
#endif

#if defined(__NEED_pthread_mutexattr_t) && !defined(__DEFINED_pthread_mutexattr_t)
typedef struct {
    int __attributes[4];
} pthread_mutexattr_t;
#define __DEFINED_pthread_mutexattr_t
#endif

#if defined(__NEED_pthread_attr_t) && !defined(__DEFINED_pthread_attr_t)
typedef struct {
    int __attributes[12];
} pthread_attr_t;
#define __DEFINED_pthread_attr_t
#endif

#include_next <bits/alltypes.h>

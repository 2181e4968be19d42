/* bits/stat.h: struct stat, whose times and size have 64 bits, unlike those elsewhere in the DSP's C
 * library. */
#pragma GCC system_header

struct __stat_time {
    long long tv_sec;
    long tv_nsec;
    long __pad;
#ifdef __cplusplus
    operator struct timespec() const
    {
        return {(time_t)tv_sec, tv_nsec};
    }
#endif
};

#define timespec __stat_time
#define off_t long long
#include_next <bits/stat.h>
#undef timespec
#undef off_t

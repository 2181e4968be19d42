/* bits/dirent.h: struct dirent, whose offset has 64 bits, unlike those elsewhere in the DSP's C library. */
#pragma GCC system_header

#define off_t long long
#include_next <bits/dirent.h>
#undef off_t

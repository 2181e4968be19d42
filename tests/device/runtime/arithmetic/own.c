/* own.c: what is linked into skels, under names that differ from those of the shell. */
#define __asm__(name) __asm__("own" name)
#include "../../../../cmake/sdk/skel_compiler.c"

/* unit.h: lets files of musl be compiled in one translation unit, which defines UNIT_FILE anew for each.
 *
 * Names of static functions and of types that many files define get the name of the file added. */
#ifndef UNIT_H
#define UNIT_H

#include <features.h>

#define NAME_IN_(name, file) name##_in_##file
#define NAME_IN(name, file) NAME_IN_(name, file)

#define dummy NAME_IN(dummy, UNIT_FILE)
#define dummy1 NAME_IN(dummy1, UNIT_FILE)
#define dummy_0 NAME_IN(dummy_0, UNIT_FILE)
#define dummy_file NAME_IN(dummy_file, UNIT_FILE)
#define __dirstream NAME_IN(dirstream, UNIT_FILE)
#define do_getc NAME_IN(do_getc, UNIT_FILE)
#define do_putc NAME_IN(do_putc, UNIT_FILE)
#define fdop NAME_IN(fdop, UNIT_FILE)
#define k_sigaction NAME_IN(k_sigaction, UNIT_FILE)
#define locking_getc NAME_IN(locking_getc, UNIT_FILE)
#define locking_putc NAME_IN(locking_putc, UNIT_FILE)
#define node NAME_IN(node, UNIT_FILE)

/* As in musl's features.h, but with the names from above in the string. */
#undef weak_alias
#define WEAK_ALIAS_(old, new) extern __typeof(old) new __attribute__((__weak__, __alias__(#old)))
#define weak_alias(old, new) WEAK_ALIAS_(old, new)

/* Files include musl's syscall.h, whose macros are in the way of this header, before it. */
#ifdef _GNU_SOURCE
#include <unistd.h>
#endif

#endif

/* plain.h: generated from plain.idl by buildtool idl; do not edit. */
#ifndef _PLAIN_H
#define _PLAIN_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <AEEStdDef.h>
#include <AEEStdErr.h>
#include <remote.h>

/* Define these before including to rename or decorate the functions. */
#ifndef __QAIC_REMOTE
#define __QAIC_REMOTE(ff) ff
#endif
#ifndef __QAIC_HEADER
#define __QAIC_HEADER(ff) ff
#endif
#ifndef __QAIC_HEADER_EXPORT
#define __QAIC_HEADER_EXPORT
#endif
#ifndef __QAIC_HEADER_ATTRIBUTE
#define __QAIC_HEADER_ATTRIBUTE
#endif
#ifndef __QAIC_IMPL
#define __QAIC_IMPL(ff) ff
#endif
#ifndef __QAIC_IMPL_EXPORT
#define __QAIC_IMPL_EXPORT
#endif
#ifndef __QAIC_IMPL_ATTRIBUTE
#define __QAIC_IMPL_ATTRIBUTE
#endif
#ifndef __QAIC_STUB
#define __QAIC_STUB(ff) ff
#endif
#ifndef __QAIC_STUB_EXPORT
#define __QAIC_STUB_EXPORT
#endif
#ifndef __QAIC_STUB_ATTRIBUTE
#define __QAIC_STUB_ATTRIBUTE
#endif
#ifndef __QAIC_SKEL
#define __QAIC_SKEL(ff) ff
#endif
#ifndef __QAIC_SKEL_EXPORT
#define __QAIC_SKEL_EXPORT __attribute__((visibility("default")))
#endif
#ifndef __QAIC_SKEL_ATTRIBUTE
#define __QAIC_SKEL_ATTRIBUTE
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(__QAIC_STRING1_OBJECT_DEFINED__) && !defined(__STRING1_OBJECT__)
#define __QAIC_STRING1_OBJECT_DEFINED__
#define __STRING1_OBJECT__
typedef struct _cstring1_s {
    char* data;
    int dataLen;
} _cstring1_t;
#endif

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m0)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m1)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m2)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m3)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m4)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m5)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m6)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m7)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m8)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m9)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m10)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m11)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m12)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m13)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m14)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m15)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m16)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m17)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m18)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m19)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m20)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m21)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m22)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m23)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m24)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m25)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m26)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m27)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(lib_base_m28)(void) __QAIC_HEADER_ATTRIBUTE;

#define plain_LIMIT 31

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m0)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m1)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m2)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m3)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m4)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m5)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m6)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m7)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m8)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m9)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m10)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m11)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m12)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m13)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m14)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m15)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m16)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m17)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m18)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m19)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m20)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m21)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m22)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m23)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m24)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m25)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m26)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m27)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m28)(void) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m29)(int a) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT unsigned int __QAIC_HEADER(plain_m30)(const char* s) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m31)(unsigned char a, int64 b,
    unsigned char* c) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(plain_m32)(void) __QAIC_HEADER_ATTRIBUTE;

#ifdef __cplusplus
}
#endif

#endif /* _PLAIN_H */

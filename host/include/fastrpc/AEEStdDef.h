/* AEEStdDef.h: the basic types of code generated from FastRPC IDL.
 *
 * Names and types are those of the open-source libcdsprpc (quic/fastrpc, inc/AEEStdDef.h) and of the
 * Hexagon SDK: int64 is a long long and boolean an unsigned char, on every platform. Each is left out
 * if its macro (such as _INT64_DEFINED) is defined before this file is included. */
#ifndef AEESTDDEF_H
#define AEESTDDEF_H

#include <stddef.h>
#include <stdint.h>

#ifndef _BOOLEAN_DEFINED
typedef unsigned char boolean;
#define _BOOLEAN_DEFINED
#endif

#ifndef _UINT32_DEFINED
typedef uint32_t uint32;
#define _UINT32_DEFINED
#endif

#ifndef _UINT16_DEFINED
typedef uint16_t uint16;
#define _UINT16_DEFINED
#endif

#ifndef _UINT8_DEFINED
typedef uint8_t uint8;
#define _UINT8_DEFINED
#endif

#ifndef _INT32_DEFINED
typedef int32_t int32;
#define _INT32_DEFINED
#endif

#ifndef _INT16_DEFINED
typedef int16_t int16;
#define _INT16_DEFINED
#endif

#ifndef _INT8_DEFINED
typedef int8_t int8;
#define _INT8_DEFINED
#endif

#ifndef _INT64_DEFINED
typedef long long int64;
#define _INT64_DEFINED
#endif

#ifndef _UINT64_DEFINED
typedef unsigned long long uint64;
#define _UINT64_DEFINED
#endif

#ifndef _BYTE_DEFINED
typedef unsigned char byte;
#define _BYTE_DEFINED
#endif

#ifndef _AEEUID_DEFINED
typedef uint32 AEEUID;
#define _AEEUID_DEFINED
#endif

#ifndef _AEEIID_DEFINED
typedef uint32 AEEIID;
#define _AEEIID_DEFINED
#endif

#ifndef _AEECLSID_DEFINED
typedef uint32 AEECLSID;
#define _AEECLSID_DEFINED
#endif

#ifndef _AEEPRIVID_DEFINED
typedef uint32 AEEPRIVID;
#define _AEEPRIVID_DEFINED
#endif

#ifndef _AECHAR_DEFINED
typedef uint16 AECHAR;
#define _AECHAR_DEFINED
#endif

/* 0 means success. With any other result, no rout parameter is copied back. */
#ifndef _AEERESULT_DEFINED
typedef int AEEResult;
#define _AEERESULT_DEFINED
#endif

#ifndef CDECL
#define CDECL
#endif

#ifndef TRUE
#define TRUE 1
#endif

#ifndef FALSE
#define FALSE 0
#endif

#ifndef MIN_INT8
#define MIN_INT8 INT8_MIN
#endif
#ifndef MIN_INT16
#define MIN_INT16 INT16_MIN
#endif
#ifndef MIN_INT32
#define MIN_INT32 INT32_MIN
#endif
#ifndef MIN_INT64
#define MIN_INT64 INT64_MIN
#endif
#ifndef MAX_INT8
#define MAX_INT8 INT8_MAX
#endif
#ifndef MAX_INT16
#define MAX_INT16 INT16_MAX
#endif
#ifndef MAX_INT32
#define MAX_INT32 INT32_MAX
#endif
#ifndef MAX_INT64
#define MAX_INT64 INT64_MAX
#endif
#ifndef MAX_UINT8
#define MAX_UINT8 UINT8_MAX
#endif
#ifndef MAX_UINT16
#define MAX_UINT16 UINT16_MAX
#endif
#ifndef MAX_UINT32
#define MAX_UINT32 UINT32_MAX
#endif
#ifndef MAX_UINT64
#define MAX_UINT64 UINT64_MAX
#endif

#ifndef MIN_AECHAR
#define MIN_AECHAR 0
#endif
#ifndef MAX_AECHAR
#define MAX_AECHAR UINT16_MAX
#endif

#ifndef __STR__
#define __STR__(x) #x
#endif
#ifndef __TOSTR__
#define __TOSTR__(x) __STR__(x)
#endif
#ifndef __FILE_LINE__
#define __FILE_LINE__ __FILE__ ":" __TOSTR__(__LINE__)
#endif

/* A wide character of IDL has 16 bits on every platform, regardless of wchar_t. */
#ifndef __QIDL_WCHAR_T_DEFINED__
#define __QIDL_WCHAR_T_DEFINED__
typedef uint16 _wchar_t;
#endif

/* Strings in sequences, for code from compilers that predate _cstring1_t. */
#if !defined(__QIDL_STRING_OBJECT_DEFINED__) && !defined(__STRING_OBJECT__)
#define __QIDL_STRING_OBJECT_DEFINED__
#define __STRING_OBJECT__
typedef struct _cstring_s {
    char *data;
    int dataLen;    /* characters, including the terminator; set by the caller for rout */
    int dataLenReq; /* characters that the complete result needs; set by the callee */
} _cstring_t;

typedef struct _wstring_s {
    _wchar_t *data;
    int dataLen; /* 16-bit units, including the terminator */
    int dataLenReq;
} _wstring_t;
#endif

#endif

/* shapes.h: generated from shapes.idl by buildtool idl; do not edit. */
#ifndef _SHAPES_H
#define _SHAPES_H

#include <stdbool.h>
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

#if !defined(__QAIC_WSTRING1_OBJECT_DEFINED__) && !defined(__WSTRING1_OBJECT__)
#define __QAIC_WSTRING1_OBJECT_DEFINED__
#define __WSTRING1_OBJECT__
typedef struct _wstring1_s {
    _wchar_t* data;
    int dataLen;
} _wstring1_t;
#endif

#if !defined(__QAIC_DMAHANDLE1_OBJECT_DEFINED__) && !defined(__DMAHANDLE1_OBJECT__)
#define __QAIC_DMAHANDLE1_OBJECT_DEFINED__
#define __DMAHANDLE1_OBJECT__
typedef struct _dmahandle1_s {
    int fd;
    uint32_t offset;
    uint32_t len;
} _dmahandle1_t;
#endif

#define IDL_VERSION "1.2.3"

/** How many of anything there may be. */
#define MOST 64

#define EVERYTHING 18446744073709551615ull

#define HALF 0.5f

#define TWO_PI 6.283185307179586

/** What is done to the pixels. */
enum filter {
    none,
    /** soft */
    blur,
    sharpen,
    _32BIT_PLACEHOLDER_filter = 0x7fffffff
};
typedef enum filter filter;

typedef unsigned char digest[32];

typedef struct _weights__seq_float _weights__seq_float;
typedef _weights__seq_float weights;
struct _weights__seq_float {
    float* data;
    int dataLen;
};

/** One point. */
typedef struct point point;
struct point {
    /** to the right */
    short x;
    /** away from the viewer */
    double depth;
};

typedef struct layer layer;
struct layer {
    char* name;
    int nameLen;
    float* values;
    int valuesLen;
    point* path;
    int pathLen;
    filter kind;
    boolean enabled;
};

typedef struct graph_node graph_node;
struct graph_node {
    layer own;
    _cstring1_t* tags;
    int tagsLen;
};

/**
 * Open a handle.
 *
 * @param uri the interface's X_URI, with "&_dom=cdsp" or another domain after it
 * @param h receives the handle
 * @retval 0 on success
 */
__QAIC_HEADER_EXPORT int __QAIC_HEADER(shapes_open)(const char* uri,
    remote_handle64* h) __QAIC_HEADER_ATTRIBUTE;

/**
 * Close a handle; with the last one, its session ends.
 *
 * @param h the handle
 * @retval 0 on success
 */
__QAIC_HEADER_EXPORT int __QAIC_HEADER(shapes_close)(remote_handle64 h) __QAIC_HEADER_ATTRIBUTE;

/**
 * All the flat ones.
 * @param count  how many
 */
__QAIC_HEADER_EXPORT AEEResult __QAIC_HEADER(shapes_flat)(remote_handle64 _h, int64 count,
    boolean on, filter how, const point* where, const digest key, short* status, point* there,
    boolean* done, int* total) __QAIC_HEADER_ATTRIBUTE;

/** Sequences and strings of one level. */
__QAIC_HEADER_EXPORT AEEResult __QAIC_HEADER(shapes_arrays)(remote_handle64 _h, const point* from,
    int fromLen, float* to, int toLen, unsigned char* bytes, int bytesLen, const char* name,
    char* answer, int answerLen, const _wchar_t* wide, char* text,
    int textLen) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT AEEResult __QAIC_HEADER(shapes_shared)(remote_handle64 _h, int input,
    uint32_t inputOffset, uint32_t inputLen, int output, uint32_t outputOffset,
    uint32_t outputLen) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT AEEResult __QAIC_HEADER(shapes_shared_many)(remote_handle64 _h,
    const _dmahandle1_t* inputs, int inputsLen, _dmahandle1_t* outputs, int outputsLen, int last,
    uint32_t lastOffset, uint32_t lastLen) __QAIC_HEADER_ATTRIBUTE;

/** Everything inside everything. */
__QAIC_HEADER_EXPORT AEEResult __QAIC_HEADER(shapes_nested)(remote_handle64 _h,
    const graph_node* one, const graph_node* many, int manyLen, layer* back, graph_node* out_,
    int out_Len, const weights* rows, int rowsLen) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(shapes_nothing)(remote_handle64 _h) __QAIC_HEADER_ATTRIBUTE;

__QAIC_HEADER_EXPORT int __QAIC_HEADER(shapes_later)(remote_handle64 _h,
    fastrpc_async_descriptor_t* asyncDesc, const unsigned char* input, int inputLen,
    unsigned char* output, int outputLen) __QAIC_HEADER_ATTRIBUTE;

#ifndef shapes_URI
#define shapes_URI "file:///libshapes_skel.so?shapes_skel_handle_invoke&_modver=1.0&_idlver=1.2.3"
#endif

#ifdef __cplusplus
}
#endif

#endif /* _SHAPES_H */

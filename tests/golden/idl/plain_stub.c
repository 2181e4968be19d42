/* plain_stub.c: the calling side of plain, generated from
 * plain.idl by buildtool idl; do not edit. */
#include "plain.h"

/* Says which IDL this was generated from: sha256 e647bac9f36dc6b3... */
#if defined(__has_attribute)
#if __has_attribute(retain)
#define _IDL_NOTE_RETAIN retain,
#endif
#endif
#ifndef _IDL_NOTE_RETAIN
#define _IDL_NOTE_RETAIN
#endif
__attribute__((section(".note.buildtool.idl"), _IDL_NOTE_RETAIN used, aligned(4)))
static const struct {
    uint32_t owner_size, digest_size, type;
    char owner[12];
    uint8_t digest[32];
} _idl_note = {
    10, 32, 1, "buildtool",
    {
        0xe6, 0x47, 0xba, 0xc9, 0xf3, 0x6d, 0xc6, 0xb3,
        0x10, 0x43, 0x4e, 0x04, 0x4d, 0xa4, 0xce, 0x81,
        0xdf, 0xcd, 0x25, 0x45, 0xb8, 0x5a, 0x75, 0x65,
        0x40, 0xe5, 0xd5, 0xfd, 0x2e, 0xfe, 0xec, 0xed,
    },
};

/* Characters of a text, terminator included. */
static inline uint32_t _text_size(const char* text)
{
    return (uint32_t)strlen(text) + 1u;
}

/* One argument of a call.  In buffers are only read, so const may go. */
static inline remote_arg _buffer(const void* data, size_t size)
{
    remote_arg arg;
    arg.buf.pv = (void*)(uintptr_t)data;
    arg.buf.nLen = size;
    return arg;
}

struct plain_m29__in {
    int a;                               /* at 0 */
};
_Static_assert(sizeof(struct plain_m29__in) == 4, "wire layout");

struct plain_m30__in {
    uint32_t sLen;                       /* at 0 */
};
_Static_assert(sizeof(struct plain_m30__in) == 4, "wire layout");

struct plain_m31__in {
    uint32_t _mid;                       /* at 0 */
    unsigned char a;                     /* at 4 */
    int64 b;                             /* at 8 */
};
_Static_assert(sizeof(struct plain_m31__in) == 16, "wire layout");

struct plain_m31__out {
    unsigned char c;                     /* at 0 */
};
_Static_assert(sizeof(struct plain_m31__out) == 1, "wire layout");

struct plain_m32__in {
    uint32_t _mid;                       /* at 0 */
};
_Static_assert(sizeof(struct plain_m32__in) == 4, "wire layout");

/* The one handle of plain, opened at the first call and never closed; -1 when that
 * fails.  Of threads that open it at once, the first one's handle stays. */
__QAIC_STUB_EXPORT remote_handle _plain_handle(void);
__QAIC_STUB_EXPORT remote_handle _plain_handle(void)
{
    static remote_handle shared = (remote_handle)-1;
    remote_handle none = (remote_handle)-1;
    remote_handle own = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);

    if (own != none) {
        return own;
    }
    if (__QAIC_REMOTE(remote_handle_open)("plain", &own) != 0) {
        return none;
    }
    if (!__atomic_compare_exchange_n(&shared, &none, own, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        (void)__QAIC_REMOTE(remote_handle_close)(own);
        own = none;
    }
    return own;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m0)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m1)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 1, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m2)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 2, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m3)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 3, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m4)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 4, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m5)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 5, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m6)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 6, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m7)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 7, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m8)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 8, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m9)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 9, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m10)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 10, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m11)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 11, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m12)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 12, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m13)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 13, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m14)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 14, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m15)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 15, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m16)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 16, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m17)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 17, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m18)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 18, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m19)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 19, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m20)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 20, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m21)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 21, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m22)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 22, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m23)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 23, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m24)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 24, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m25)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 25, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m26)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 26, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m27)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 27, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m28)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 28, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m29)(int a) __QAIC_STUB_ATTRIBUTE
{
    struct plain_m29__in _in = {0};
    int _err;
    remote_arg _pra[1];
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _in.a = a;
    _pra[0] = _buffer(&_in, sizeof(_in));
    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 29, 1, 0, 0, 0),
        _pra);
    return _err;
}

__QAIC_STUB_EXPORT unsigned int __QAIC_STUB(plain_m30)(const char* s) __QAIC_STUB_ATTRIBUTE
{
    struct plain_m30__in _in = {0};
    int _err;
    remote_arg _pra[2];
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return (unsigned int)AEE_EINVHANDLE;
    }

    if (s == NULL) {
        return (unsigned int)AEE_EBADPARM;
    }
    _in.sLen = _text_size(s);
    _pra[0] = _buffer(&_in, sizeof(_in));
    _pra[1] = _buffer(s, _in.sLen * sizeof(*s));
    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 30, 2, 0, 0, 0),
        _pra);
    return (unsigned int)_err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m31)(unsigned char a, int64 b,
    unsigned char* c) __QAIC_STUB_ATTRIBUTE
{
    struct plain_m31__in _in = {0};
    struct plain_m31__out _out = {0};
    int _err;
    remote_arg _pra[2];
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    if (c == NULL) {
        return AEE_EBADPARM;
    }
    _in._mid = 31;
    _in.a = a;
    _in.b = b;
    _pra[0] = _buffer(&_in, sizeof(_in));
    _pra[1] = _buffer(&_out, sizeof(_out));
    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 31, 1, 1, 0, 0),
        _pra);
    if (_err == 0) {
        *c = _out.c;
    }
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(plain_m32)(void) __QAIC_STUB_ATTRIBUTE
{
    struct plain_m32__in _in = {0};
    int _err;
    remote_arg _pra[1];
    remote_handle _h = _plain_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _in._mid = 32;
    _pra[0] = _buffer(&_in, sizeof(_in));
    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 31, 1, 0, 0, 0),
        _pra);
    return _err;
}

/* lib_base_stub.c: the calling side of lib_base, generated from
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

/* The one handle of lib_base, opened at the first call and never closed; -1 when that
 * fails.  Of threads that open it at once, the first one's handle stays. */
__QAIC_STUB_EXPORT remote_handle _lib_base_handle(void);
__QAIC_STUB_EXPORT remote_handle _lib_base_handle(void)
{
    static remote_handle shared = (remote_handle)-1;
    remote_handle none = (remote_handle)-1;
    remote_handle own = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);

    if (own != none) {
        return own;
    }
    if (__QAIC_REMOTE(remote_handle_open)("lib_base", &own) != 0) {
        return none;
    }
    if (!__atomic_compare_exchange_n(&shared, &none, own, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        (void)__QAIC_REMOTE(remote_handle_close)(own);
        own = none;
    }
    return own;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m0)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m1)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 1, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m2)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 2, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m3)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 3, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m4)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 4, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m5)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 5, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m6)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 6, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m7)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 7, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m8)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 8, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m9)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 9, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m10)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 10, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m11)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 11, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m12)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 12, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m13)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 13, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m14)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 14, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m15)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 15, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m16)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 16, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m17)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 17, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m18)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 18, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m19)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 19, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m20)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 20, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m21)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 21, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m22)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 22, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m23)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 23, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m24)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 24, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m25)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 25, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m26)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 26, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m27)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 27, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(lib_base_m28)(void) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_handle _h = _lib_base_handle();

    if (_h == (remote_handle)-1) {
        return AEE_EINVHANDLE;
    }

    _err = __QAIC_REMOTE(remote_handle_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 28, 0, 0, 0, 0),
        NULL);
    return _err;
}

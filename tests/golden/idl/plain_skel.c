/* plain_skel.c: the called side of plain, generated from
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

/* The buffer has room for count elements of size bytes, and count fits an int. */
static inline int _holds(const remote_arg* arg, uint32_t count, size_t size)
{
    return count <= INT32_MAX && arg->buf.nLen / size >= count &&
           (arg->buf.pv != NULL || count == 0);
}

/* The buffer holds a text of count characters, the last one its terminator. */
static inline int _holds_text(const remote_arg* arg, uint32_t count)
{
    return count > 0 && _holds(arg, count, 1) && ((const char*)arg->buf.pv)[count - 1] == 0;
}

/* Copy a record out of its buffer. */
static inline int _read(void* record, const remote_arg* arg, size_t size)
{
    if (arg->buf.pv == NULL || arg->buf.nLen < size) {
        return 0;
    }
    memcpy(record, arg->buf.pv, size);
    return 1;
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

static int _skel_plain_m0(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m0)();
    return _err;
}

static int _skel_plain_m1(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m1)();
    return _err;
}

static int _skel_plain_m2(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m2)();
    return _err;
}

static int _skel_plain_m3(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m3)();
    return _err;
}

static int _skel_plain_m4(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m4)();
    return _err;
}

static int _skel_plain_m5(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m5)();
    return _err;
}

static int _skel_plain_m6(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m6)();
    return _err;
}

static int _skel_plain_m7(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m7)();
    return _err;
}

static int _skel_plain_m8(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m8)();
    return _err;
}

static int _skel_plain_m9(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m9)();
    return _err;
}

static int _skel_plain_m10(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m10)();
    return _err;
}

static int _skel_plain_m11(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m11)();
    return _err;
}

static int _skel_plain_m12(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m12)();
    return _err;
}

static int _skel_plain_m13(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m13)();
    return _err;
}

static int _skel_plain_m14(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m14)();
    return _err;
}

static int _skel_plain_m15(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m15)();
    return _err;
}

static int _skel_plain_m16(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m16)();
    return _err;
}

static int _skel_plain_m17(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m17)();
    return _err;
}

static int _skel_plain_m18(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m18)();
    return _err;
}

static int _skel_plain_m19(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m19)();
    return _err;
}

static int _skel_plain_m20(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m20)();
    return _err;
}

static int _skel_plain_m21(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m21)();
    return _err;
}

static int _skel_plain_m22(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m22)();
    return _err;
}

static int _skel_plain_m23(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m23)();
    return _err;
}

static int _skel_plain_m24(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m24)();
    return _err;
}

static int _skel_plain_m25(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m25)();
    return _err;
}

static int _skel_plain_m26(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m26)();
    return _err;
}

static int _skel_plain_m27(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m27)();
    return _err;
}

static int _skel_plain_m28(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m28)();
    return _err;
}

static int _skel_plain_m29(uint32_t _sc, remote_arg* _pra)
{
    struct plain_m29__in _in = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 1, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 4)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m29)(_in.a);
    return _err;
}

static int _skel_plain_m30(uint32_t _sc, remote_arg* _pra)
{
    struct plain_m30__in _in = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 2, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 4) ||
        !_holds_text(&_pra[1], _in.sLen)) {
        return AEE_EBADPARM;
    }
    _err = (int)__QAIC_IMPL(plain_m30)(_pra[1].buf.pv);
    return _err;
}

static int _skel_plain_m31(uint32_t _sc, remote_arg* _pra)
{
    struct plain_m31__in _in = {0};
    struct plain_m31__out _out = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 1, 1, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 16) ||
        !_holds(&_pra[1], 1, 1)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m31)(_in.a, _in.b, &_out.c);
    if (_err == 0) {
        memcpy(_pra[1].buf.pv, &_out, 1);
    }
    return _err;
}

static int _skel_plain_m32(uint32_t _sc, remote_arg* _pra)
{
    struct plain_m32__in _in = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 1, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 4)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(plain_m32)();
    return _err;
}

/* Method 31 in the scalars: the number is the first word of primIn. */
static int _skel_escaped(uint32_t _sc, remote_arg* _pra)
{
    uint32_t _mid;

    if (REMOTE_SCALARS_INBUFS(_sc) < 1 ||
        !_read(&_mid, &_pra[0], 4)) {
        return AEE_EBADPARM;
    }
    switch (_mid) {
    case 31:
        return _skel_plain_m31(_sc, _pra);
    case 32:
        return _skel_plain_m32(_sc, _pra);
    }
    return AEE_EUNSUPPORTED;
}

__attribute__((visibility("default"))) uint32_t plain_skel_invoke_qaic_version = 10051;

__QAIC_SKEL_EXPORT int __QAIC_SKEL(plain_skel_invoke)(uint32_t _sc,
    remote_arg* _pra) __QAIC_SKEL_ATTRIBUTE;
__QAIC_SKEL_EXPORT int __QAIC_SKEL(plain_skel_invoke)(uint32_t _sc,
    remote_arg* _pra) __QAIC_SKEL_ATTRIBUTE
{
    switch (REMOTE_SCALARS_METHOD(_sc)) {
    case 0:
        return _skel_plain_m0(_sc, _pra);
    case 1:
        return _skel_plain_m1(_sc, _pra);
    case 2:
        return _skel_plain_m2(_sc, _pra);
    case 3:
        return _skel_plain_m3(_sc, _pra);
    case 4:
        return _skel_plain_m4(_sc, _pra);
    case 5:
        return _skel_plain_m5(_sc, _pra);
    case 6:
        return _skel_plain_m6(_sc, _pra);
    case 7:
        return _skel_plain_m7(_sc, _pra);
    case 8:
        return _skel_plain_m8(_sc, _pra);
    case 9:
        return _skel_plain_m9(_sc, _pra);
    case 10:
        return _skel_plain_m10(_sc, _pra);
    case 11:
        return _skel_plain_m11(_sc, _pra);
    case 12:
        return _skel_plain_m12(_sc, _pra);
    case 13:
        return _skel_plain_m13(_sc, _pra);
    case 14:
        return _skel_plain_m14(_sc, _pra);
    case 15:
        return _skel_plain_m15(_sc, _pra);
    case 16:
        return _skel_plain_m16(_sc, _pra);
    case 17:
        return _skel_plain_m17(_sc, _pra);
    case 18:
        return _skel_plain_m18(_sc, _pra);
    case 19:
        return _skel_plain_m19(_sc, _pra);
    case 20:
        return _skel_plain_m20(_sc, _pra);
    case 21:
        return _skel_plain_m21(_sc, _pra);
    case 22:
        return _skel_plain_m22(_sc, _pra);
    case 23:
        return _skel_plain_m23(_sc, _pra);
    case 24:
        return _skel_plain_m24(_sc, _pra);
    case 25:
        return _skel_plain_m25(_sc, _pra);
    case 26:
        return _skel_plain_m26(_sc, _pra);
    case 27:
        return _skel_plain_m27(_sc, _pra);
    case 28:
        return _skel_plain_m28(_sc, _pra);
    case 29:
        return _skel_plain_m29(_sc, _pra);
    case 30:
        return _skel_plain_m30(_sc, _pra);
    case 31:
        return _skel_escaped(_sc, _pra);
    }
    return AEE_EUNSUPPORTED;
}

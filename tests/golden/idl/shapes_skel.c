/* shapes_skel.c: the called side of shapes, generated from
 * shapes.idl by buildtool idl; do not edit. */
#include "shapes.h"

/* The DSP's own look-up of a shared buffer's size; not 0 when it is not mapped. */
extern int adsp_mmap_fd_getinfo(int fd, uint32_t* size);

/* Says which IDL this was generated from: sha256 cd8fb33e26df8a0c... */
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
        0xcd, 0x8f, 0xb3, 0x3e, 0x26, 0xdf, 0x8a, 0x0c,
        0xb5, 0xed, 0x58, 0x4c, 0x57, 0x6e, 0x9d, 0x9e,
        0x83, 0xee, 0x4a, 0x8e, 0xdb, 0x07, 0x51, 0x9b,
        0x27, 0x8e, 0x41, 0xa4, 0xd2, 0x23, 0xd8, 0x75,
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

/* The buffer holds a wide text of count characters, the last one its terminator. */
static inline int _holds_wide(const remote_arg* arg, uint32_t count)
{
    const unsigned char* octets = (const unsigned char*)arg->buf.pv;
    return count > 0 && _holds(arg, count, 2) && octets[2 * (size_t)count - 1] == 0 &&
           octets[2 * (size_t)count - 2] == 0;
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

/* What came in of an inrout sequence goes where the result will be, unless it is there. */
static inline void _carry_over(const remote_arg* out, const remote_arg* in, size_t size)
{
    if (size > 0 && out->buf.pv != in->buf.pv) {
        memmove(out->buf.pv, in->buf.pv, size);
    }
}

/* Memory that lives as long as the call. */
typedef struct _Block {
    struct _Block* next;
    void* padding; /* what follows is aligned for any type */
} _Block;

/* A sequence whose elements have results to fetch after the call. */
typedef struct _Sequence {
    struct _Sequence* next;
    void* native;
    void* wire;
    uint32_t count;
} _Sequence;

/* A call whose number of buffers depends on its values.  After the first error
 * nothing more is taken. */
typedef struct {
    remote_arg *in, *in_end, *out, *out_end;
    const remote_arg *handles[2], *handles_end[2]; /* in, rout */
    _Block* blocks;
    _Sequence* first;
    _Sequence** last;
    int err;
} _Call;

static inline void _call_begin(_Call* call, uint32_t sc, remote_arg* pra)
{
    memset(call, 0, sizeof(*call));
    call->in = pra;
    call->out = pra + REMOTE_SCALARS_INBUFS(sc);
    call->in_end = call->out;
    call->out_end = call->out + REMOTE_SCALARS_OUTBUFS(sc);
    call->handles[0] = call->out_end;
    call->handles[1] = call->handles[0] + REMOTE_SCALARS_INHANDLES(sc);
    call->handles_end[0] = call->handles[1];
    call->handles_end[1] = call->handles[1] + REMOTE_SCALARS_OUTHANDLES(sc);
    call->last = &call->first;
}

/* Zeroed memory for count elements, NULL after an error. */
static inline void* _reserve(_Call* call, size_t count, size_t size)
{
    _Block* block = NULL;
    if (call->err == 0 && (size == 0 || count <= (SIZE_MAX - sizeof(_Block)) / size)) {
        block = (_Block*)calloc(1, sizeof(_Block) + count * size);
    }
    if (block == NULL) {
        call->err = call->err != 0 ? call->err : AEE_ENOMEMORY;
        return NULL;
    }
    block->next = call->blocks;
    call->blocks = block;
    return block + 1;
}

/* Note a sequence for the walk over the results. */
static inline void _remember(_Call* call, void* native, void* wire, uint32_t count)
{
    _Sequence* sequence = (_Sequence*)_reserve(call, 1, sizeof(*sequence));
    if (sequence != NULL) {
        sequence->native = native;
        sequence->wire = wire;
        sequence->count = count;
        *call->last = sequence;
        call->last = &sequence->next;
    }
}

/* The next noted sequence: the results are walked in the order of the notes. */
static inline _Sequence _recall(_Call* call)
{
    _Sequence sequence = *call->first;
    call->first = sequence.next;
    return sequence;
}

/* The next in buffer, which must have count elements; NULL after an error. */
static inline void* _take_in(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && (call->in == call->in_end || !_holds(call->in, count, size))) {
        call->err = AEE_EBADPARM;
    }
    return call->err == 0 ? (call->in++)->buf.pv : NULL;
}

/* The next rout buffer, which must have room for count elements; NULL after an error. */
static inline void* _take_out(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && (call->out == call->out_end || !_holds(call->out, count, size))) {
        call->err = AEE_EBADPARM;
    }
    return call->err == 0 ? (call->out++)->buf.pv : NULL;
}

/* The next in buffer as a text.  One of length 0 is empty and has no terminator to check. */
static inline char* _take_text(_Call* call, uint32_t count)
{
    static const char empty = 0;
    const remote_arg* arg = call->in;
    char* text = (char*)_take_in(call, count, 1);
    if (call->err == 0 && count == 0) {
        return (char*)(uintptr_t)&empty;
    }
    if (call->err == 0 && !_holds_text(arg, count)) {
        call->err = AEE_EBADPARM;
    }
    return text;
}

/* Memory for count elements, each of which takes at least one buffer more. */
static inline void* _take_elements(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && count > 255) {
        call->err = AEE_EBADPARM;
    }
    return _reserve(call, count, size);
}

/* The next shared buffers.  Their lengths are not sent: the DSP's mapping has them. */
static inline _dmahandle1_t* _take_dmas(_Call* call, int out, uint32_t count)
{
    _dmahandle1_t* dmas;
    if (call->err == 0 && count > (size_t)(call->handles_end[out] - call->handles[out])) {
        call->err = AEE_EBADPARM;
    }
    dmas = (_dmahandle1_t*)_reserve(call, count, sizeof(*dmas));
    for (uint32_t i = 0; call->err == 0 && i < count; i++) {
        const remote_arg* arg = call->handles[out]++;
        dmas[i].fd = arg->dma.fd;
        dmas[i].offset = arg->dma.offset;
        if (adsp_mmap_fd_getinfo(dmas[i].fd, &dmas[i].len) != 0) {
            call->err = AEE_EBADPARM;
        }
    }
    return dmas;
}

/* 0 when every buffer and handle of the call was taken. */
static inline int _call_end(const _Call* call)
{
    if (call->err == 0 && (call->in != call->in_end || call->out != call->out_end ||
                           call->handles[0] != call->handles_end[0] ||
                           call->handles[1] != call->handles_end[1])) {
        return AEE_EBADPARM;
    }
    return call->err;
}

static inline void _free_blocks(_Call* call)
{
    while (call->blocks != NULL) {
        _Block* next = call->blocks->next;
        free(call->blocks);
        call->blocks = next;
    }
}

_Static_assert(sizeof(point) == 16, "wire layout");

struct layer__in {
    uint32_t nameLen;                    /* at 0 */
    uint32_t valuesLen;                  /* at 4 */
    uint32_t pathLen;                    /* at 8 */
    filter kind;                         /* at 12 */
    uint8_t enabled;                     /* at 16 */
};
_Static_assert(sizeof(struct layer__in) == 20, "wire layout");

static void _in_layer(_Call* _call, const struct layer__in* w, layer* v)
{
    v->name = _take_text(_call, w->nameLen);
    v->nameLen = (int)w->nameLen;
    v->values = _take_in(_call, w->valuesLen, sizeof(*v->values));
    v->valuesLen = (int)w->valuesLen;
    v->path = _take_in(_call, w->pathLen, sizeof(*v->path));
    v->pathLen = (int)w->pathLen;
    v->kind = w->kind;
    v->enabled = w->enabled != 0;
}

struct _cstring1_t__in {
    uint32_t dataLen;                    /* at 0 */
};
_Static_assert(sizeof(struct _cstring1_t__in) == 4, "wire layout");

static void _in__cstring1_t(_Call* _call, const struct _cstring1_t__in* w, _cstring1_t* v)
{
    v->data = _take_text(_call, w->dataLen);
    v->dataLen = (int)w->dataLen;
}

struct graph_node__in {
    struct layer__in own;                /* at 0 */
    uint32_t tagsLen;                    /* at 20 */
};
_Static_assert(sizeof(struct graph_node__in) == 24, "wire layout");

static void _in_graph_node(_Call* _call, const struct graph_node__in* w, graph_node* v)
{
    _in_layer(_call, &w->own, &v->own);
    {
        const char* _records = _take_in(_call, w->tagsLen, sizeof(struct _cstring1_t__in));
        v->tags = _take_elements(_call, w->tagsLen, sizeof(*v->tags));
        v->tagsLen = (int)w->tagsLen;
        for (uint32_t _i = 0; _call->err == 0 && _i < w->tagsLen; _i++) {
            struct _cstring1_t__in _record;
            memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));
            _in__cstring1_t(_call, &_record, &v->tags[_i]);
        }
    }
}

struct weights__in {
    uint32_t dataLen;                    /* at 0 */
};
_Static_assert(sizeof(struct weights__in) == 4, "wire layout");

static void _in_weights(_Call* _call, const struct weights__in* w, weights* v)
{
    v->data = _take_in(_call, w->dataLen, sizeof(*v->data));
    v->dataLen = (int)w->dataLen;
}

struct layer__room {
    uint32_t nameLen;                    /* at 0 */
    uint32_t valuesLen;                  /* at 4 */
    uint32_t pathLen;                    /* at 8 */
};
_Static_assert(sizeof(struct layer__room) == 12, "wire layout");

struct layer__out {
    filter kind;                         /* at 0 */
    boolean enabled;                     /* at 4 */
};
_Static_assert(sizeof(struct layer__out) == 8, "wire layout");

static void _room_layer(_Call* _call, const struct layer__room* w, layer* v)
{
    v->name = _take_out(_call, w->nameLen, sizeof(*v->name));
    v->nameLen = (int)w->nameLen;
    v->values = _take_out(_call, w->valuesLen, sizeof(*v->values));
    v->valuesLen = (int)w->valuesLen;
    v->path = _take_out(_call, w->pathLen, sizeof(*v->path));
    v->pathLen = (int)w->pathLen;
}

static void _give_layer(struct layer__out* w, const layer* v)
{
    w->kind = v->kind;
    w->enabled = v->enabled;
}

struct _cstring1_t__room {
    uint32_t dataLen;                    /* at 0 */
};
_Static_assert(sizeof(struct _cstring1_t__room) == 4, "wire layout");

static void _room__cstring1_t(_Call* _call, const struct _cstring1_t__room* w, _cstring1_t* v)
{
    v->data = _take_out(_call, w->dataLen, sizeof(*v->data));
    v->dataLen = (int)w->dataLen;
}

struct graph_node__room {
    struct layer__room own;              /* at 0 */
    uint32_t tagsLen;                    /* at 12 */
};
_Static_assert(sizeof(struct graph_node__room) == 16, "wire layout");

struct graph_node__out {
    struct layer__out own;               /* at 0 */
};
_Static_assert(sizeof(struct graph_node__out) == 8, "wire layout");

static void _room_graph_node(_Call* _call, const struct graph_node__room* w, graph_node* v)
{
    _room_layer(_call, &w->own, &v->own);
    {
        const char* _records = _take_in(_call, w->tagsLen, sizeof(struct _cstring1_t__room));
        v->tags = _take_elements(_call, w->tagsLen, sizeof(*v->tags));
        v->tagsLen = (int)w->tagsLen;
        for (uint32_t _i = 0; _call->err == 0 && _i < w->tagsLen; _i++) {
            struct _cstring1_t__room _record;
            memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));
            _room__cstring1_t(_call, &_record, &v->tags[_i]);
        }
    }
}

static void _give_graph_node(struct graph_node__out* w, const graph_node* v)
{
    _give_layer(&w->own, &v->own);
}

struct shapes_open__in {
    uint32_t uriLen;                     /* at 0 */
};
_Static_assert(sizeof(struct shapes_open__in) == 4, "wire layout");

struct shapes_flat__in {
    int64 count;                         /* at 0 */
    uint8_t on;                          /* at 8 */
    filter how;                          /* at 12 */
    point where;                         /* at 16 */
    digest key;                          /* at 32 */
    int total;                           /* at 64 */
};
_Static_assert(sizeof(struct shapes_flat__in) == 72, "wire layout");

struct shapes_flat__out {
    short status;                        /* at 0 */
    point there;                         /* at 8 */
    boolean done;                        /* at 24 */
    int total;                           /* at 28 */
};
_Static_assert(sizeof(struct shapes_flat__out) == 32, "wire layout");

struct shapes_arrays__in {
    uint32_t fromLen;                    /* at 0 */
    uint32_t toLen;                      /* at 4 */
    uint32_t bytesInLen;                 /* at 8 */
    uint32_t bytesRoutLen;               /* at 12 */
    uint32_t nameLen;                    /* at 16 */
    uint32_t answerLen;                  /* at 20 */
    uint32_t wideLen;                    /* at 24 */
    uint32_t textInLen;                  /* at 28 */
    uint32_t textRoutLen;                /* at 32 */
};
_Static_assert(sizeof(struct shapes_arrays__in) == 36, "wire layout");

struct shapes_shared_many__in {
    uint32_t inputsLen;                  /* at 0 */
    uint32_t outputsLen;                 /* at 4 */
};
_Static_assert(sizeof(struct shapes_shared_many__in) == 8, "wire layout");

struct shapes_nested__in {
    struct graph_node__in one;           /* at 0 */
    uint32_t manyLen;                    /* at 24 */
    struct layer__room back;             /* at 28 */
    uint32_t out_Len;                    /* at 40 */
    uint32_t rowsLen;                    /* at 44 */
};
_Static_assert(sizeof(struct shapes_nested__in) == 48, "wire layout");

struct shapes_nested__out {
    struct layer__out back;              /* at 0 */
};
_Static_assert(sizeof(struct shapes_nested__out) == 8, "wire layout");

struct shapes_later__in {
    uint32_t inputLen;                   /* at 0 */
    uint32_t outputLen;                  /* at 4 */
};
_Static_assert(sizeof(struct shapes_later__in) == 8, "wire layout");

/* Whether the URI's _idlver is above 1.2.3, malformed or not there at all. */
static int _stub_is_newer(const char* uri)
{
    static const unsigned own[3] = {1, 2, 3};
    unsigned theirs[3] = {0, 0, 0};
    int part = 0;
    const char* at = strstr(uri, "_idlver=");

    if (at == NULL) {
        return 1;
    }
    for (at += strlen("_idlver="); *at != '\0' && *at != '&'; at++) {
        if (*at == '.' && part < 2) {
            part++;
        } else if (*at >= '0' && *at <= '9' && theirs[part] < 100) {
            theirs[part] = theirs[part] * 10u + (unsigned)(*at - '0');
        } else {
            return 1;
        }
    }
    for (part = 0; part < 3; part++) {
        if (theirs[part] != own[part]) {
            return theirs[part] > own[part];
        }
    }
    return 0;
}

static int _skel_shapes_open(uint32_t _sc, remote_arg* _pra)
{
    struct shapes_open__in _in = {0};
    remote_handle64 h = 0;
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 2, 0, 0, 1)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 4) ||
        !_holds_text(&_pra[1], _in.uriLen)) {
        return AEE_EBADPARM;
    }
    if (_stub_is_newer((const char*)_pra[1].buf.pv)) {
        return AEE_ESTUBSKELVERMISMATCH;
    }
    _err = __QAIC_IMPL(shapes_open)(_pra[1].buf.pv, &h);
    if (_err == 0) {
        _pra[2].h64 = h;
    }
    return _err;
}

static int _skel_shapes_close(uint32_t _sc, remote_arg* _pra)
{
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 1, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(shapes_close)(_pra[0].h64);
    return _err;
}

static int _skel_shapes_flat(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    struct shapes_flat__in _in = {0};
    struct shapes_flat__out _out = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 1, 1, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 68) ||
        !_holds(&_pra[1], 32, 1)) {
        return AEE_EBADPARM;
    }
    _out.total = _in.total;
    _err = __QAIC_IMPL(shapes_flat)(_h, _in.count, _in.on != 0, _in.how, &_in.where, _in.key,
        &_out.status, &_out.there, &_out.done, &_out.total);
    if (_err == 0) {
        memcpy(_pra[1].buf.pv, &_out, 32);
    }
    return _err;
}

static int _skel_shapes_arrays(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    struct shapes_arrays__in _in = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 6, 4, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 36) ||
        !_holds(&_pra[1], _in.fromLen, 16) ||
        !_holds(&_pra[6], _in.toLen, 4) ||
        !_holds(&_pra[2], _in.bytesInLen, 1) ||
        !_holds(&_pra[7], _in.bytesRoutLen, 1) ||
        _in.bytesInLen > _in.bytesRoutLen ||
        !_holds_text(&_pra[3], _in.nameLen) ||
        !_holds(&_pra[8], _in.answerLen, 1) ||
        !_holds_wide(&_pra[4], _in.wideLen) ||
        (_in.textRoutLen > 0 && !_holds_text(&_pra[5], _in.textInLen)) ||
        !_holds(&_pra[9], _in.textRoutLen, 1) ||
        _in.textInLen > _in.textRoutLen) {
        return AEE_EBADPARM;
    }
    _carry_over(&_pra[7], &_pra[2], (size_t)_in.bytesInLen * 1);
    _carry_over(&_pra[9], &_pra[5], (size_t)_in.textInLen * 1);
    _err = __QAIC_IMPL(shapes_arrays)(_h, _pra[1].buf.pv, (int)_in.fromLen, _pra[6].buf.pv,
        (int)_in.toLen, _pra[7].buf.pv, (int)_in.bytesRoutLen, _pra[3].buf.pv, _pra[8].buf.pv,
        (int)_in.answerLen, _pra[4].buf.pv, _pra[9].buf.pv, (int)_in.textRoutLen);
    return _err;
}

static int _skel_shapes_shared(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    uint32_t inputLen = 0;
    uint32_t outputLen = 0;
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 1, 1)) {
        return AEE_EBADPARM;
    }
    if (adsp_mmap_fd_getinfo(_pra[0].dma.fd, &inputLen) != 0 ||
        adsp_mmap_fd_getinfo(_pra[1].dma.fd, &outputLen) != 0) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(shapes_shared)(_h, _pra[0].dma.fd, _pra[0].dma.offset, inputLen,
        _pra[1].dma.fd, _pra[1].dma.offset, outputLen);
    return _err;
}

static int _skel_shapes_shared_many(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    struct shapes_shared_many__in _in = {0};
    int _err;
    _Call _call[1];
    _dmahandle1_t* inputs;
    int inputsLen;
    _dmahandle1_t* outputs;
    int outputsLen;
    const _dmahandle1_t* last;

    _call_begin(_call, _sc, _pra);
    if (_call->in != _call->in_end && _read(&_in, _call->in, 8)) {
        _call->in++;
    } else {
        _call->err = AEE_EBADPARM;
    }
    inputs = _take_dmas(_call, 0, _in.inputsLen);
    inputsLen = (int)_in.inputsLen;
    outputs = _take_dmas(_call, 1, _in.outputsLen);
    outputsLen = (int)_in.outputsLen;
    last = _take_dmas(_call, 0, 1);
    _err = _call_end(_call);
    if (_err == 0) {
        _err = __QAIC_IMPL(shapes_shared_many)(_h, inputs, inputsLen, outputs, outputsLen, last->fd,
            last->offset, last->len);
    }
    _free_blocks(_call);
    return _err;
}

static int _skel_shapes_nested(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    struct shapes_nested__in _in = {0};
    struct shapes_nested__out _out = {0};
    int _err;
    _Call _call[1];
    void* _result;
    graph_node one;
    graph_node* many;
    int manyLen;
    layer back;
    graph_node* out_;
    int out_Len;
    weights* rows;
    int rowsLen;

    _call_begin(_call, _sc, _pra);
    if (_call->in != _call->in_end && _read(&_in, _call->in, 48)) {
        _call->in++;
    } else {
        _call->err = AEE_EBADPARM;
    }
    _result = _take_out(_call, 1, 8);
    memset(&one, 0, sizeof(one));
    _in_graph_node(_call, &_in.one, &one);
    {
        const char* _records = _take_in(_call, _in.manyLen, sizeof(struct graph_node__in));
        many = _take_elements(_call, _in.manyLen, sizeof(*many));
        manyLen = (int)_in.manyLen;
        for (uint32_t _i = 0; _call->err == 0 && _i < _in.manyLen; _i++) {
            struct graph_node__in _record;
            memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));
            _in_graph_node(_call, &_record, &many[_i]);
        }
    }
    memset(&back, 0, sizeof(back));
    _room_layer(_call, &_in.back, &back);
    {
        const char* _records = _take_in(_call, _in.out_Len, sizeof(struct graph_node__room));
        void* _results = _take_out(_call, _in.out_Len, sizeof(struct graph_node__out));
        out_ = _take_elements(_call, _in.out_Len, sizeof(*out_));
        out_Len = (int)_in.out_Len;
        _remember(_call, out_, _results, _in.out_Len);
        for (uint32_t _i = 0; _call->err == 0 && _i < _in.out_Len; _i++) {
            struct graph_node__room _record;
            memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));
            _room_graph_node(_call, &_record, &out_[_i]);
        }
    }
    {
        const char* _records = _take_in(_call, _in.rowsLen, sizeof(struct weights__in));
        rows = _take_elements(_call, _in.rowsLen, sizeof(*rows));
        rowsLen = (int)_in.rowsLen;
        for (uint32_t _i = 0; _call->err == 0 && _i < _in.rowsLen; _i++) {
            struct weights__in _record;
            memcpy(&_record, _records + _i * sizeof(_record), sizeof(_record));
            _in_weights(_call, &_record, &rows[_i]);
        }
    }
    _err = _call_end(_call);
    if (_err == 0) {
        _err = __QAIC_IMPL(shapes_nested)(_h, &one, many, manyLen, &back, out_, out_Len, rows,
            rowsLen);
    }
    if (_err == 0) {
        _give_layer(&_out.back, &back);
        {
            _Sequence _all = _recall(_call);
            const graph_node* _values = (const graph_node*)_all.native;
            char* _results = (char*)_all.wire;
            for (uint32_t _i = 0; _i < _all.count; _i++) {
                struct graph_node__out _record = {0};
                _give_graph_node(&_record, &_values[_i]);
                memcpy(_results + _i * sizeof(_record), &_record, sizeof(_record));
            }
        }
        memcpy(_result, &_out, 8);
    }
    _free_blocks(_call);
    return _err;
}

static int _skel_shapes_nothing(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    int _err;

    (void)_pra;
    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 0, 0, 0, 0)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(shapes_nothing)(_h);
    return _err;
}

static int _skel_shapes_later(remote_handle64 _h, uint32_t _sc, remote_arg* _pra)
{
    struct shapes_later__in _in = {0};
    int _err;

    if ((_sc & 0x00ffffffu) != REMOTE_SCALARS_MAKEX(0, 0, 2, 1, 0, 0)) {
        return AEE_EBADPARM;
    }
    if (!_read(&_in, &_pra[0], 8) ||
        !_holds(&_pra[1], _in.inputLen, 1) ||
        !_holds(&_pra[2], _in.outputLen, 1)) {
        return AEE_EBADPARM;
    }
    _err = __QAIC_IMPL(shapes_later)(_h, NULL, _pra[1].buf.pv, (int)_in.inputLen,
        _pra[2].buf.pv, (int)_in.outputLen);
    return _err;
}

__attribute__((visibility("default"))) uint32_t shapes_skel_handle_invoke_qaic_version = 10051;
__attribute__((visibility("default"))) char shapes_skel_handle_invoke_uri[] =
    "file:///libshapes_skel.so?shapes_skel_handle_invoke&_modver=1.0&_idlver=1.2.3";

__QAIC_SKEL_EXPORT int __QAIC_SKEL(shapes_skel_handle_invoke)(remote_handle64 _h, uint32_t _sc,
    remote_arg* _pra) __QAIC_SKEL_ATTRIBUTE;
__QAIC_SKEL_EXPORT int __QAIC_SKEL(shapes_skel_handle_invoke)(remote_handle64 _h, uint32_t _sc,
    remote_arg* _pra) __QAIC_SKEL_ATTRIBUTE
{
    switch (REMOTE_SCALARS_METHOD(_sc)) {
    case 0:
        return _skel_shapes_open(_sc, _pra);
    case 1:
        return _skel_shapes_close(_sc, _pra);
    case 2:
        return _skel_shapes_flat(_h, _sc, _pra);
    case 3:
        return _skel_shapes_arrays(_h, _sc, _pra);
    case 4:
        return _skel_shapes_shared(_h, _sc, _pra);
    case 5:
        return _skel_shapes_shared_many(_h, _sc, _pra);
    case 6:
        return _skel_shapes_nested(_h, _sc, _pra);
    case 7:
        return _skel_shapes_nothing(_h, _sc, _pra);
    case 8:
        return _skel_shapes_later(_h, _sc, _pra);
    }
    return AEE_EUNSUPPORTED;
}

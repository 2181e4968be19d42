/* shapes_stub.c: the calling side of shapes, generated from
 * shapes.idl by buildtool idl; do not edit. */
#include "shapes.h"

/* Older libraries lack these: then an async method is AEE_EUNSUPPORTED. */
#pragma weak remote_handle64_invoke_async
#pragma weak remote_handle_invoke_async

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

/* A length that is not negative, and data unless it is 0. */
static inline int _is_array(const void* data, int count)
{
    return count >= 0 && (data != NULL || count == 0);
}

/* Characters of a text, terminator included. */
static inline uint32_t _text_size(const char* text)
{
    return (uint32_t)strlen(text) + 1u;
}

/* Characters of a wide text, terminator included. */
static inline uint32_t _wide_size(const _wchar_t* text)
{
    uint32_t size = 0;
    while (text[size] != 0) {
        size++;
    }
    return size + 1u;
}

/* Characters of the text in an array, terminator included; 0 without a terminator. */
static inline uint32_t _text_size_within(const char* text, int room)
{
    for (int i = 0; i < room; i++) {
        if (text[i] == 0) {
            return (uint32_t)i + 1u;
        }
    }
    return 0;
}

/* One argument of a call.  In buffers are only read, so const may go. */
static inline remote_arg _buffer(const void* data, size_t size)
{
    remote_arg arg;
    arg.buf.pv = (void*)(uintptr_t)data;
    arg.buf.nLen = size;
    return arg;
}

/* A shared buffer as an argument. */
static inline remote_arg _dma(int fd, uint32_t offset)
{
    remote_arg arg = _buffer(NULL, 0);
    arg.dma.fd = fd;
    arg.dma.offset = offset;
    return arg;
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
 * nothing more is added. */
typedef struct {
    remote_arg args[255 + 255 + 15 + 15]; /* the in buffers, at last the others behind them */
    remote_arg outs[255];
    remote_arg handles[2][15]; /* in, rout */
    uint32_t n_args, n_outs, n_handles[2];
    _Block* blocks;
    _Sequence* first;
    _Sequence** last;
    int err;
} _Call;

static inline _Call* _call_new(void)
{
    _Call* call = (_Call*)calloc(1, sizeof(*call));
    if (call != NULL) {
        call->last = &call->first;
    }
    return call;
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

/* Add an in buffer; returns the number of elements as it goes on the wire. */
static inline uint32_t _add_in(_Call* call, const void* data, int count, size_t size)
{
    if (call->err == 0 && !_is_array(data, count)) {
        call->err = AEE_EBADPARM;
    } else if (call->err == 0 && call->n_args == 255) {
        call->err = AEE_EUNSUPPORTED;
    }
    if (call->err == 0) {
        call->args[call->n_args++] = _buffer(data, (size_t)count * size);
    }
    return (uint32_t)count;
}

/* Add a rout buffer; returns its room in elements as it goes on the wire. */
static inline uint32_t _add_out(_Call* call, void* data, int count, size_t size)
{
    if (call->err == 0 && !_is_array(data, count)) {
        call->err = AEE_EBADPARM;
    } else if (call->err == 0 && call->n_outs == 255) {
        call->err = AEE_EUNSUPPORTED;
    }
    if (call->err == 0) {
        call->outs[call->n_outs++] = _buffer(data, (size_t)count * size);
    }
    return (uint32_t)count;
}

/* Add a text; NULL is a text of length 0, and then its length must say so. */
static inline uint32_t _add_text(_Call* call, const char* text, int count)
{
    return _add_in(call, text, text != NULL ? (int)_text_size(text) : count, 1);
}

/* Add an in buffer for the records of a native array; NULL after an error. */
static inline void* _add_in_records(_Call* call, const void* native, int count, size_t size)
{
    void* records = NULL;
    if (!_is_array(native, count)) {
        call->err = call->err != 0 ? call->err : AEE_EBADPARM;
    } else {
        records = _reserve(call, (size_t)count, size);
        _add_in(call, records, count, size);
    }
    return records;
}

/* Add a rout buffer for the results of count elements; NULL after an error. */
static inline void* _add_out_records(_Call* call, int count, size_t size)
{
    void* records = count >= 0 ? _reserve(call, (size_t)count, size) : NULL;
    _add_out(call, records, count, size);
    return records;
}

/* Add a shared buffer, which the library registers. */
static inline void _add_dma(_Call* call, int out, int fd, uint32_t offset, uint32_t length)
{
    if (call->err == 0 && call->n_handles[out] == 15) {
        call->err = AEE_EBADPARM;
    }
    if (call->err == 0 && __QAIC_REMOTE(remote_register_dma_handle)(fd, length) != 0) {
        call->err = AEE_EBADPARM;
    }
    if (call->err == 0) {
        call->handles[out][call->n_handles[out]++] = _dma(fd, offset);
    }
}

/* Add a sequence of shared buffers; returns its length as it goes on the wire. */
static inline uint32_t _add_dmas(_Call* call, int out, const _dmahandle1_t* dmas, int count)
{
    if (call->err == 0 &&
        (!_is_array(dmas, count) || (uint32_t)count > 15 - call->n_handles[out])) {
        call->err = AEE_EBADPARM;
    }
    for (int i = 0; call->err == 0 && i < count; i++) {
        _add_dma(call, out, dmas[i].fd, dmas[i].offset, dmas[i].len);
    }
    return (uint32_t)count;
}

/* The arguments in the order of the wire. */
static inline remote_arg* _call_args(_Call* call)
{
    remote_arg* end = call->args + call->n_args;
    memcpy(end, call->outs, call->n_outs * sizeof(*end));
    end += call->n_outs;
    memcpy(end, call->handles[0], call->n_handles[0] * sizeof(*end));
    end += call->n_handles[0];
    memcpy(end, call->handles[1], call->n_handles[1] * sizeof(*end));
    return call->args;
}

/* The scalars of a call of the method, or of the escape, `method`. */
static inline uint32_t _call_scalars(const _Call* call, uint32_t method)
{
    return REMOTE_SCALARS_MAKEX(0, method, call->n_args, call->n_outs, call->n_handles[0],
                                call->n_handles[1]);
}

static inline void _free_blocks(_Call* call)
{
    while (call->blocks != NULL) {
        _Block* next = call->blocks->next;
        free(call->blocks);
        call->blocks = next;
    }
}

static inline void _call_free(_Call* call)
{
    _free_blocks(call);
    free(call);
}

_Static_assert(sizeof(point) == 16, "wire layout");

struct layer__in {
    uint32_t nameLen;                    /* at 0 */
    uint32_t valuesLen;                  /* at 4 */
    uint32_t pathLen;                    /* at 8 */
    filter kind;                         /* at 12 */
    boolean enabled;                     /* at 16 */
};
_Static_assert(sizeof(struct layer__in) == 20, "wire layout");

static void _in_layer(_Call* _call, struct layer__in* w, const layer* v)
{
    w->nameLen = _add_text(_call, v->name, v->nameLen);
    w->valuesLen = _add_in(_call, v->values, v->valuesLen, sizeof(*v->values));
    w->pathLen = _add_in(_call, v->path, v->pathLen, sizeof(*v->path));
    w->kind = v->kind;
    w->enabled = v->enabled;
}

struct _cstring1_t__in {
    uint32_t dataLen;                    /* at 0 */
};
_Static_assert(sizeof(struct _cstring1_t__in) == 4, "wire layout");

static void _in__cstring1_t(_Call* _call, struct _cstring1_t__in* w, const _cstring1_t* v)
{
    w->dataLen = _add_text(_call, v->data, v->dataLen);
}

struct graph_node__in {
    struct layer__in own;                /* at 0 */
    uint32_t tagsLen;                    /* at 20 */
};
_Static_assert(sizeof(struct graph_node__in) == 24, "wire layout");

static void _in_graph_node(_Call* _call, struct graph_node__in* w, const graph_node* v)
{
    _in_layer(_call, &w->own, &v->own);
    w->tagsLen = (uint32_t)v->tagsLen;
    {
        struct _cstring1_t__in* _records = (struct _cstring1_t__in*)
            _add_in_records(_call, v->tags, v->tagsLen, sizeof(struct _cstring1_t__in));
        for (int _i = 0; _call->err == 0 && _i < v->tagsLen; _i++) {
            _in__cstring1_t(_call, &_records[_i], &v->tags[_i]);
        }
    }
}

struct weights__in {
    uint32_t dataLen;                    /* at 0 */
};
_Static_assert(sizeof(struct weights__in) == 4, "wire layout");

static void _in_weights(_Call* _call, struct weights__in* w, const weights* v)
{
    w->dataLen = _add_in(_call, v->data, v->dataLen, sizeof(*v->data));
}

struct layer__room {
    uint32_t nameLen;                    /* at 0 */
    uint32_t valuesLen;                  /* at 4 */
    uint32_t pathLen;                    /* at 8 */
};
_Static_assert(sizeof(struct layer__room) == 12, "wire layout");

struct layer__out {
    filter kind;                         /* at 0 */
    uint8_t enabled;                     /* at 4 */
};
_Static_assert(sizeof(struct layer__out) == 8, "wire layout");

static void _room_layer(_Call* _call, struct layer__room* w, layer* v)
{
    w->nameLen = _add_out(_call, v->name, v->nameLen, sizeof(*v->name));
    w->valuesLen = _add_out(_call, v->values, v->valuesLen, sizeof(*v->values));
    w->pathLen = _add_out(_call, v->path, v->pathLen, sizeof(*v->path));
}

static void _fetch_layer(const struct layer__out* w, layer* v)
{
    if (v->nameLen > 0) {
        v->name[v->nameLen - 1] = 0;
    }
    v->kind = w->kind;
    v->enabled = w->enabled != 0;
}

struct _cstring1_t__room {
    uint32_t dataLen;                    /* at 0 */
};
_Static_assert(sizeof(struct _cstring1_t__room) == 4, "wire layout");

static void _room__cstring1_t(_Call* _call, struct _cstring1_t__room* w, _cstring1_t* v)
{
    w->dataLen = _add_out(_call, v->data, v->dataLen, sizeof(*v->data));
}

static void _fetch__cstring1_t(_cstring1_t* v)
{
    if (v->dataLen > 0) {
        v->data[v->dataLen - 1] = 0;
    }
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

static void _room_graph_node(_Call* _call, struct graph_node__room* w, graph_node* v)
{
    _room_layer(_call, &w->own, &v->own);
    w->tagsLen = (uint32_t)v->tagsLen;
    {
        struct _cstring1_t__room* _rooms = (struct _cstring1_t__room*)
            _add_in_records(_call, v->tags, v->tagsLen, sizeof(struct _cstring1_t__room));
        _remember(_call, v->tags, NULL, (uint32_t)v->tagsLen);
        for (int _i = 0; _call->err == 0 && _i < v->tagsLen; _i++) {
            _room__cstring1_t(_call, &_rooms[_i], &v->tags[_i]);
        }
    }
}

static void _fetch_graph_node(_Call* _call, const struct graph_node__out* w, graph_node* v)
{
    _fetch_layer(&w->own, &v->own);
    {
        _Sequence _all = _recall(_call);
        _cstring1_t* _values = (_cstring1_t*)_all.native;
        for (uint32_t _i = 0; _i < _all.count; _i++) {
            _fetch__cstring1_t(&_values[_i]);
        }
    }
}

struct shapes_flat__in {
    int64 count;                         /* at 0 */
    boolean on;                          /* at 8 */
    filter how;                          /* at 12 */
    point where;                         /* at 16 */
    digest key;                          /* at 32 */
    int total;                           /* at 64 */
};
_Static_assert(sizeof(struct shapes_flat__in) == 72, "wire layout");

struct shapes_flat__out {
    short status;                        /* at 0 */
    point there;                         /* at 8 */
    uint8_t done;                        /* at 24 */
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

__QAIC_STUB_EXPORT int __QAIC_STUB(shapes_open)(const char* uri,
    remote_handle64* h) __QAIC_STUB_ATTRIBUTE
{
    return __QAIC_REMOTE(remote_handle64_open)(uri, h);
}

__QAIC_STUB_EXPORT int __QAIC_STUB(shapes_close)(remote_handle64 h) __QAIC_STUB_ATTRIBUTE
{
    return __QAIC_REMOTE(remote_handle64_close)(h);
}

__QAIC_STUB_EXPORT AEEResult __QAIC_STUB(shapes_flat)(remote_handle64 _h, int64 count, boolean on,
    filter how, const point* where, const digest key, short* status, point* there, boolean* done,
    int* total) __QAIC_STUB_ATTRIBUTE
{
    struct shapes_flat__in _in = {0};
    struct shapes_flat__out _out = {0};
    int _err;
    remote_arg _pra[2];

    if (where == NULL ||
        key == NULL ||
        status == NULL ||
        there == NULL ||
        done == NULL ||
        total == NULL) {
        return AEE_EBADPARM;
    }
    _in.count = count;
    _in.on = on;
    _in.how = how;
    _in.where = *where;
    memcpy(_in.key, key, 32);
    _in.total = *total;
    _pra[0] = _buffer(&_in, sizeof(_in));
    _pra[1] = _buffer(&_out, sizeof(_out));
    _err = __QAIC_REMOTE(remote_handle64_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 2, 1, 1, 0, 0),
        _pra);
    if (_err == 0) {
        *status = _out.status;
        *there = _out.there;
        *done = _out.done != 0;
        *total = _out.total;
    }
    return _err;
}

__QAIC_STUB_EXPORT AEEResult __QAIC_STUB(shapes_arrays)(remote_handle64 _h, const point* from,
    int fromLen, float* to, int toLen, unsigned char* bytes, int bytesLen, const char* name,
    char* answer, int answerLen, const _wchar_t* wide, char* text,
    int textLen) __QAIC_STUB_ATTRIBUTE
{
    struct shapes_arrays__in _in = {0};
    int _err;
    remote_arg _pra[10];

    if (!_is_array(from, fromLen) ||
        !_is_array(to, toLen) ||
        !_is_array(bytes, bytesLen) ||
        name == NULL ||
        !_is_array(answer, answerLen) ||
        wide == NULL ||
        !_is_array(text, textLen) ||
        (textLen > 0 && _text_size_within(text, textLen) == 0)) {
        return AEE_EBADPARM;
    }
    _in.fromLen = (uint32_t)fromLen;
    _in.toLen = (uint32_t)toLen;
    _in.bytesInLen = (uint32_t)bytesLen;
    _in.bytesRoutLen = (uint32_t)bytesLen;
    _in.nameLen = _text_size(name);
    _in.answerLen = (uint32_t)answerLen;
    _in.wideLen = _wide_size(wide);
    _in.textInLen = _text_size_within(text, textLen);
    _in.textRoutLen = (uint32_t)textLen;
    _pra[0] = _buffer(&_in, sizeof(_in));
    _pra[1] = _buffer(from, (size_t)fromLen * sizeof(*from));
    _pra[2] = _buffer(bytes, (size_t)bytesLen * sizeof(*bytes));
    _pra[3] = _buffer(name, _in.nameLen * sizeof(*name));
    _pra[4] = _buffer(wide, _in.wideLen * sizeof(*wide));
    _pra[5] = _buffer(text, _in.textInLen * sizeof(*text));
    _pra[6] = _buffer(to, (size_t)toLen * sizeof(*to));
    _pra[7] = _buffer(bytes, (size_t)bytesLen * sizeof(*bytes));
    _pra[8] = _buffer(answer, (size_t)answerLen * sizeof(*answer));
    _pra[9] = _buffer(text, (size_t)textLen * sizeof(*text));
    _err = __QAIC_REMOTE(remote_handle64_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 3, 6, 4, 0, 0),
        _pra);
    if (_err == 0) {
        if (answerLen > 0) {
            answer[answerLen - 1] = 0;
        }
        if (textLen > 0) {
            text[textLen - 1] = 0;
        }
    }
    return _err;
}

__QAIC_STUB_EXPORT AEEResult __QAIC_STUB(shapes_shared)(remote_handle64 _h, int input,
    uint32_t inputOffset, uint32_t inputLen, int output, uint32_t outputOffset,
    uint32_t outputLen) __QAIC_STUB_ATTRIBUTE
{
    int _err;
    remote_arg _pra[2];

    if (__QAIC_REMOTE(remote_register_dma_handle)(input, inputLen) != 0 ||
        __QAIC_REMOTE(remote_register_dma_handle)(output, outputLen) != 0) {
        return AEE_EBADPARM;
    }
    _pra[0] = _dma(input, inputOffset);
    _pra[1] = _dma(output, outputOffset);
    _err = __QAIC_REMOTE(remote_handle64_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 4, 0, 0, 1, 1),
        _pra);
    return _err;
}

__QAIC_STUB_EXPORT AEEResult __QAIC_STUB(shapes_shared_many)(remote_handle64 _h,
    const _dmahandle1_t* inputs, int inputsLen, _dmahandle1_t* outputs, int outputsLen, int last,
    uint32_t lastOffset, uint32_t lastLen) __QAIC_STUB_ATTRIBUTE
{
    struct shapes_shared_many__in _in = {0};
    int _err;
    _Call* _call;

    if (!_is_array(inputs, inputsLen) ||
        !_is_array(outputs, outputsLen)) {
        return AEE_EBADPARM;
    }
    _call = _call_new();
    if (_call == NULL) {
        return AEE_ENOMEMORY;
    }
    _add_in(_call, &_in, 1, sizeof(_in));
    _in.inputsLen = _add_dmas(_call, 0, inputs, inputsLen);
    _in.outputsLen = _add_dmas(_call, 1, outputs, outputsLen);
    _add_dma(_call, 0, last, lastOffset, lastLen);
    _err = _call->err;
    if (_err == 0) {
        _err = __QAIC_REMOTE(remote_handle64_invoke)(_h, _call_scalars(_call, 5),
            _call_args(_call));
    }
    _call_free(_call);
    return _err;
}

__QAIC_STUB_EXPORT AEEResult __QAIC_STUB(shapes_nested)(remote_handle64 _h, const graph_node* one,
    const graph_node* many, int manyLen, layer* back, graph_node* out_, int out_Len,
    const weights* rows, int rowsLen) __QAIC_STUB_ATTRIBUTE
{
    struct shapes_nested__in _in = {0};
    struct shapes_nested__out _out = {0};
    int _err;
    _Call* _call;

    if (one == NULL ||
        !_is_array(many, manyLen) ||
        back == NULL ||
        !_is_array(out_, out_Len) ||
        !_is_array(rows, rowsLen)) {
        return AEE_EBADPARM;
    }
    _call = _call_new();
    if (_call == NULL) {
        return AEE_ENOMEMORY;
    }
    _add_in(_call, &_in, 1, sizeof(_in));
    _add_out(_call, &_out, 1, sizeof(_out));
    _in_graph_node(_call, &_in.one, one);
    _in.manyLen = (uint32_t)manyLen;
    {
        struct graph_node__in* _records = (struct graph_node__in*)
            _add_in_records(_call, many, manyLen, sizeof(struct graph_node__in));
        for (int _i = 0; _call->err == 0 && _i < manyLen; _i++) {
            _in_graph_node(_call, &_records[_i], &many[_i]);
        }
    }
    _room_layer(_call, &_in.back, back);
    _in.out_Len = (uint32_t)out_Len;
    {
        struct graph_node__room* _rooms = (struct graph_node__room*)
            _add_in_records(_call, out_, out_Len, sizeof(struct graph_node__room));
        void* _results = _add_out_records(_call, out_Len, sizeof(struct graph_node__out));
        _remember(_call, out_, _results, (uint32_t)out_Len);
        for (int _i = 0; _call->err == 0 && _i < out_Len; _i++) {
            _room_graph_node(_call, &_rooms[_i], &out_[_i]);
        }
    }
    _in.rowsLen = (uint32_t)rowsLen;
    {
        struct weights__in* _records = (struct weights__in*)
            _add_in_records(_call, rows, rowsLen, sizeof(struct weights__in));
        for (int _i = 0; _call->err == 0 && _i < rowsLen; _i++) {
            _in_weights(_call, &_records[_i], &rows[_i]);
        }
    }
    _err = _call->err;
    if (_err == 0) {
        _err = __QAIC_REMOTE(remote_handle64_invoke)(_h, _call_scalars(_call, 6),
            _call_args(_call));
    }
    if (_err == 0) {
        _fetch_layer(&_out.back, back);
        {
            _Sequence _all = _recall(_call);
            graph_node* _values = (graph_node*)_all.native;
            const struct graph_node__out* _results =
                (const struct graph_node__out*)_all.wire;
            for (uint32_t _i = 0; _i < _all.count; _i++) {
                _fetch_graph_node(_call, &_results[_i], &_values[_i]);
            }
        }
    }
    _call_free(_call);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(shapes_nothing)(remote_handle64 _h) __QAIC_STUB_ATTRIBUTE
{
    int _err;

    _err = __QAIC_REMOTE(remote_handle64_invoke)(_h, REMOTE_SCALARS_MAKEX(0, 7, 0, 0, 0, 0),
        NULL);
    return _err;
}

__QAIC_STUB_EXPORT int __QAIC_STUB(shapes_later)(remote_handle64 _h,
    fastrpc_async_descriptor_t* asyncDesc, const unsigned char* input, int inputLen,
    unsigned char* output, int outputLen) __QAIC_STUB_ATTRIBUTE
{
    struct shapes_later__in _in = {0};
    int _err;
    remote_arg _pra[3];

    if (!_is_array(input, inputLen) ||
        !_is_array(output, outputLen)) {
        return AEE_EBADPARM;
    }
    _in.inputLen = (uint32_t)inputLen;
    _in.outputLen = (uint32_t)outputLen;
    _pra[0] = _buffer(&_in, sizeof(_in));
    _pra[1] = _buffer(input, (size_t)inputLen * sizeof(*input));
    _pra[2] = _buffer(output, (size_t)outputLen * sizeof(*output));
    if (__QAIC_REMOTE(remote_handle64_invoke_async) == NULL) {
        _err = AEE_EUNSUPPORTED;
    } else {
        _err = __QAIC_REMOTE(remote_handle64_invoke_async)(_h, asyncDesc,
            REMOTE_SCALARS_MAKEX(0, 8, 2, 1, 0, 0), _pra);
    }
    return _err;
}

"""The C functions that stubs use, by name, each after those that it uses."""

from buildtool.idl.emit.support_call import FREE, MEMORY, RECALL, REMEMBER, RESERVE, SEQUENCE

STUB = {
    "_is_array": """\
/* A length that is not negative, and data unless it is 0. */
static inline int _is_array(const void* data, int count)
{
    return count >= 0 && (data != NULL || count == 0);
}
""",
    "_text_size": """\
/* Characters of a text, terminator included. */
static inline uint32_t _text_size(const char* text)
{
    return (uint32_t)strlen(text) + 1u;
}
""",
    "_wide_size": """\
/* Characters of a wide text, terminator included. */
static inline uint32_t _wide_size(const _wchar_t* text)
{
    uint32_t size = 0;
    while (text[size] != 0) {
        size++;
    }
    return size + 1u;
}
""",
    "_text_size_within": """\
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
""",
    "_wide_size_within": """\
/* Characters of the wide text in an array, terminator included; 0 without a terminator. */
static inline uint32_t _wide_size_within(const _wchar_t* text, int room)
{
    for (int i = 0; i < room; i++) {
        if (text[i] == 0) {
            return (uint32_t)i + 1u;
        }
    }
    return 0;
}
""",
    "_buffer": """\
/* One argument of a call.  In buffers are only read, so const may go. */
static inline remote_arg _buffer(const void* data, size_t size)
{
    remote_arg arg;
    arg.buf.pv = (void*)(uintptr_t)data;
    arg.buf.nLen = size;
    return arg;
}
""",
    "_dma": """\
/* A shared buffer as an argument. */
static inline remote_arg _dma(int fd, uint32_t offset)
{
    remote_arg arg = _buffer(NULL, 0);
    arg.dma.fd = fd;
    arg.dma.offset = offset;
    return arg;
}
""",
    "_Block": MEMORY,
    "_Sequence": SEQUENCE,
    "_Call": """\
/* A call whose number of buffers depends on its values.  After the first error
 * nothing more is added. */
typedef struct {
    remote_arg args[255 + 255 + 15 + 15]; /* the in buffers, at last the others behind them */
    remote_arg outs[255];
    uint32_t n_args, n_outs;
    _Block* blocks;
    _Sequence* first;
    _Sequence** last;
    int err;
} _Call;
""",
    "_call_new": """\
static inline _Call* _call_new(void)
{
    _Call* call = (_Call*)calloc(1, sizeof(*call));
    if (call != NULL) {
        call->last = &call->first;
    }
    return call;
}
""",
    "_reserve": RESERVE,
    "_remember": REMEMBER,
    "_recall": RECALL,
    "_add_in": """\
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
""",
    "_add_out": """\
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
""",
    "_add_text": """\
/* Add a text; NULL is a text of length 0, and then its length must say so. */
static inline uint32_t _add_text(_Call* call, const char* text, int count)
{
    return _add_in(call, text, text != NULL ? (int)_text_size(text) : count, 1);
}
""",
    "_add_wide": """\
/* Add a wide text; NULL is a text of length 0, and then its length must say so. */
static inline uint32_t _add_wide(_Call* call, const _wchar_t* text, int count)
{
    return _add_in(call, text, text != NULL ? (int)_wide_size(text) : count, 2);
}
""",
    "_add_in_records": """\
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
""",
    "_add_out_records": """\
/* Add a rout buffer for the results of count elements; NULL after an error. */
static inline void* _add_out_records(_Call* call, int count, size_t size)
{
    void* records = count >= 0 ? _reserve(call, (size_t)count, size) : NULL;
    _add_out(call, records, count, size);
    return records;
}
""",
    "_call_args": """\
/* The arguments in the order of the wire. */
static inline remote_arg* _call_args(_Call* call, const remote_arg* handles, uint32_t n_handles)
{
    memcpy(&call->args[call->n_args], call->outs, call->n_outs * sizeof(remote_arg));
    if (n_handles > 0) {
        memcpy(&call->args[call->n_args + call->n_outs], handles, n_handles * sizeof(remote_arg));
    }
    return call->args;
}
""",
    "_free_blocks": FREE,
    "_call_free": """\
static inline void _call_free(_Call* call)
{
    _free_blocks(call);
    free(call);
}
""",
}

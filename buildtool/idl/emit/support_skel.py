"""The C functions that skels use, by name, each after those that it uses."""

from buildtool.idl.emit.support_call import FREE, MEMORY, RECALL, REMEMBER, RESERVE, SEQUENCE

SKEL = {
    "_holds": """\
/* The buffer has room for count elements of size bytes, and count fits an int. */
static inline int _holds(const remote_arg* arg, uint32_t count, size_t size)
{
    return count <= INT32_MAX && arg->buf.nLen / size >= count &&
           (arg->buf.pv != NULL || count == 0);
}
""",
    "_holds_text": """\
/* The buffer holds a text of count characters, the last one its terminator. */
static inline int _holds_text(const remote_arg* arg, uint32_t count)
{
    return count > 0 && _holds(arg, count, 1) && ((const char*)arg->buf.pv)[count - 1] == 0;
}
""",
    "_holds_wide": """\
/* The buffer holds a wide text of count characters, the last one its terminator. */
static inline int _holds_wide(const remote_arg* arg, uint32_t count)
{
    const unsigned char* octets = (const unsigned char*)arg->buf.pv;
    return count > 0 && _holds(arg, count, 2) && octets[2 * (size_t)count - 1] == 0 &&
           octets[2 * (size_t)count - 2] == 0;
}
""",
    "_read": """\
/* Copy a record out of its buffer. */
static inline int _read(void* record, const remote_arg* arg, size_t size)
{
    if (arg->buf.pv == NULL || arg->buf.nLen < size) {
        return 0;
    }
    memcpy(record, arg->buf.pv, size);
    return 1;
}
""",
    "_carry_over": """\
/* What came in of an inrout sequence goes where the result will be, unless it is there. */
static inline void _carry_over(const remote_arg* out, const remote_arg* in, size_t size)
{
    if (size > 0 && out->buf.pv != in->buf.pv) {
        memmove(out->buf.pv, in->buf.pv, size);
    }
}
""",
    "_Block": MEMORY,
    "_Sequence": SEQUENCE,
    "_Call": """\
/* A call whose number of buffers depends on its values.  After the first error
 * nothing more is taken. */
typedef struct {
    remote_arg *in, *in_end, *out, *out_end;
    _Block* blocks;
    _Sequence* first;
    _Sequence** last;
    int err;
} _Call;
""",
    "_call_begin": """\
static inline void _call_begin(_Call* call, uint32_t sc, remote_arg* pra)
{
    memset(call, 0, sizeof(*call));
    call->in = pra;
    call->out = pra + REMOTE_SCALARS_INBUFS(sc);
    call->in_end = call->out;
    call->out_end = call->out + REMOTE_SCALARS_OUTBUFS(sc);
    call->last = &call->first;
}
""",
    "_reserve": RESERVE,
    "_remember": REMEMBER,
    "_recall": RECALL,
    "_take_in": """\
/* The next in buffer, which must have count elements; NULL after an error. */
static inline void* _take_in(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && (call->in == call->in_end || !_holds(call->in, count, size))) {
        call->err = AEE_EBADPARM;
    }
    return call->err == 0 ? (call->in++)->buf.pv : NULL;
}
""",
    "_take_out": """\
/* The next rout buffer, which must have room for count elements; NULL after an error. */
static inline void* _take_out(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && (call->out == call->out_end || !_holds(call->out, count, size))) {
        call->err = AEE_EBADPARM;
    }
    return call->err == 0 ? (call->out++)->buf.pv : NULL;
}
""",
    "_take_text": """\
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
""",
    "_take_wide": """\
/* The next in buffer as a wide text.  One of length 0 is empty and has no terminator. */
static inline _wchar_t* _take_wide(_Call* call, uint32_t count)
{
    static const _wchar_t empty = 0;
    const remote_arg* arg = call->in;
    _wchar_t* text = (_wchar_t*)_take_in(call, count, 2);
    if (call->err == 0 && count == 0) {
        return (_wchar_t*)(uintptr_t)&empty;
    }
    if (call->err == 0 && !_holds_wide(arg, count)) {
        call->err = AEE_EBADPARM;
    }
    return text;
}
""",
    "_take_elements": """\
/* Memory for count elements, each of which takes at least one buffer more. */
static inline void* _take_elements(_Call* call, uint32_t count, size_t size)
{
    if (call->err == 0 && count > 255) {
        call->err = AEE_EBADPARM;
    }
    return _reserve(call, count, size);
}
""",
    "_call_end": """\
/* 0 when every buffer of the call was taken. */
static inline int _call_end(const _Call* call)
{
    if (call->err == 0 && (call->in != call->in_end || call->out != call->out_end)) {
        return AEE_EBADPARM;
    }
    return call->err;
}
""",
    "_free_blocks": FREE,
}

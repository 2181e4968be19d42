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

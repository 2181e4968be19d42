/* streams.c: standard input, output and error of a DSP program, which are those of the host program.
 *
 * A DSP shell writes what its printf gets to the log of the DSP, and has no input.  Functions of
 * streams that programs open, of wide characters, and of text in memory are the shell's.  The linker
 * calls the __wrap_ functions in their place (--wrap), and the shell's __real_ in those of other files;
 * cmake/dsp_programs.cmake lists them. */
#include "runtime.h"

#include "qurt.h"

#define END_OF_FILE (-1)

struct file; /* FILE */

static char own[3]; /* their addresses are the FILEs of the standard streams */
OWN void *const stdin = &own[STREAM_IN];
OWN void *const stdout = &own[STREAM_OUT];
OWN void *const stderr = &own[STREAM_ERROR];
/* Those of the SDK's headers are the shell's. */
extern char _Stdin[] __attribute__((weak)), _Stdout[] __attribute__((weak)),
    _Stderr[] __attribute__((weak));

static const struct dsp_streams *streams;

/* The standard stream that a FILE is; -1 for other files. */
static int standard(const void *file)
{
    if (file == stdin || file == _Stdin)
        return STREAM_IN;
    if (file == stdout || file == _Stdout)
        return STREAM_OUT;
    return file == stderr || file == _Stderr ? STREAM_ERROR : -1;
}

/* ---- output ---- */

/* What constructors write: the stream and the length of each part come before its bytes. */
static struct {
    char *bytes;
    size_t used;
} early;

static void write_early(int stream, const void *bytes, size_t size)
{
    const size_t head[] = {(size_t)stream, size};
    char *more = realloc(early.bytes, early.used + sizeof head + size);

    if (more == NULL)
        return;
    early.bytes = more;
    memcpy(more + early.used, head, sizeof head);
    memcpy(more + early.used + sizeof head, bytes, size);
    early.used += sizeof head + size;
}

/* Single characters of standard output, until the end of the line. */
static struct {
    qurt_mutex_t lock;
    unsigned char bytes[1024];
    size_t used;
} line;

/* Writes after the characters of `line`. */
static void write_after_line(int stream, const void *bytes, size_t size)
{
    qurt_mutex_lock(&line.lock);
    streams->write(STREAM_OUT, line.bytes, line.used);
    line.used = 0;
    streams->write(stream, bytes, size);
    qurt_mutex_unlock(&line.lock);
}

int __real_write(int descriptor, const void *from, size_t size);

/* The file that a standard stream goes to after dup2(file, stream), plus 1. */
static int redirected[3];

void program_write(int stream, const void *bytes, size_t size)
{
    if (redirected[stream] != 0) {
        __real_write(redirected[stream] - 1, bytes, size);
        return;
    }
    if (streams == NULL) {
        write_early(stream, bytes, size);
        return;
    }
    write_after_line(stream, bytes, size);
    if (stream == STREAM_ERROR)
        streams->flush(); /* so that it is not lost when the program crashes */
}

void program_flush(void)
{
    if (streams == NULL)
        return;
    write_after_line(STREAM_OUT, NULL, 0);
    streams->flush();
}

void program_attach(const struct dsp_streams *of_loader)
{
    size_t head[2];

    qurt_mutex_init(&line.lock);
    streams = of_loader;
    for (size_t at = 0; at < early.used; at += sizeof head + head[1]) {
        memcpy(head, early.bytes + at, sizeof head);
        streams->write((int)head[0], early.bytes + at + sizeof head, head[1]);
    }
    free(early.bytes);
}

static int print(int stream, const char *format, va_list arguments)
{
    char few[512], *text = few;
    va_list again;

    va_copy(again, arguments);
    int length = vsnprintf(few, sizeof few, format, arguments);
    if (length >= (int)sizeof few) {
        text = malloc((size_t)length + 1);
        if (text == NULL)
            length = -1;
        else
            vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    if (length > 0)
        program_write(stream, text, (size_t)length);
    if (text != few)
        free(text);
    return length;
}

static int put_character(int stream, int character)
{
    const unsigned char byte = (unsigned char)character;

    if (stream != STREAM_OUT || streams == NULL || redirected[stream] != 0 || byte == '\n') {
        program_write(stream, &byte, 1);
        return byte;
    }
    qurt_mutex_lock(&line.lock);
    line.bytes[line.used++] = byte;
    if (line.used == sizeof line.bytes) {
        streams->write(STREAM_OUT, line.bytes, line.used);
        line.used = 0;
    }
    qurt_mutex_unlock(&line.lock);
    return byte;
}

OWN int vprintf(const char *format, va_list arguments)
{
    return print(STREAM_OUT, format, arguments);
}

OWN int printf(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = print(STREAM_OUT, format, arguments);
    va_end(arguments);
    return length;
}

int __real_vfprintf(struct file *file, const char *format, va_list arguments);

OWN int __wrap_vfprintf(struct file *file, const char *format, va_list arguments)
{
    const int stream = standard(file);

    return stream > 0 ? print(stream, format, arguments) : __real_vfprintf(file, format, arguments);
}

OWN int __wrap_fprintf(struct file *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = __wrap_vfprintf(file, format, arguments);
    va_end(arguments);
    return length;
}

OWN int putchar(int character)
{
    return put_character(STREAM_OUT, character);
}

OWN int putchar_unlocked(int character)
{
    return put_character(STREAM_OUT, character);
}

int __real_fputc(int character, struct file *file);

OWN int __wrap_fputc(int character, struct file *file)
{
    const int stream = standard(file);

    return stream > 0 ? put_character(stream, character) : __real_fputc(character, file);
}

OWN int __wrap_putc(int character, struct file *file)
{
    return __wrap_fputc(character, file);
}

OWN int __wrap_putc_unlocked(int character, struct file *file)
{
    return __wrap_fputc(character, file);
}

int __real_fputs(const char *text, struct file *file);

OWN int __wrap_fputs(const char *text, struct file *file)
{
    const int stream = standard(file);

    if (stream <= 0)
        return __real_fputs(text, file);
    program_write(stream, text, strlen(text));
    return 0;
}

OWN int puts(const char *text)
{
    /* One call, so that the lines of threads are not mixed. */
    int printed = printf("%s\n", text);
    return printed < 0 ? END_OF_FILE : 0;
}

size_t __real_fwrite(const void *from, size_t size, size_t count, struct file *file);

OWN size_t __wrap_fwrite(const void *from, size_t size, size_t count, struct file *file)
{
    const int stream = standard(file);

    if (stream <= 0)
        return __real_fwrite(from, size, count, file);
    program_write(stream, from, size * count);
    return count;
}

OWN void perror(const char *text)
{
    const char *reason = strerror(*_Geterrno());
    const bool named = text != NULL && *text != '\0';

    __wrap_fprintf((struct file *)stderr, "%s%s%s\n", named ? text : "", named ? ": " : "", reason);
}

int __real_fflush(struct file *file);

OWN int __wrap_fflush(struct file *file)
{
    if (file == NULL || standard(file) > 0)
        program_flush();
    return file == NULL || standard(file) < 0 ? __real_fflush(file) : 0;
}

/* ---- input ---- */

static struct {
    unsigned char bytes[4096];
    size_t at, used;
    int back; /* a character that was put back, plus 1 */
    bool ended;
} in;

size_t program_read(void *bytes, size_t room)
{
    if (streams == NULL)
        return 0;
    write_after_line(STREAM_OUT, NULL, 0); /* a prompt */
    return streams->read(bytes, room);
}

static int get_character(void)
{
    if (in.back != 0) {
        const int character = in.back - 1;
        in.back = 0;
        return character;
    }
    if (in.at == in.used && !in.ended) {
        in.at = 0;
        in.used = program_read(in.bytes, sizeof in.bytes);
        in.ended = in.used == 0;
    }
    return in.at < in.used ? in.bytes[in.at++] : END_OF_FILE;
}

static int put_back(int character)
{
    in.back = character == END_OF_FILE ? in.back : (unsigned char)character + 1;
    return character;
}

static char *get_line(char *line, int room)
{
    int length = 0, character = 0;

    while (length + 1 < room && character != '\n' && (character = get_character()) >= 0)
        line[length++] = (char)character;
    if (length == 0)
        return NULL;
    line[length] = '\0';
    return line;
}

OWN int getchar(void)
{
    return get_character();
}

OWN int getchar_unlocked(void)
{
    return get_character();
}

#define GET(name)                                                                   \
    int __real_##name(struct file *file);                                           \
    OWN int __wrap_##name(struct file *file)                                        \
    {                                                                               \
        return standard(file) == STREAM_IN ? get_character() : __real_##name(file); \
    }
GET(fgetc)
GET(getc)
GET(getc_unlocked)

int __real_ungetc(int character, struct file *file);

OWN int __wrap_ungetc(int character, struct file *file)
{
    return standard(file) == STREAM_IN ? put_back(character) : __real_ungetc(character, file);
}

char *__real_fgets(char *line, int room, struct file *file);

OWN char *__wrap_fgets(char *line, int room, struct file *file)
{
    return standard(file) == STREAM_IN ? get_line(line, room) : __real_fgets(line, room, file);
}

size_t __real_fread(void *to, size_t size, size_t count, struct file *file);

OWN size_t __wrap_fread(void *to, size_t size, size_t count, struct file *file)
{
    unsigned char *bytes = to;
    size_t got = 0;
    int character;

    if (standard(file) != STREAM_IN)
        return __real_fread(to, size, count, file);
    while (got < size * count && (character = get_character()) >= 0)
        bytes[got++] = (unsigned char)character;
    return size == 0 ? 0 : got / size;
}

/* The function behind scanf of the DSP's C library (Dinkumware): `get` returns the next character for
 * EOF - 1, and takes others back; older ones have no last argument. */
int _Scanf(int (*get)(void *, int, int), void *argument, const char *format, va_list arguments);

static int get_scanned(void *unused, int character, int wanted)
{
    (void)unused;
    (void)wanted;
    return character == END_OF_FILE - 1 ? get_character() : put_back(character);
}

OWN int vscanf(const char *format, va_list arguments)
{
    return _Scanf(get_scanned, NULL, format, arguments);
}

OWN int scanf(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int count = vscanf(format, arguments);
    va_end(arguments);
    return count;
}

int __real_vfscanf(struct file *file, const char *format, va_list arguments);

OWN int __wrap_vfscanf(struct file *file, const char *format, va_list arguments)
{
    return standard(file) == STREAM_IN ? vscanf(format, arguments)
                                       : __real_vfscanf(file, format, arguments);
}

OWN int __wrap_fscanf(struct file *file, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int count = __wrap_vfscanf(file, format, arguments);
    va_end(arguments);
    return count;
}

/* ---- what else gets a FILE ---- */

/* Functions with one parameter, a FILE, and what they return for a standard stream. */
#define OF_FILE(name, result)                               \
    int __real_##name(struct file *file);                   \
    OWN int __wrap_##name(struct file *file)                \
    {                                                       \
        const int stream = standard(file);                  \
        return stream < 0 ? __real_##name(file) : (result); \
    }
OF_FILE(fclose, 0)
OF_FILE(feof, stream == STREAM_IN && in.ended && in.back == 0)
OF_FILE(ferror, 0)
OF_FILE(fileno, stream)
OF_FILE(ftell, -1)
OF_FILE(clearerr, 0) /* returns nothing, in a register that nobody reads */
OF_FILE(rewind, 0)

int __real_fseek(struct file *file, long offset, int from);

OWN int __wrap_fseek(struct file *file, long offset, int from)
{
    return standard(file) < 0 ? __real_fseek(file, offset, from) : -1;
}

int __real_setvbuf(struct file *file, char *buffer, int mode, size_t size);

OWN int __wrap_setvbuf(struct file *file, char *buffer, int mode, size_t size)
{
    return standard(file) < 0 ? __real_setvbuf(file, buffer, mode, size) : 0;
}

void __real_setbuf(struct file *file, char *buffer);

OWN void __wrap_setbuf(struct file *file, char *buffer)
{
    if (standard(file) < 0)
        __real_setbuf(file, buffer);
}

/* ---- descriptors ---- */

int __real_read(int descriptor, void *to, size_t room);

OWN int __wrap_read(int descriptor, void *to, size_t room)
{
    return descriptor == STREAM_IN ? (int)program_read(to, room)
                                   : __real_read(descriptor, to, room);
}

OWN int __wrap_write(int descriptor, const void *from, size_t size)
{
    if (descriptor != STREAM_OUT && descriptor != STREAM_ERROR)
        return __real_write(descriptor, from, size);
    program_write(descriptor, from, size);
    return (int)size;
}

/* Standard output and errors can go to a file and back, as tests of output need it: a copy of one is
 * COPY_OF and its number.  No shell exports dup and dup2. */
#define COPY_OF 0x10000

static int bad_descriptor(void)
{
    *_Geterrno() = 9; /* EBADF */
    return -1;
}

OWN int dup(int descriptor)
{
    const bool is_output = descriptor == STREAM_OUT || descriptor == STREAM_ERROR;

    return is_output ? COPY_OF + descriptor : bad_descriptor();
}

int __real_close(int descriptor);

static bool is_closed[3]; /* the program has closed the file that the stream still goes to */

OWN int dup2(int from, int to)
{
    const bool is_back = from == to || from == COPY_OF + to;

    if ((to != STREAM_OUT && to != STREAM_ERROR) || (!is_back && (from < 3 || from >= COPY_OF)))
        return bad_descriptor();
    if (streams != NULL)
        write_after_line(STREAM_OUT, NULL, 0);
    if (is_closed[to])
        __real_close(redirected[to] - 1);
    is_closed[to] = false;
    redirected[to] = is_back ? 0 : from + 1;
    return to;
}

OWN int __wrap_close(int descriptor)
{
    bool is_used = false;

    for (int stream = STREAM_OUT; stream <= STREAM_ERROR; stream++) {
        if (redirected[stream] != 0 && redirected[stream] == descriptor + 1)
            is_used = is_closed[stream] = true;
    }
    return is_used || descriptor >= COPY_OF ? 0 : __real_close(descriptor);
}

int __real_isatty(int descriptor);

OWN int __wrap_isatty(int descriptor)
{
    return descriptor > STREAM_ERROR && __real_isatty(descriptor);
}

// cxx.cpp: C++ with exceptions and RTTI.
#include <typeinfo>

#include "thrower.h"

#include <stdlib.h>
#include <string.h>

#include "HAP_farf.h"
#include "qurt.h"
#include "remote.h"

#define EQUAL(is, wanted)                                         \
    do {                                                          \
        long is_ = (long)(is), wanted_ = (long)(wanted);          \
        if (is_ != wanted_) {                                     \
            FARF(ERROR, "%s is %ld, not %ld", #is, is_, wanted_); \
            return __LINE__;                                      \
        }                                                         \
    } while (0)

// The start files of the SDK define it.
extern "C" __attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;

#ifdef REGISTERS_FRAMES
// The start files of the SDK do this for each library.
__asm__(".section .eh_frame, \"a\", @progbits\nframes_of_this_library:\n.previous\n");
extern "C" __attribute__((visibility("hidden"))) const char frames_of_this_library[];
extern "C" void __register_frame_info_bases(const void *, void *, void *, void *);

__attribute__((constructor(101))) static void register_frames()
{
    __register_frame_info_bases(frames_of_this_library, nullptr, nullptr, nullptr);
}
#endif

namespace
{

struct Triangle final : Shape {
    int corners() const override
    {
        return 3;
    }
};

int statics = 0;

struct Static {
    int value;
    explicit Static(int start) : value(start)
    {
        statics++;
    }
    ~Static()
    {
        statics--;
    }
};

Static global(7);

int deep(int depth)
{
    Counted counted;
    volatile int kept = depth;
    return (depth == 0 ? throw depth + 40 : deep(depth - 1)) + kept;
}

int within()
{
    int caught = 0;
    try {
        deep(20);
    } catch (int number) {
        caught = number;
    }
    EQUAL(Counted::alive, 0);
    EQUAL(caught, 40);
    try {
        try {
            throw 2.5;
        } catch (int) {
            return __LINE__;
        } catch (...) {
            throw;
        }
    } catch (double number) {
        EQUAL(number * 2, 5);
    }
    return 0;
}

int throw_up(int number)
{
    Counted counted;
    if (number > 0) {
        throw Refusal(number + 1);
    }
    return -1;
}

// Exceptions of the library are caught here, and those of the skel pass through the library.
int across()
{
    EQUAL(refuse(2), 2);
    try {
        refuse(9);
        return __LINE__;
    } catch (const Refusal &refusal) {
        EQUAL(refusal.number, 9);
    }
    try {
        refuse(10);
        return __LINE__;
    } catch (const std::exception &exception) {
        EQUAL(strcmp(exception.what(), "a refusal"), 0);
    }
    int number = 0;
    try {
        call_back(throw_up, 5);
    } catch (Refusal &refusal) {
        number = refusal.number;
    }
    EQUAL(number, 6);
    EQUAL(Counted::alive, 0);
    EQUAL(call_back(throw_up, 0), -1);
    return 0;
}

int types()
{
    Triangle triangle;
    Shape shape;
    Shape *volatile some = &triangle;
    Triangle *found = dynamic_cast<Triangle *>(some);
    EQUAL(found != nullptr && found->corners() == 3, true);
    some = &shape;
    EQUAL(dynamic_cast<Triangle *>(some) == nullptr, true);
    const Shape &seen = *some;
    EQUAL(typeid(seen) == typeid(Shape) && typeid(triangle) != typeid(Shape), true);
    try {
        return dynamic_cast<Triangle &>(*some).corners();
    } catch (const std::bad_cast &) {
    }
    int *numbers = new int[100];
    numbers[99] = 4;
    delete[] numbers;
    return 0;
}

// operator new is in libc++abi, which calls malloc by its plain name. The skel calls __wrap_free.
int heap()
{
    char *volatile made = new char[8];
    made[7] = 1;
    free(made);
    return 0;
}

int past_new()
{
    char *volatile made = new char[8];
    made[8] = 1;
    return 0;
}

int constructions = 0;

Static &once()
{
    static Static late((constructions++, 3));
    return late;
}

int globals()
{
    EQUAL(global.value, 7);
    EQUAL(once().value + once().value, 6);
    EQUAL(constructions, 1);
    EQUAL(statics, 2);
    return 0;
}

char stacks[4][16384] __attribute__((aligned(16)));

void throw_often(void *result)
{
    int good = 0;
    for (int i = 0; i < 20; i++) {
        try {
            refuse(100 + i);
        } catch (const Refusal &refusal) {
            good += refusal.number == 100 + i;
        }
    }
    *static_cast<int *>(result) = good;
}

int threads()
{
    qurt_thread_t ids[4];
    int good[4] = {};
    for (int i = 0; i < 4; i++) {
        qurt_thread_attr_t attributes;
        qurt_thread_attr_init(&attributes);
        qurt_thread_attr_set_stack_addr(&attributes, stacks[i]);
        qurt_thread_attr_set_stack_size(&attributes, sizeof stacks[i]);
        qurt_thread_attr_set_priority(&attributes, 99);
        EQUAL(qurt_thread_create(&ids[i], &attributes, throw_often, &good[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        int status = 0;
        qurt_thread_join(ids[i], &status);
        EQUAL(good[i], 20);
    }
    return 0;
}

int containers()
{
    EQUAL(different_remainders(500, 77), 77);
    return 0;
}

int uncaught()
{
    throw 1;
}

const struct {
    const char *name;
    int (*function)();
} cases[] = {{"within", within},   {"across", across},   {"types", types},
             {"globals", globals}, {"threads", threads}, {"containers", containers},
             {"heap", heap},       {"past_new", past_new}, {"uncaught", uncaught}};

} // namespace

extern "C" __attribute__((visibility("default"))) int
cases_skel_handle_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *arguments)
{
    (void)handle;
    switch (REMOTE_SCALARS_METHOD(scalars)) {
    case 0:
        arguments[2].h64 = 1;
        return 0;
    case 1:
        return 0;
    default:
        for (const auto &some : cases) {
            if (strcmp(some.name, static_cast<char *>(arguments[0].buf.pv)) == 0) {
                return some.function();
            }
        }
        return -1;
    }
}

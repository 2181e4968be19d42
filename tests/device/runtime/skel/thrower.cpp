// thrower.cpp: a library beside a skel that throws exceptions, with a class of its own.
#include "thrower.h"

Refusal::~Refusal() = default;

const char *Refusal::what() const noexcept
{
    return "a refusal";
}

int refuse(int number)
{
    if (number > 2) {
        throw Refusal(number);
    }
    return number;
}

int call_back(int (*function)(int), int number)
{
    Counted counted;
    return function(number);
}

int Counted::alive = 0;

// The start files of the SDK define it.
extern "C" __attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;

Shape::~Shape() = default;

// thrower.cpp: a library beside a skel that throws exceptions, with a class of its own.
#include "thrower.h"

#include <unordered_map>

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

// Puts so many numbers into a hash table, whose sizes are prime numbers that libc++ finds.
int different_remainders(int numbers, int divisor)
{
    std::unordered_map<int, int> found;
    for (int i = 0; i < numbers; i++) {
        found[i % divisor] += i;
    }
    return static_cast<int>(found.size());
}

int Counted::alive = 0;

// The start files of the SDK define it.
extern "C" __attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;

Shape::~Shape() = default;

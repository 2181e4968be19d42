// thrower.h: what the skel and the library share.
#ifndef THROWER_H
#define THROWER_H

#include <exception>

class __attribute__((visibility("default"))) Refusal : public std::exception
{
  public:
    explicit Refusal(int value) : number(value)
    {
    }
    ~Refusal() override;
    const char *what() const noexcept override;
    int number;
};

class __attribute__((visibility("default"))) Shape
{
  public:
    virtual ~Shape();
    virtual int corners() const
    {
        return 0;
    }
};

struct __attribute__((visibility("default"))) Counted {
    static int alive;
    Counted()
    {
        alive++;
    }
    ~Counted()
    {
        alive--;
    }
};

#define VISIBLE __attribute__((visibility("default")))
VISIBLE int refuse(int number);
VISIBLE int different_remainders(int numbers, int divisor);
VISIBLE int call_back(int (*function)(int), int number);

#endif

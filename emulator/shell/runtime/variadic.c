/* variadic.c: makes va_lists of the shell's calling convention from QuRT's. */
#include "variadic.h"

void *variadic_list(struct variadic_list *list, const char *arguments)
{
    *list = (struct variadic_list){NULL, NULL, arguments};
    return list;
}

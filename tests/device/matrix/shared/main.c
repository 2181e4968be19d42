#include <stdio.h>

int middle(void);

int main(void)
{
    printf("%d\n", middle());
    return 0;
}

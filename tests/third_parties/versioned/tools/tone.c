#include <stdio.h>

int mixer_level(void);
#ifdef TONE_WITH_BEEP
int beep(void);
#else
static int beep(void) { return 0; }
#endif

int main(void)
{
    printf("level %d\n", mixer_level() + beep());
    return 0;
}

#include "filter.h"

#ifdef HTP_WIDE
int filter_wide(int level);
int filter(int level) { return filter_wide(level); }
#else
int filter(int level) { return level * 2; }
#endif

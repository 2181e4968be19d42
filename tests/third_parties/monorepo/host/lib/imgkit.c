#include "imgkit.h"

#include <imgkit/limits.h>

int imgkit_widest(void) { return IMGKIT_WIDEST; }

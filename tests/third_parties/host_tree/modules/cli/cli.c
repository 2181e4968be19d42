#include "cli.h"

#include <stdlib.h>

int cli_number(int count, char **words) { return count > 1 ? abs(atoi(words[1])) : 0; }

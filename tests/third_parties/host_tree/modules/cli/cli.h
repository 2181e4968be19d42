#pragma once

int cli_number(int count, char **words);

#pragma once

int edge_rows(void *rows);

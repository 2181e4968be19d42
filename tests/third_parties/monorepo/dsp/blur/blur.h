#pragma once

int blur_rows(void *rows);

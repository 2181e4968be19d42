int filter_wide(int level);

int filter_wide(int level) { return level * 4; }

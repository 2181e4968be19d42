#include "across.h"
#include <sstream>

std::string describe(const Shape &shape) {
  std::ostringstream out;
  print(out, shape);
  return out.str();
}

std::string caught(const char *kind) {
  try {
    fail(kind);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

#include "across.h"
#include <future>
#include <new>
#include <system_error>

thread_local int depth = 0;
Shape::~Shape() = default;
BadShape::~BadShape() = default;
std::string Shape::name() const { return "shape"; }
std::string Square::name() const { return "square"; }

std::vector<std::string> &log_of_thread() {
  thread_local std::vector<std::string> log;
  return log;
}

void print(std::ostream &out, const Shape &shape) { out << shape.name() << ' ' << 2.5 << '\n'; }

void fail(const std::string &kind) {
  if (kind == "own") throw BadShape("own");
  if (kind == "runtime_error") throw std::runtime_error("runtime_error");
  if (kind == "out_of_range") std::vector<int>().at(1) = 1;
  if (kind == "invalid_argument") depth = std::stoi("x");
  if (kind == "system_error") throw std::system_error(std::make_error_code(std::errc::io_error));
  if (kind == "future_error") throw std::future_error(std::future_errc::no_state);
  if (kind == "bad_alloc") throw std::bad_alloc();
  if (kind == "string") throw kind;
  throw 7;
}

// What base throws and prints, and what middle makes of it.
#pragma once
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
  virtual ~Shape();
  virtual std::string name() const;
};
struct Square : Shape {
  std::string name() const override;
};
struct BadShape : std::runtime_error {
  using std::runtime_error::runtime_error;
  ~BadShape() override;
};

// In base.
extern thread_local int depth;
std::vector<std::string> &log_of_thread();
void print(std::ostream &out, const Shape &shape);
void fail(const std::string &kind);

// In middle.
std::string describe(const Shape &shape);
std::string caught(const char *kind);

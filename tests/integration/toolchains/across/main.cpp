// Prints what goes wrong between this program, two libraries that it links, and those that it loads.
#include "across.h"
#include <cstdio>
#include <dlfcn.h>
#include <exception>
#include <future>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <system_error>
#include <thread>
#include <typeinfo>

namespace {
int failed = 0;

void check(bool good, const char *what) {
  if (!good) {
    std::printf("wrong: %s\n", what);
    failed = 1;
  }
}

template <class Error> void check_throws(const char *kind) {
  bool good = false;
  try {
    fail(kind);
  } catch (const Error &) {
    good = true;
  } catch (...) {
  }
  check(good, kind);
}

template <class Function> Function *symbol(void *library, const char *name) {
  return reinterpret_cast<Function *>(dlsym(library, name));
}

void check_exceptions() {
  check_throws<BadShape>("own");
  check_throws<std::exception>("runtime_error");
  check_throws<std::logic_error>("out_of_range");
  check_throws<std::invalid_argument>("invalid_argument");
  check_throws<std::system_error>("system_error");
  check_throws<std::future_error>("future_error");
  check_throws<std::bad_alloc>("bad_alloc");
  check_throws<std::string>("string");
  check_throws<int>("int");
  check(caught("own") == "own" && caught("runtime_error") == "runtime_error", "caught in between");
  auto later = std::async(std::launch::async, caught, "int"); // through another library and thread
  int value = 0;
  try {
    later.get();
  } catch (int thrown) {
    value = thrown;
  }
  check(value == 7, "exception of a thread");
}

void check_streams(const Shape &shape) {
  check(describe(shape) == shape.name() + " 2.5\n", "stream of a library");
  std::ostringstream out;
  out.imbue(std::locale::classic());
  print(out, shape);
  check(out.str() == shape.name() + " 2.5\n", "stream of the program");
}

void check_threads() {
  depth = 1;
  log_of_thread().push_back("main");
  int fresh = -1;
  std::thread([&] {
    fresh = depth++;
    log_of_thread().push_back("thread");
  }).join();
  check(fresh == 0 && depth == 1 && log_of_thread().size() == 1, "thread_local");
}

void check_plugin(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) {
    check(false, dlerror());
    return;
  }
  std::unique_ptr<Shape> circle(symbol<Shape *()>(plugin, "make_circle")());
  check_streams(*circle);
  const Shape &shape = *circle;
  check(dynamic_cast<Square *>(circle.get()) == nullptr && typeid(shape) != typeid(Square),
        "RTTI of a plugin");
  std::string what;
  try {
    symbol<void()>(plugin, "plugin_fail")();
  } catch (const BadShape &error) {
    what = error.what();
  }
  check(what == "of the plugin" && log_of_thread().size() == 2, "exception of a plugin");
  circle.reset();
  dlclose(plugin);
}
} // namespace

int main(int count, char **arguments) {
  check_exceptions();
  std::unique_ptr<Shape> shape = std::make_unique<Square>();
  const Shape &square = *shape;
  check_streams(square);
  print(std::cout, square);
  check(dynamic_cast<Square *>(shape.get()) != nullptr && typeid(square) == typeid(Square), "RTTI");
  check_threads();
  check_plugin(count > 1 ? arguments[1] : "libplugin.so");
  check_throws<BadShape>("own"); // after dlclose()
  if (count > 2) { // a library with another C++ library
    void *other = dlopen(arguments[2], RTLD_NOW);
    auto *use = other != nullptr ? symbol<int()>(other, "use_exceptions") : nullptr;
    check(use != nullptr && use() == 3, "the device's libstdc++");
    check_throws<std::exception>("runtime_error");
  }
  std::cout << (failed != 0 ? "failed" : "good") << std::endl;
  return failed;
}

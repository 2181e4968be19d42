#include "across.h"

struct Circle : Shape {
  std::string name() const override { return "circle"; }
};
extern "C" Shape *make_circle() { return new Circle; }
extern "C" void plugin_fail() {
  log_of_thread().push_back("plugin");
  throw BadShape("of the plugin");
}

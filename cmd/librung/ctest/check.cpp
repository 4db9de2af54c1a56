// Checks of rung.hpp.
//
//   check MODEL
#include <cstdio>
#include <cstring>

#include "../rung.hpp"

#define CHECK(what)                                            \
  do {                                                         \
    if (!(what)) {                                             \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #what);   \
      return 1;                                                \
    }                                                          \
  } while (0)

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  rung::plan plan(argv[1]);
  std::vector<double> state = plan.initial(), acc(6 * plan.bodies()), again(6 * plan.bodies());
  rung::solver solver(plan), other(plan);
  solver.accel(state, acc);
  other = std::move(solver);
  other.accel(state, again);
  CHECK(acc == again);
  other.set(plan.knob("gravity[0]"), 3);
  other.accel(state, again);
  CHECK(acc != again);
  try {
    other.accel(std::vector<double>(3), acc);
    CHECK(false);
  } catch (const rung::error &e) {
    CHECK(e.status == RUNG_SIZE && std::strstr(e.what(), "not 3") && !e.details.empty());
  }
  rung::run run(plan), next(plan);
  while (!run.to(0.1, 1e-9)) {}
  next.load(run.save());
  std::vector<double> x(plan.numbers()), y(plan.numbers());
  run.to(0.2);
  next.to(0.2);
  run.state(x);
  next.state(y);
  CHECK(x == y);
  rung::plan text = rung::plan::of_text("text", plan.document("model", x));
  CHECK(text.numbers() == plan.numbers() && text.initial()[1] == x[1]);
  plan.close(x);
  std::puts("ok");
  return 0;
}

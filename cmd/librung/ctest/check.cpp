// Checks of rung.hpp.
//
//   check MODEL
#include <cmath>
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

  rung::run kept(plan, "{\"every\": 0.05, \"columns\": [\"time\", \"energy.kinetic\"]}");
  CHECK(kept.rows().size() == 0);
  kept.to(0.1);
  const std::vector<double> rows = kept.rows();
  CHECK(rows.size() == 6 && rows[0] == 0 && rows[4] == 0.1 && kept.rows().empty() && std::strstr(kept.document("columns").c_str(), "energy.kinetic"));

  rung::batch batch(plan, {"O"}, {"bodies[crank].mass"}, 1);
  std::vector<double> states = state, many;
  std::vector<uint8_t> failed;
  states.insert(states.end(), x.begin(), x.end());
  batch.vary(2, 1, {5});
  batch.accel(states, many, failed, {0, 3});
  CHECK(many.size() == 2 * acc.size() && !failed[0] && !failed[1] && batch.why(1).empty());
  other.set(plan.knob("gravity[0]"), 0);
  other.set(plan.knob("bodies[crank].mass"), 5);
  other.set(plan.knob("joints[O].force[0]"), 3);
  other.accel(x, again);
  for (size_t i = 0; i < again.size(); i++) CHECK(std::fabs(many[acc.size() + i] - again[i]) < 1e-9);
  states[5] = NAN;
  batch.rollout(states, failed, "{\"step\": 0.001, \"steps\": 3}");
  CHECK(failed[0] == 1 && failed[1] == 0 && std::strstr(batch.why(0).c_str(), "crank"));
  batch.accel({}, many, failed);
  CHECK(many.empty() && failed.empty());
  int refused = 0;
  for (int i = 0; i < 8; i++) {
    try {
      std::vector<double> odd(state.size() + 1);
      if (i == 0) plan.read_angles(odd);
      if (i == 1) batch.accel(odd, many, failed);
      if (i == 2) batch.accel(state, many, failed, {1, 2});
      if (i == 3) rung::batch(plan, {"no \"joint\"\n"});
      if (i == 4) batch.vary(2, 2, {5});
      if (i == 5) rung::plan(std::string(argv[1]) + '\0' + "x");
      if (i == 6) rung::run(plan, std::string("{}\0x", 4));
      if (i == 7) run.rows();
    } catch (const rung::error &e) {
      refused++;
      CHECK(std::strstr(e.details.c_str(), "\"status\":"));
      CHECK(i != 3 || std::strstr(e.what(), "no \\\"joint\\\"\\n"));
    }
  }
  CHECK(refused == 7 && kept.columns() == 2 && run.columns() == 0); /* a run without rows has none left */
  std::puts("ok");
  return 0;
}

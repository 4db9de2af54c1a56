/* Holds the crank of a four-bar by a spring and damper of one's own: each millisecond the run gives back, and the moment at its hinge is set anew.
 *
 *   hold four-bar.model.json */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "rung.h"

static void must(int32_t status) {
  if (status == RUNG_OK) return;
  fprintf(stderr, "%s\n", rung_error());
  exit(1);
}

/* Places in a state: a pose is 7 numbers from 1 on, with the quaternion w x y z last; a rate is 6 numbers behind all poses. */
static double turn(const double *x) { return 2 * atan2(x[1 + 6], x[1 + 3]); }
static double rate(const double *x, int64_t bodies) { return x[1 + 7 * bodies + 5]; }

int main(int argc, char **argv) {
  rung_handle plan, run;
  int64_t sizes[RUNG_SIZES], knob;
  double *x, begin, t, moment;
  size_t n;
  if (argc != 2) {
    fprintf(stderr, "usage: hold four-bar.model.json\n");
    return 2;
  }
  must(rung_plan(argv[1], NULL, 0, NULL, &plan));
  must(rung_sizes(plan, sizes, RUNG_SIZES));
  must(rung_knob(plan, "joints[O].force[0]", &knob));
  n = (size_t)sizes[RUNG_STATE];
  x = malloc(n * sizeof *x);
  must(rung_initial(plan, x, n));
  must(rung_run(plan, NULL, 0, "{\"tolerance\": 1e-9}", &run));
  begin = turn(x);
  for (t = 0.001; t < 3; t += 0.001) {
    moment = -2000 * (turn(x) - begin) - 200 * rate(x, sizes[RUNG_BODIES]);
    must(rung_set(run, &knob, &moment, 1));
    must(rung_run_to(run, t, 0));
    must(rung_run_state(run, x, n));
  }
  printf("after %.0f s the crank is %.4f rad from where it began, and turns at %.1e rad/s\n", t, turn(x) - begin, rate(x, sizes[RUNG_BODIES]));
  free(x);
  must(rung_free(run));
  must(rung_free(plan));
  return 0;
}

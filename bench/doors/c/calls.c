/* Times of the library from C, as an object of JSON with the names of list.go.
 *
 *   calls LIBRARY FOUR-BAR LADDER OUT
 *
 * OUT gets the accelerations of both models. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "rung.h"

enum { ROUNDS = 5, EMPTY = 1000000, MOST = 40000 };

static void *library;
static void *find(const char *name) {
  void *f = dlsym(library, name);
  if (!f) fprintf(stderr, "no function %s\n", name), exit(1);
  return f;
}
#define CALL(name, args) (((int32_t(*) args)(uintptr_t)find(#name)))
#define CHECK(call) \
  do { \
    if ((call) != RUNG_OK) fprintf(stderr, "%s: %s\n", #call, ((const char *(*)(void))(uintptr_t)find("rung_error"))()), exit(1); \
  } while (0)

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* accel prints the least time of an evaluation, and writes the accelerations. */
static void accel(const char *name, const char *model, int times, FILE *out) {
  static double state[MOST], acc[MOST];
  int64_t sizes[RUNG_SIZES];
  rung_handle plan, solver;
  int32_t (*f)(rung_handle, const double *, size_t, double *, size_t) = (int32_t(*)(rung_handle, const double *, size_t, double *, size_t))(uintptr_t)find("rung_accel");
  CHECK(CALL(rung_plan, (const char *, const char *, size_t, const char *, rung_handle *))(model, NULL, 0, NULL, &plan));
  CHECK(CALL(rung_sizes, (rung_handle, int64_t *, size_t))(plan, sizes, RUNG_SIZES));
  size_t n = (size_t)sizes[RUNG_STATE], m = 6 * (size_t)sizes[RUNG_BODIES];
  if (n > MOST || m > MOST) fprintf(stderr, "%s: %zu numbers\n", model, n), exit(1);
  CHECK(CALL(rung_initial, (rung_handle, double *, size_t))(plan, state, n));
  CHECK(CALL(rung_solver, (rung_handle, rung_handle *))(plan, &solver));
  CHECK(f(solver, state, n, acc, m));
  double best = 1e9;
  for (int r = 0; r < ROUNDS; r++) {
    double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < times; i++) CHECK(f(solver, state, n, acc, m));
    double took = (seconds(CLOCK_PROCESS_CPUTIME_ID) - begin) / times;
    if (took < best) best = took;
  }
  printf(", \"%s\": %.6g", name, 1e6 * best);
  if (fwrite(acc, sizeof acc[0], m, out) != m) fprintf(stderr, "%s: cannot be written\n", name), exit(1);
}

int main(int argc, char **argv) {
  if (argc != 5) return fprintf(stderr, "use: calls LIBRARY FOUR-BAR LADDER OUT\n"), 1;
  double begin = seconds(CLOCK_MONOTONIC);
  library = dlopen(argv[1], RTLD_NOW);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  double open = seconds(CLOCK_MONOTONIC);
  int32_t (*nothing)(void) = (int32_t(*)(void))(uintptr_t)find("rung_nothing");
  nothing();
  double first = seconds(CLOCK_MONOTONIC), best = 1e9;
  for (int r = 0; r < ROUNDS; r++) {
    double then = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < EMPTY; i++) nothing();
    double took = (seconds(CLOCK_PROCESS_CPUTIME_ID) - then) / EMPTY;
    if (took < best) best = took;
  }
  printf("{\"open\": %.6g, \"first\": %.6g, \"empty.c\": %.6g", 1e3 * (open - begin), 1e3 * (first - open), 1e9 * best);
  FILE *out = fopen(argv[4], "wb");
  if (!out) return perror(argv[4]), 1;
  accel("four-bar.c", argv[2], 20000, out);
  accel("ladder.c", argv[3], 100, out);
  printf("}\n");
  return fclose(out) ? 1 : 0;
}

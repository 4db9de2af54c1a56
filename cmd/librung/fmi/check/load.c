/* Loads a unit as a tool does, moves it by co-simulation over the times of a table of rung simulate, and compares all outputs with it, to the bit or
 * closely; states are saved and set back, calls out of order and wrong arguments are tried. Or the unit is loaded many times.
 *
 *   load UNIT.so RESOURCES TOKEN TABLE.csv bits|close|live
 *
 * Compiled with FMI=2 or FMI=3. */
#include "tool.h"

enum { LOADS = 60, MOST_THREADS = 8, INSTANCES = 50 };
static const double tolerance = 1e-9; /* relative to the largest number of the column, 1 at least: both runs make errors of 1e-12 a step */

static void move(const char *resources, const char *token, int bits) {
  static double x[MOST];
  double worst = 0;
  void *i = make(resources, token);
  CHECK(i);
  CHECK(step(i, 0, 0.1) == 3 && strstr(said, "before the initialization"));
  CHECK(!begin(i) && !plain("ExitInitializationMode", i));
  for (int n = 0; n < rows; n++) {
    if (n) CHECK(!step(i, table[n - 1][0], table[n][0] - table[n - 1][0]));
    CHECK(!get(i, refs, (size_t)columns, x));
    for (int k = 0; k < columns; k++) worst = fmax(worst, fabs(x[k] - table[n][k]) / scale[k]);
  }
  printf("FMI %d.0: co-simulation: %d rows of %d columns, off by %.2g at most\n", FMI, rows, columns, worst);
  CHECK(bits ? worst == 0 : worst <= tolerance);
  CHECK(step(i, 0, 0.1) == 3 && strstr(said, "a step from 0 s"));
  CHECK(get(i, (uint32_t[]){99999}, 1, x) == 3 && strstr(said, "value reference 99999"));
  asks = i;
  CHECK(set(i, refs, 1, (double[]){1}) == 3 && strstr(said, "time is no input"));
  CHECK(plain("EnterContinuousTimeMode", i) == 3 && strstr(said, "does not take this call while it runs"));
  CHECK(CALL(int, "GetContinuousStates", (void *, double *, size_t))(i, x, 2) == 3);
  CHECK(!plain("Terminate", i));
  CHECK(step(i, table[rows - 1][0], 0.1) == 3 && strstr(said, "after it has ended"));
  end(i);
}

static void save(const char *resources, const char *token) {
  static double first[MOST], x[MOST];
  void *i = make(resources, token), *other = make(resources, token), *state = NULL, *copy = NULL;
  size_t n;
  char *bytes;
  CHECK(i && other && !begin(i) && !plain("ExitInitializationMode", i) && !step(i, 0, 0.1));
  CHECK(!CALL(int, "Get" STATE, (void *, void **))(i, &state) && !step(i, 0.1, 0.2) && !get(i, refs, (size_t)columns, first));
  CHECK(!CALL(int, "Serialized" STATE "Size", (void *, void *, size_t *))(i, state, &n));
  bytes = malloc(n);
  CHECK(!CALL(int, "Serialize" STATE, (void *, void *, char *, size_t))(i, state, bytes, n));
  CHECK(!CALL(int, READ, (void *, const char *, size_t, void **))(other, bytes, n, &copy));
  CHECK(!CALL(int, "Set" STATE, (void *, void *))(i, state) && !CALL(int, "Set" STATE, (void *, void *))(other, copy));
  for (int k = 0; k < 2; k++) {
    void *o = k ? other : i;
    CHECK(!step(o, 0.1, 0.2) && !get(o, refs, (size_t)columns, x) && !memcmp(first, x, sizeof x[0] * (size_t)columns));
  }
  CHECK(!CALL(int, "Free" STATE, (void *, void **))(i, &state) && !state);
  bytes[0] = 77;
  CHECK(!CALL(int, READ, (void *, const char *, size_t, void **))(other, bytes, n, &copy));
  CHECK(CALL(int, "Set" STATE, (void *, void *))(other, copy) == 3 && strstr(said, "no bytes of a unit"));
  CHECK(!CALL(int, "Free" STATE, (void *, void **))(other, &copy));
  CHECK(!plain("Reset", i) && !begin(i) && !plain("ExitInitializationMode", i) && !step(i, 0, 0.1) && !step(i, 0.1, 0.2));
  CHECK(!get(i, refs, (size_t)columns, x) && !memcmp(first, x, sizeof x[0] * (size_t)columns));
  free(bytes), end(i), end(other);
}

#if FMI == 2
/* What a tool asks for before the initialization is part of a state. */
static void ask(const char *resources, const char *token) {
  void *i = make(resources, token), *other = make(resources, token), *state = NULL;
  CHECK(i && other && !CALL(int, "SetupExperiment", (void *, int, double, double, int, double))(i, 1, NAN, 0, 0, 0));
  CHECK(!CALL(int, "Get" STATE, (void *, void **))(i, &state) && !CALL(int, "Set" STATE, (void *, void *))(other, state));
  CHECK(plain("EnterInitializationMode", other) == 3 && strstr(said, "tolerance"));
  CHECK(!CALL(int, "Free" STATE, (void *, void **))(i, &state));
  end(i), end(other);
}
#else
static void ask(const char *resources, const char *token) { (void)resources, (void)token; }
#endif

static int threads(void) {
  char line[256];
  int n = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f)) sscanf(line, "Threads: %d", &n);
  if (f) fclose(f);
  return n;
}

/* The unit is loaded many times, and there are many instances at once. */
static void live(const char *unit, const char *resources, const char *token) {
  void *many[INSTANCES];
  for (int n = 0; n < LOADS; n++) {
    library = dlopen(unit, RTLD_NOW | RTLD_LOCAL);
    snprintf(said, sizeof said, "%s", library ? "" : dlerror());
    CHECK(library);
    void *i = make(resources, token);
    CHECK(i && !begin(i) && !plain("ExitInitializationMode", i) && !step(i, 0, 0.01));
    end(i);
    dlclose(library);
  }
  printf("FMI %d.0: %d loads, %d threads\n", FMI, LOADS, threads());
  CHECK(threads() <= MOST_THREADS);
  library = dlopen(unit, RTLD_NOW | RTLD_LOCAL);
  CHECK(!make(resources, "0123") && strstr(said, "belong to another unit"));
  CHECK(!make("/nowhere", token) && strstr(said, "no such file"));
  for (int k = 0; k < INSTANCES; k++) CHECK((many[k] = make(resources, token)));
  for (int k = 0; k < INSTANCES; k++) end(many[k]);
}

int main(int argc, char **argv) {
  CHECK(argc == 6);
  if (!strcmp(argv[5], "live")) {
    live(argv[1], argv[2], argv[3]);
    return 0;
  }
  read_table(argv[4]);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  move(argv[2], argv[3], !strcmp(argv[5], "bits"));
  save(argv[2], argv[3]);
  ask(argv[2], argv[3]);
  return 0;
}

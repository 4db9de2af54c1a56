/* Loads a unit as a tool does, moves it over the times of a table of rung simulate, and compares all outputs with it; then states are saved
 * and set back, calls out of order and wrong arguments are tried, and the unit is loaded many times.
 *
 *   load UNIT.so RESOURCES TOKEN TABLE.csv
 *
 * Compiled with FMI=2 or FMI=3. */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOADS = 60, MOST_THREADS = 8, MOST = 512, INSTANCES = 50 };
static const double tolerance = 1e-9; /* of a value, relative to 1 at least: both runs make errors of 1e-12 a step */
static char said[4096];

#define CHECK(x) \
  do { \
    if (!(x)) { \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, said); \
      exit(1); \
    } \
  } while (0)

static void *library;
static void *find(const char *name) {
  void *f = dlsym(library, name);
  if (!f) printf("no function %s\n", name), exit(1);
  return f;
}
#define CALL(result, name, args) (((result(*) args)(uintptr_t)find(PREFIX name)))

#if FMI == 2
#define PREFIX "fmi2"
#define STATE "FMUstate"
static void log_it(void *e, const char *instance, int s, const char *category, const char *format, ...) {
  va_list list;
  (void)e, (void)instance, (void)s, (void)category;
  va_start(list, format);
  vsnprintf(said, sizeof said, format, list);
  va_end(list);
}
static struct { void (*log)(void *, const char *, int, const char *, const char *, ...); void *(*a)(size_t, size_t); void (*f)(void *); void *x, *e; } callbacks = {log_it, calloc, free, 0, 0};
static void *make(const char *resources, const char *token) {
  char address[4096];
  snprintf(address, sizeof address, "file://%s", resources);
  return CALL(void *, "Instantiate", (const char *, int, const char *, const char *, void *, int, int))("one", 1, token, address, &callbacks, 0, 0);
}
static int begin(void *i) {
  int s = CALL(int, "SetupExperiment", (void *, int, double, double, int, double))(i, 0, 0, 0, 0, 0);
  return s ? s : CALL(int, "EnterInitializationMode", (void *))(i);
}
static int get(void *i, const uint32_t *r, size_t n, double *x) { return CALL(int, "GetReal", (void *, const uint32_t *, size_t, double *))(i, r, n, x); }
static int set(void *i, const uint32_t *r, size_t n, const double *x) { return CALL(int, "SetReal", (void *, const uint32_t *, size_t, const double *))(i, r, n, x); }
static int step(void *i, double t, double h) { return CALL(int, "DoStep", (void *, double, double, int))(i, t, h, 1); }
#define READ "DeSerialize" STATE
#else
#define PREFIX "fmi3"
#define STATE "FMUState"
#define READ "Deserialize" STATE
static void log_it(void *e, int s, const char *category, const char *text) { (void)e, (void)s, (void)category, snprintf(said, sizeof said, "%s", text); }
static void *make(const char *resources, const char *token) {
  return CALL(void *, "InstantiateCoSimulation",
              (const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, void (*)(void *, int, const char *, const char *), void *))(
      "one", token, resources, false, false, false, false, NULL, 0, NULL, log_it, NULL);
}
static int begin(void *i) { return CALL(int, "EnterInitializationMode", (void *, bool, double, double, bool, double))(i, false, 0, 0, false, 0); }
static int get(void *i, const uint32_t *r, size_t n, double *x) { return CALL(int, "GetFloat64", (void *, const uint32_t *, size_t, double *, size_t))(i, r, n, x, n); }
static int set(void *i, const uint32_t *r, size_t n, const double *x) { return CALL(int, "SetFloat64", (void *, const uint32_t *, size_t, const double *, size_t))(i, r, n, x, n); }
static int step(void *i, double t, double h) {
  bool event, end, early;
  double last;
  int s = CALL(int, "DoStep", (void *, double, double, bool, bool *, bool *, bool *, double *))(i, t, h, true, &event, &end, &early, &last);
  if (!s) CHECK(!event && !end && !early && last == t + h);
  return s;
}
#endif
static int plain(const char *name, void *i) {
  char full[64];
  snprintf(full, sizeof full, PREFIX "%s", name);
  return ((int (*)(void *))(uintptr_t)find(full))(i);
}
static void end(void *i) { CALL(void, "FreeInstance", (void *))(i); }

static double table[MOST][MOST];
static int rows, columns; /* the first column is the time */
static uint32_t refs[MOST];

static void read_table(const char *path) {
  static char line[1 << 20];
  FILE *f = fopen(path, "r");
  CHECK(f && fgets(line, sizeof line, f));
  while (fgets(line, sizeof line, f)) {
    char *p = line;
    CHECK(rows < MOST);
    for (columns = 0; columns < MOST; p++) {
      table[rows][columns++] = strtod(p, &p);
      if (*p != ',') break;
    }
    rows++;
  }
  fclose(f);
  for (int i = 0; i < columns; i++) refs[i] = (uint32_t)i;
}

static void move(const char *resources, const char *token) {
  static double x[MOST];
  double worst = 0;
  void *i = make(resources, token);
  CHECK(i);
  CHECK(step(i, 0, 0.1) == 3 && strstr(said, "before the initialization"));
  CHECK(!begin(i) && !plain("ExitInitializationMode", i));
  for (int n = 0; n < rows; n++) {
    if (n) CHECK(!step(i, table[n - 1][0], table[n][0] - table[n - 1][0]));
    CHECK(!get(i, refs, (size_t)columns, x));
    for (int k = 0; k < columns; k++) worst = fmax(worst, fabs(x[k] - table[n][k]) / fmax(1, fabs(table[n][k])));
  }
  printf("FMI %d.0: %d rows of %d columns, off by %.2g at most\n", FMI, rows, columns, worst);
  CHECK(worst <= tolerance);
  CHECK(step(i, 0, 0.1) == 3 && strstr(said, "a step from 0 s"));
  CHECK(get(i, (uint32_t[]){99999}, 1, x) == 3 && strstr(said, "value reference 99999"));
  CHECK(set(i, refs, 1, (double[]){1}) == 3 && strstr(said, "time is no input"));
  CHECK(plain("EnterContinuousTimeMode", i) == 3 && strstr(said, "model exchange"));
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

static int threads(void) {
  char line[256];
  int n = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f)) sscanf(line, "Threads: %d", &n);
  if (f) fclose(f);
  return n;
}

int main(int argc, char **argv) {
  void *many[INSTANCES];
  CHECK(argc == 5);
  read_table(argv[4]);
  for (int n = 0; n < LOADS; n++) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    snprintf(said, sizeof said, "%s", library ? "" : dlerror());
    CHECK(library);
    void *i = make(argv[2], argv[3]);
    CHECK(i && !begin(i) && !plain("ExitInitializationMode", i) && !step(i, 0, 0.01));
    end(i);
    dlclose(library);
  }
  printf("FMI %d.0: %d loads, %d threads\n", FMI, LOADS, threads());
  CHECK(threads() <= MOST_THREADS);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(!make(argv[2], "0123") && strstr(said, "belong to another unit"));
  CHECK(!make("/nowhere", argv[3]) && strstr(said, "no such file"));
  move(argv[2], argv[3]);
  save(argv[2], argv[3]);
  for (int k = 0; k < INSTANCES; k++) CHECK((many[k] = make(argv[2], argv[3])));
  for (int k = 0; k < INSTANCES; k++) end(many[k]);
  return 0;
}

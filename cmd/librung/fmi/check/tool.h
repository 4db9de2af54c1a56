/* What a tool does with a unit of either version, and a table of rung simulate. Compiled with FMI=2 or FMI=3. */
#ifndef TOOL_H
#define TOOL_H
#include <dlfcn.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };
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
static void *asks; /* the instance that the logger asks for an unknown variable, once */
static void ask_again(void);
#define CALL(result, name, args) (((result(*) args)(uintptr_t)find(PREFIX name)))

/* Texts of errors and of what was discarded have categories of their own; a unit gives no others. */
static const char *category_of(int s) { return s == 2 ? "logStatusDiscard" : s == 3 ? "logStatusError" : ""; }

#if FMI == 2
#define PREFIX "fmi2"
#define STATE "FMUstate"
static void log_it(void *e, const char *instance, int s, const char *category, const char *format, ...) {
  va_list list;
  (void)e, (void)instance;
  CHECK(!strcmp(category, category_of(s)));
  ask_again();
  va_start(list, format);
  vsnprintf(said, sizeof said, format, list);
  va_end(list);
}
static struct { void (*log)(void *, const char *, int, const char *, const char *, ...); void *(*a)(size_t, size_t); void (*f)(void *); void *x, *e; } callbacks = {log_it, calloc, free, 0, 0};
static void *instance_of(int exchange, const char *resources, const char *token) {
  char address[4096];
  snprintf(address, sizeof address, "file://%s", resources);
  return CALL(void *, "Instantiate", (const char *, int, const char *, const char *, void *, int, int))("one", !exchange, token, address, &callbacks, 0, 0);
}
static int begin(void *i) {
  int s = CALL(int, "SetupExperiment", (void *, int, double, double, int, double))(i, 0, 0, 0, 0, 0);
  return s ? s : CALL(int, "EnterInitializationMode", (void *))(i);
}
static int get(void *i, const uint32_t *r, size_t n, double *x) { return CALL(int, "GetReal", (void *, const uint32_t *, size_t, double *))(i, r, n, x); }
__attribute__((unused)) static int set(void *i, const uint32_t *r, size_t n, const double *x) { return CALL(int, "SetReal", (void *, const uint32_t *, size_t, const double *))(i, r, n, x); }
__attribute__((unused)) static int step(void *i, double t, double h) { return CALL(int, "DoStep", (void *, double, double, int))(i, t, h, 1); }
#define READ "DeSerialize" STATE
#else
#define PREFIX "fmi3"
#define STATE "FMUState"
#define READ "Deserialize" STATE
static void log_it(void *e, int s, const char *category, const char *text) {
  (void)e;
  CHECK(!strcmp(category, category_of(s)));
  ask_again();
  snprintf(said, sizeof said, "%s", text);
}
static void *instance_of(int exchange, const char *resources, const char *token) {
  if (exchange)
    return CALL(void *, "InstantiateModelExchange",
                (const char *, const char *, const char *, bool, bool, void *, void (*)(void *, int, const char *, const char *)))("one", token, resources,
                                                                                                                             false, false, NULL, log_it);
  return CALL(void *, "InstantiateCoSimulation",
              (const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, void (*)(void *, int, const char *, const char *), void *))(
      "one", token, resources, false, false, false, false, NULL, 0, NULL, log_it, NULL);
}
static int begin(void *i) { return CALL(int, "EnterInitializationMode", (void *, bool, double, double, bool, double))(i, false, 0, 0, false, 0); }
static int get(void *i, const uint32_t *r, size_t n, double *x) { return CALL(int, "GetFloat64", (void *, const uint32_t *, size_t, double *, size_t))(i, r, n, x, n); }
__attribute__((unused)) static int set(void *i, const uint32_t *r, size_t n, const double *x) { return CALL(int, "SetFloat64", (void *, const uint32_t *, size_t, const double *, size_t))(i, r, n, x, n); }
__attribute__((unused)) static int step(void *i, double t, double h) {
  bool event, end, early;
  double last;
  int s = CALL(int, "DoStep", (void *, double, double, bool, bool *, bool *, bool *, double *))(i, t, h, true, &event, &end, &early, &last);
  if (!s) CHECK(!event && !end && !early && last == t + h);
  return s;
}
#endif
static void ask_again(void) {
  void *i = asks;
  double x;
  asks = NULL;
  if (i) CHECK(get(i, (uint32_t[]){77777}, 1, &x) == 3 && strstr(said, "value reference 77777"));
}
__attribute__((unused)) static void *make(const char *resources, const char *token) { return instance_of(0, resources, token); }
static int plain(const char *name, void *i) {
  char full[64];
  snprintf(full, sizeof full, PREFIX "%s", name);
  return ((int (*)(void *))(uintptr_t)find(full))(i);
}
static void end(void *i) { CALL(void, "FreeInstance", (void *))(i); }

static double table[MOST][MOST], scale[MOST]; /* the largest of each column, 1 at least */
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
  const char *comma = getenv("RUNG_COMMA"); /* a locale in which tools write 0,5, and unlike this table */
  if (comma) CHECK(setlocale(LC_ALL, comma) && !strcmp(localeconv()->decimal_point, ","));
  for (int i = 0; i < columns; i++) {
    refs[i] = (uint32_t)i, scale[i] = 1;
    for (int n = 0; n < rows; n++) scale[i] = fmax(scale[i], fabs(table[n][i]));
  }
}

#endif

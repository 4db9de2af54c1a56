/* Finds the library in Go, and calls it. A library in Go stays in the process, and each copy brings a runtime of its own, some threads and
 * megabytes: so all units of a process share the one that is there already, by its name as it was linked. This file is plain C, and can
 * be unloaded. */
#define _GNU_SOURCE
#include "unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef LIBRARY
#ifdef _WIN32
#define LIBRARY "librung-1.dll"
#else
#define LIBRARY "librung-1.so"
#endif
#endif
#define EDITION 1 /* RUNG_ABI of rung.h */
enum { LONGEST = 4096 };

/* Functions of rung.h: result, name without its prefix, arguments. */
#define FUNCTIONS(X) \
  X(int32_t, abi, (void)) \
  X(const char *, error, (void)) \
  X(void, release, (char *)) \
  X(int32_t, free, (uint64_t)) \
  X(int32_t, unit, (const char *, const char *, uint64_t *)) \
  X(int32_t, unit_exchange, (const char *, const char *, uint64_t *)) \
  X(int32_t, unit_sizes, (uint64_t, int64_t *, int64_t *)) \
  X(int32_t, unit_time, (uint64_t, double)) \
  X(int32_t, unit_set_states, (uint64_t, const double *, size_t)) \
  X(int32_t, unit_states, (uint64_t, double *, size_t)) \
  X(int32_t, unit_derivatives, (uint64_t, double *, size_t)) \
  X(int32_t, unit_nominals, (uint64_t, double *, size_t)) \
  X(int32_t, unit_indicators, (uint64_t, double *, size_t)) \
  X(int32_t, unit_completed, (uint64_t, int64_t *)) \
  X(int32_t, unit_choose, (uint64_t, int64_t *)) \
  X(int32_t, unit_start, (uint64_t, double, double)) \
  X(int32_t, unit_set, (uint64_t, const uint32_t *, const double *, size_t)) \
  X(int32_t, unit_get, (uint64_t, const uint32_t *, double *, size_t)) \
  X(int32_t, unit_step, (uint64_t, double, double)) \
  X(int32_t, unit_reset, (uint64_t)) \
  X(int32_t, unit_save, (uint64_t, char **, size_t *)) \
  X(int32_t, unit_load, (uint64_t, const char *, size_t))

#define POINTER(result, name, args) static result(*rung_##name) args;
FUNCTIONS(POINTER)

#ifdef _WIN32
#include <windows.h>
static void *find(const char *name, void *library) { return (void *)GetProcAddress((HMODULE)library, name); }
static void *load(char *path) {
  HMODULE h = GetModuleHandleA(LIBRARY), me;
  DWORD n;
  if (h) return h;
  GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT, (LPCSTR)&load, &me);
  n = GetModuleFileNameA(me, path, LONGEST - sizeof LIBRARY);
  while (n && path[n - 1] != '\\') n--;
  strcpy(path + n, LIBRARY);
  return LoadLibraryA(path);
}
static const char *why(void) { return "not found, or of another system"; }
#else
#include <dlfcn.h>
static void *find(const char *name, void *library) { return dlsym(library, name); }
static void *load(char *path) {
  void *h = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  Dl_info me;
  char *slash;
  if (h) return h;
  if (!dladdr((void *)(uintptr_t)&load, &me) || strlen(me.dli_fname) >= LONGEST - sizeof LIBRARY) return NULL;
  strcpy(path, me.dli_fname);
  slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, LIBRARY);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}
static const char *why(void) {
  const char *text = dlerror();
  return text ? text : "not found";
}
#endif

/* Finds the functions of the library; text gets what is wrong. Tools make instances from one thread at a time. */
static int ready(char *text, size_t size) {
  static int done;
  char path[LONGEST] = LIBRARY;
  void *library;
  if (done) return 1;
  library = load(path);
  if (!library) {
    snprintf(text, size, "no library %s in the process or beside this unit: %s", LIBRARY, why());
    return 0;
  }
#define FIND(result, name, args) \
  *(void **)&rung_##name = find("rung_" #name, library); \
  if (!rung_##name) { \
    snprintf(text, size, "the library %s has no function rung_" #name ": it is older than this unit", LIBRARY); \
    return 0; \
  }
  FUNCTIONS(FIND)
  if (rung_abi() != EDITION) {
    snprintf(text, size, "the library %s has the edition %d, and this unit needs %d", LIBRARY, (int)rung_abi(), EDITION);
    return 0;
  }
  return done = 1;
}

const char *unit_category(int status) { return status == UNIT_DISCARD ? "logStatusDiscard" : "logStatusError"; }

int unit_say(instance *i, int status, const char *text) {
  if (status && text && i->logger) i->tell(i, status, text);
  return status;
}

/* The status of a call of the library. A run that has failed on the way, and not at its arguments, leaves an instance that may
 * only be reset, set to a saved state or freed. Model exchange goes on at other states. */
enum { RUNG_OK = 0, RUNG_FAILED = 2, RUNG_BUG = 8 };
static int told(instance *i, int32_t status) {
  if (status == RUNG_OK) return UNIT_OK;
  if (i->exchange && status == RUNG_FAILED) return unit_say(i, UNIT_DISCARD, rung_error());
  if (status == RUNG_FAILED || status == RUNG_BUG) i->at = BROKEN;
  return unit_say(i, UNIT_ERROR, rung_error());
}

instance *unit_new(int exchange, const char *name, const char *token, const char *resources, void *logger, void *environment,
                   void (*tell)(instance *, int, const char *)) {
  char text[2 * LONGEST];
  instance *i = calloc(1, sizeof *i);
  if (!i) return NULL;
  i->logger = logger, i->environment = environment, i->tell = tell, i->at = MADE, i->exchange = exchange;
  i->name = calloc(1, name ? strlen(name) + 1 : 1);
  if (i->name && name) strcpy(i->name, name);
  if (!i->name) {
    unit_free(i);
    return NULL;
  }
  if (!ready(text, sizeof text)) {
    unit_say(i, UNIT_ERROR, text);
  } else if (!resources) {
    unit_say(i, UNIT_ERROR, "the folder of resources is missing, or no file: address");
  } else if (!token) {
    unit_say(i, UNIT_ERROR, "the token (guid) is missing");
  } else if ((exchange ? rung_unit_exchange : rung_unit)(resources, token, &i->unit) != RUNG_OK) {
    unit_say(i, UNIT_ERROR, rung_error());
  }
  if (i->unit) {
    static const uint32_t first = 0;
    rung_unit_get(i->unit, &first, &i->time, 1); /* of the model, where a tool says none */
    return i;
  }
  unit_free(i);
  return NULL;
}

void unit_free(instance *i) {
  if (!i) return;
  if (i->unit) rung_free(i->unit);
  free(i->name);
  free(i);
}

int unit_may(instance *i, int phases, const char *function) {
  static const char *const names[] = {"before the initialization", "during the initialization", "while it runs",
                                      "after it has ended",         "after an error",            "in event mode",
                                      "in continuous-time mode"};
  char text[256];
  int n = 0;
  if (!i) return UNIT_ERROR;
  if (i->at & phases) return UNIT_OK;
  while (i->at >> n > 1) n++;
  snprintf(text, sizeof text, "%s: a unit does not take this call %s", function, names[n]);
  return unit_say(i, UNIT_ERROR, text);
}

int unit_begin(instance *i, double time, double tolerance) {
  int status = told(i, rung_unit_start(i->unit, time, tolerance));
  if (status == UNIT_OK) i->time = time, i->at = STARTING;
  return status;
}

int unit_get(instance *i, const uint32_t *variables, size_t n, double *values) { return told(i, rung_unit_get(i->unit, variables, values, n)); }
int unit_set(instance *i, const uint32_t *variables, size_t n, const double *values) { return told(i, rung_unit_set(i->unit, variables, values, n)); }

int unit_ready(instance *i) {
  i->at = i->exchange ? EVENTS : RUNNING;
  return UNIT_OK;
}

int unit_sizes(instance *i, size_t *states, size_t *indicators) {
  int64_t n = 0, m = 0;
  int status = told(i, rung_unit_sizes(i->unit, &n, &m));
  if (states) *states = (size_t)n;
  if (indicators) *indicators = (size_t)m;
  return status;
}

int unit_time(instance *i, double time) { return told(i, rung_unit_time(i->unit, time)); }
int unit_set_states(instance *i, const double *x, size_t n) { return told(i, rung_unit_set_states(i->unit, x, n)); }

int unit_vector(instance *i, vector what, double *x, size_t n) {
  int32_t (*const functions[])(uint64_t, double *, size_t) = {rung_unit_states, rung_unit_derivatives, rung_unit_nominals, rung_unit_indicators};
  return told(i, functions[what](i->unit, x, n));
}

static int answer(instance *i, int32_t (*f)(uint64_t, int64_t *), int *yes) {
  int64_t is = 0;
  int status = told(i, f(i->unit, &is));
  *yes = is != 0;
  return status;
}

int unit_completed(instance *i, int *event) { return answer(i, rung_unit_completed, event); }
int unit_choose(instance *i, int *changed) { return answer(i, rung_unit_choose, changed); }

int unit_step(instance *i, double time, double step) { return told(i, rung_unit_step(i->unit, time, step)); }

int unit_reset(instance *i) {
  int status = told(i, rung_unit_reset(i->unit));
  if (status == UNIT_OK) i->at = MADE;
  return status;
}

void unit_drop(kept **state) {
  if (!state || !*state) return;
  free((*state)->bytes);
  free(*state);
  *state = NULL;
}

/* A state has some bytes before those of the library: where the instance was in its life, and what the tool had asked for. */
typedef struct { double time, tolerance; } asked;
enum { HEAD = 1 + sizeof(asked) };

int unit_read(instance *i, const char *bytes, size_t n, kept **state) {
  kept *k;
  if (!state || !bytes || n < 1) return unit_say(i, UNIT_ERROR, "a saved state: a null pointer, or no bytes");
  unit_drop(state);
  k = calloc(1, sizeof *k);
  if (!k || !(k->bytes = malloc(n))) {
    free(k);
    return unit_say(i, UNIT_ERROR, "a saved state: no memory");
  }
  memcpy(k->bytes, bytes, n);
  k->size = n;
  *state = k;
  return UNIT_OK;
}

int unit_save(instance *i, kept **state) {
  char *bytes = NULL, *all;
  size_t n = 0;
  int status = told(i, rung_unit_save(i->unit, &bytes, &n));
  if (status != UNIT_OK) return status;
  all = malloc(n + HEAD);
  if (all) {
    const asked a = {i->time, i->tolerance};
    all[0] = (char)i->at;
    memcpy(all + 1, &a, sizeof a);
    memcpy(all + HEAD, bytes, n);
    status = unit_read(i, all, n + HEAD, state);
    free(all);
  } else {
    status = unit_say(i, UNIT_ERROR, "a saved state: no memory");
  }
  rung_release(bytes);
  return status;
}

int unit_load(instance *i, const kept *k) {
  int status, at;
  asked a;
  if (!k) return unit_say(i, UNIT_ERROR, "a saved state: a null pointer");
  if (k->size < HEAD) return unit_say(i, UNIT_ERROR, "a saved state: no bytes of a unit");
  at = k->bytes[0];
  memcpy(&a, k->bytes + 1, sizeof a);
  if (at != MADE && at != STARTING && at != ENDED && (i->exchange ? at != EVENTS && at != CONTINUOUS : at != RUNNING)) return unit_say(i, UNIT_ERROR, "a saved state: no bytes of a unit");
  status = told(i, rung_unit_load(i->unit, k->bytes + HEAD, k->size - HEAD));
  if (status == UNIT_OK) i->at = (phase)at, i->time = a.time, i->tolerance = a.tolerance;
  return status;
}

int unit_lacks(instance *i, const char *what) {
  char text[256];
  if (!i) return UNIT_ERROR;
  snprintf(text, sizeof text, "units of Rung have no %s", what);
  return unit_say(i, UNIT_ERROR, text);
}

/* The functions of FMI 2.0. Their names and arguments are those of the standard. */
#include "unit.h"
#include <stdlib.h>
#include <string.h>

typedef int status, truth, kind;
typedef const uint32_t *references;
typedef void (*report)(void *environment, const char *instance, status s, const char *category, const char *format, ...);
typedef struct {
  report log;
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, status);
  void *environment;
} callbacks;
typedef struct {
  truth again, end, nominals, values, next;
  double time;
} events;

/* The text is the format, with each % twice, as there are tools that print the format and drop the arguments. It is a copy: a logger may call the
 * unit, and then the text of the last error is another one. */
static void tell(instance *i, int s, const char *text) {
  char *format = malloc(2 * strlen(text) + 1), *to = format;
  report log;
  if (!format) return;
  for (; *text; text++) {
    *to++ = *text;
    if (*text == '%') *to++ = '%';
  }
  *to = 0;
  memcpy(&log, &i->logger, sizeof log);
  log(i->environment, i->name, s, unit_category(s), format);
  free(format);
}

static int digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 32;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The path of an address: file:///a%20b, file:/a, file://localhost/a; null for other kinds. What has no scheme is a path. The caller frees it. */
static char *path_of(const char *address) {
  char *path, *to;
  int plain = 0;
  if (!address) return NULL;
  if (!strncmp(address, "file://localhost/", 17)) address += 16;
  else if (!strncmp(address, "file:///", 8)) address += 7;
  else if (!strncmp(address, "file:/", 6) && address[6] != '/') address += 5;
  else if (strstr(address, "://")) return NULL;
  else plain = 1;
#ifdef _WIN32
  if (address[0] == '/' && address[1] && address[2] == ':') address++;
#endif
  path = to = malloc(strlen(address) + 1);
  if (!path) return NULL;
  for (; *address; address++) {
    if (!plain && *address == '%' && digit(address[1]) >= 0 && digit(address[2]) >= 0) {
      *to++ = (char)(16 * digit(address[1]) + digit(address[2]));
      address += 2;
    } else {
      *to++ = *address;
    }
  }
  *to = 0;
  return path;
}

#define MAY(phases) \
  do { \
    int refused = unit_may(i, phases, __func__); \
    if (refused) return refused; \
  } while (0)

API const char *fmi2GetTypesPlatform(void) { return "default"; }
API const char *fmi2GetVersion(void) { return "2.0"; }

API status fmi2SetDebugLogging(instance *i, truth on, size_t n, const char *const categories[]) {
  (void)on, (void)n, (void)categories; /* errors are told always */
  return i ? UNIT_OK : UNIT_ERROR;
}

API void *fmi2Instantiate(const char *name, kind type, const char *guid, const char *resources, const callbacks *f, truth visible, truth logging) {
  void *log = NULL;
  char *path = path_of(resources);
  instance *i;
  (void)visible, (void)logging;
  if (f) memcpy(&log, &f->log, sizeof log);
  i = unit_new(type == 0, name, guid, path, log, f ? f->environment : NULL, tell);
  free(path);
  return i;
}

API void fmi2FreeInstance(instance *i) { unit_free(i); }

API status fmi2SetupExperiment(instance *i, truth has_tolerance, double tolerance, double start, truth has_stop, double stop) {
  MAY(MADE);
  (void)has_stop, (void)stop;
  i->time = start, i->tolerance = has_tolerance ? tolerance : 0;
  return UNIT_OK;
}

API status fmi2EnterInitializationMode(instance *i) {
  MAY(MADE);
  return unit_begin(i, i->time, i->tolerance);
}

API status fmi2ExitInitializationMode(instance *i) {
  MAY(STARTING);
  return unit_ready(i);
}

API status fmi2Terminate(instance *i) {
  MAY(WORKING);
  i->at = ENDED;
  return UNIT_OK;
}

API status fmi2Reset(instance *i) {
  MAY(ALIVE);
  i->tolerance = 0;
  return unit_reset(i);
}

API status fmi2GetReal(instance *i, references r, size_t n, double values[]) {
  MAY(ALIVE & ~BROKEN);
  return unit_get(i, r, n, values);
}

API status fmi2SetReal(instance *i, references r, size_t n, const double values[]) {
  MAY(MADE | STARTING | WORKING);
  return unit_set(i, r, n, values);
}

/* There are no variables of other types: none of them is fine. */
#define NO_VARIABLES(name, type) \
  API status name(instance *i, references r, size_t n, type values[]) { \
    (void)r, (void)values; \
    return i && !n ? UNIT_OK : unit_lacks(i, "variables but real numbers"); \
  }
NO_VARIABLES(fmi2GetInteger, int)
NO_VARIABLES(fmi2SetInteger, const int)
NO_VARIABLES(fmi2GetBoolean, truth)
NO_VARIABLES(fmi2SetBoolean, const truth)
NO_VARIABLES(fmi2GetString, const char *)
NO_VARIABLES(fmi2SetString, const char *const)

API status fmi2GetFMUstate(instance *i, kept **state) {
  MAY(ALIVE & ~BROKEN);
  return unit_save(i, state);
}

API status fmi2SetFMUstate(instance *i, kept *state) {
  MAY(ALIVE);
  return unit_load(i, state);
}

API status fmi2FreeFMUstate(instance *i, kept **state) {
  unit_drop(state);
  return i ? UNIT_OK : UNIT_ERROR;
}

API status fmi2SerializedFMUstateSize(instance *i, kept *state, size_t *size) {
  MAY(ALIVE);
  if (!state || !size) return unit_say(i, UNIT_ERROR, "a saved state: a null pointer");
  *size = state->size;
  return UNIT_OK;
}

API status fmi2SerializeFMUstate(instance *i, kept *state, char bytes[], size_t size) {
  MAY(ALIVE);
  if (!state || !bytes || size < state->size) return unit_say(i, UNIT_ERROR, "a saved state: a null pointer, or too few bytes");
  memcpy(bytes, state->bytes, state->size);
  return UNIT_OK;
}

API status fmi2DeSerializeFMUstate(instance *i, const char bytes[], size_t size, kept **state) {
  MAY(ALIVE);
  return unit_read(i, bytes, size, state);
}

API status fmi2GetDirectionalDerivative(instance *i, references unknown, size_t n, references known, size_t m, const double seed[], double result[]) {
  (void)unknown, (void)n, (void)known, (void)m, (void)seed, (void)result;
  return unit_lacks(i, "directional derivatives");
}

/* Co-simulation. */

API status fmi2SetRealInputDerivatives(instance *i, references r, size_t n, const int orders[], const double values[]) {
  (void)r, (void)orders, (void)values;
  return i && !n ? UNIT_OK : unit_lacks(i, "derivatives of inputs: inputs keep their values during a step");
}

API status fmi2GetRealOutputDerivatives(instance *i, references r, size_t n, const int orders[], double values[]) {
  (void)r, (void)orders, (void)values;
  return i && !n ? UNIT_OK : unit_lacks(i, "derivatives of outputs: rates and accelerations are outputs");
}

API status fmi2DoStep(instance *i, double time, double step, truth keep) {
  MAY(RUNNING);
  (void)keep;
  return unit_step(i, time, step);
}

API status fmi2CancelStep(instance *i) { return unit_lacks(i, "steps that go on after the call"); }

API status fmi2GetStatus(instance *i, kind what, status *value) {
  (void)what;
  if (!i || !value) return UNIT_ERROR;
  *value = i->at == BROKEN ? UNIT_ERROR : UNIT_OK;
  return UNIT_DISCARD;
}

enum { LAST_TIME = 2, TERMINATED = 3 };

API status fmi2GetRealStatus(instance *i, kind what, double *value) {
  static const uint32_t time = 0;
  if (!i || !value) return UNIT_ERROR;
  return what == LAST_TIME ? unit_get(i, &time, 1, value) : UNIT_DISCARD;
}

API status fmi2GetIntegerStatus(instance *i, kind what, int *value) {
  (void)what, (void)value;
  return i ? UNIT_DISCARD : UNIT_ERROR;
}

API status fmi2GetBooleanStatus(instance *i, kind what, truth *value) {
  if (!i || !value) return UNIT_ERROR;
  *value = 0;
  return what == TERMINATED ? UNIT_OK : UNIT_DISCARD;
}

API status fmi2GetStringStatus(instance *i, kind what, const char **value) {
  (void)what, (void)value;
  return i ? UNIT_DISCARD : UNIT_ERROR;
}

/* Model exchange. */

API status fmi2EnterEventMode(instance *i) {
  MAY(CONTINUOUS);
  i->at = EVENTS;
  return UNIT_OK;
}

API status fmi2NewDiscreteStates(instance *i, events *e) {
  status s;
  MAY(EVENTS);
  if (!e) return unit_say(i, UNIT_ERROR, "fmi2NewDiscreteStates: a null pointer");
  memset(e, 0, sizeof *e);
  s = unit_choose(i, &e->values);
  e->nominals = e->values;
  return s;
}

API status fmi2EnterContinuousTimeMode(instance *i) {
  MAY(EVENTS);
  i->at = CONTINUOUS;
  return UNIT_OK;
}

API status fmi2CompletedIntegratorStep(instance *i, truth keep, truth *event, truth *end) {
  MAY(CONTINUOUS);
  (void)keep;
  if (!event || !end) return unit_say(i, UNIT_ERROR, "fmi2CompletedIntegratorStep: a null pointer");
  *end = 0;
  return unit_completed(i, event);
}

API status fmi2SetTime(instance *i, double time) {
  MAY(EVENTS | CONTINUOUS);
  return unit_time(i, time);
}

API status fmi2SetContinuousStates(instance *i, const double x[], size_t n) {
  MAY(CONTINUOUS);
  return unit_set_states(i, x, n);
}

#define VECTOR(name, what, phases) \
  API status name(instance *i, double x[], size_t n) { \
    MAY(phases); \
    return i->exchange ? unit_vector(i, what, x, n) : unit_lacks(i, "continuous states in co-simulation"); \
  }
VECTOR(fmi2GetDerivatives, DERIVATIVES, STARTING | EVENTS | CONTINUOUS | ENDED)
VECTOR(fmi2GetEventIndicators, INDICATORS, STARTING | EVENTS | CONTINUOUS | ENDED)
VECTOR(fmi2GetContinuousStates, STATES, STARTING | EVENTS | CONTINUOUS | ENDED)
VECTOR(fmi2GetNominalsOfContinuousStates, NOMINALS, STARTING | EVENTS | CONTINUOUS | ENDED)

/* The functions of FMI 3.0. Their names and arguments are those of the standard. Those of scheduled execution, clocks and
 * configuration are an error that says so. */
#include "unit.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef int status, qualifier;
typedef uint32_t reference;
typedef const uint32_t *references;
typedef void (*report)(void *environment, status s, const char *category, const char *text);
typedef void (*update)(void *, double, bool, bool, bool, bool, bool, bool *, double *);

/* The text is a copy: a logger may call the unit, and then that of the last error is another one. */
static void tell(instance *i, int s, const char *text) {
  char *copy = malloc(strlen(text) + 1);
  report log;
  if (!copy) return;
  memcpy(&log, &i->logger, sizeof log);
  log(i->environment, s, unit_category(s), strcpy(copy, text));
  free(copy);
}

#define MAY(phases) \
  do { \
    int refused = unit_may(i, phases, __func__); \
    if (refused) return refused; \
  } while (0)

API const char *fmi3GetVersion(void) { return "3.0"; }

API status fmi3SetDebugLogging(instance *i, bool on, size_t n, const char *const categories[]) {
  (void)on, (void)n, (void)categories; /* errors are told always */
  return i ? UNIT_OK : UNIT_ERROR;
}

/* Tells the logger what kind of instance there is not. */
static void *none(report log, void *environment, const char *what) {
  instance i = {0};
  memcpy(&i.logger, &log, sizeof log);
  i.environment = environment, i.tell = tell;
  unit_lacks(&i, what);
  return NULL;
}

API void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment, report log) {
  void *to;
  (void)visible, (void)logging;
  memcpy(&to, &log, sizeof to);
  return unit_new(1, name, token, resources, to, environment, tell);
}

API void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging, bool events, bool early,
                                      const reference needed[], size_t n, void *environment, report log, update intermediate) {
  void *to;
  (void)visible, (void)logging, (void)early, (void)needed, (void)intermediate;
  if (events) return none(log, environment, "event mode: events are within steps");
  if (n) return none(log, environment, "values within steps");
  memcpy(&to, &log, sizeof to);
  return unit_new(0, name, token, resources, to, environment, tell);
}

API void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible, bool logging, void *environment,
                                            report log, void (*clocks)(void *), void (*lock)(void), void (*unlock)(void)) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clocks, (void)lock, (void)unlock;
  return none(log, environment, "scheduled execution: take co-simulation");
}

API void fmi3FreeInstance(instance *i) { unit_free(i); }

API status fmi3EnterInitializationMode(instance *i, bool has_tolerance, double tolerance, double start, bool has_stop, double stop) {
  MAY(MADE);
  (void)has_stop, (void)stop;
  return unit_begin(i, start, has_tolerance ? tolerance : 0);
}

API status fmi3ExitInitializationMode(instance *i) {
  MAY(STARTING);
  return unit_ready(i);
}

API status fmi3Terminate(instance *i) {
  MAY(WORKING);
  i->at = ENDED;
  return UNIT_OK;
}

API status fmi3Reset(instance *i) {
  MAY(ALIVE);
  return unit_reset(i);
}

static status unequal(instance *i) { return unit_say(i, UNIT_ERROR, "all variables are numbers: as many values as value references"); }

API status fmi3GetFloat64(instance *i, references r, size_t n, double values[], size_t m) {
  MAY(ALIVE & ~BROKEN);
  return n == m ? unit_get(i, r, n, values) : unequal(i);
}

API status fmi3SetFloat64(instance *i, references r, size_t n, const double values[], size_t m) {
  MAY(MADE | STARTING | WORKING);
  return n == m ? unit_set(i, r, n, values) : unequal(i);
}

/* There are no variables of other types: none of them is fine. */
static status other(instance *i, size_t n) { return i && !n ? UNIT_OK : unit_lacks(i, "variables but those of Float64"); }
#define NO_VARIABLES(name, type) \
  API status fmi3Get##name(instance *i, references r, size_t n, type values[], size_t m) { return (void)r, (void)values, (void)m, other(i, n); } \
  API status fmi3Set##name(instance *i, references r, size_t n, const type values[], size_t m) { return (void)r, (void)values, (void)m, other(i, n); }
typedef const char *text;
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, text)
API status fmi3GetBinary(instance *i, references r, size_t n, size_t sizes[], const uint8_t *values[], size_t m) {
  return (void)r, (void)sizes, (void)values, (void)m, other(i, n);
}
API status fmi3SetBinary(instance *i, references r, size_t n, const size_t sizes[], const uint8_t *const values[], size_t m) {
  return (void)r, (void)sizes, (void)values, (void)m, other(i, n);
}
API status fmi3GetClock(instance *i, references r, size_t n, bool values[]) { return (void)r, (void)values, other(i, n); }
API status fmi3SetClock(instance *i, references r, size_t n, const bool values[]) { return (void)r, (void)values, other(i, n); }

API status fmi3GetFMUState(instance *i, kept **state) {
  MAY(ALIVE & ~BROKEN);
  return unit_save(i, state);
}

API status fmi3SetFMUState(instance *i, kept *state) {
  MAY(ALIVE);
  return unit_load(i, state);
}

API status fmi3FreeFMUState(instance *i, kept **state) {
  unit_drop(state);
  return i ? UNIT_OK : UNIT_ERROR;
}

API status fmi3SerializedFMUStateSize(instance *i, kept *state, size_t *size) {
  MAY(ALIVE);
  if (!state || !size) return unit_say(i, UNIT_ERROR, "a saved state: a null pointer");
  *size = state->size;
  return UNIT_OK;
}

API status fmi3SerializeFMUState(instance *i, kept *state, uint8_t bytes[], size_t size) {
  MAY(ALIVE);
  if (!state || !bytes || size < state->size) return unit_say(i, UNIT_ERROR, "a saved state: a null pointer, or too few bytes");
  memcpy(bytes, state->bytes, state->size);
  return UNIT_OK;
}

API status fmi3DeserializeFMUState(instance *i, const uint8_t bytes[], size_t size, kept **state) {
  MAY(ALIVE);
  return unit_read(i, (const char *)bytes, size, state);
}

static status derivatives(instance *i) { return unit_lacks(i, "directional or adjoint derivatives"); }

API status fmi3GetDirectionalDerivative(instance *i, references unknown, size_t n, references known, size_t m, const double seed[], size_t seeds,
                                        double result[], size_t results) {
  return (void)unknown, (void)n, (void)known, (void)m, (void)seed, (void)seeds, (void)result, (void)results, derivatives(i);
}

API status fmi3GetAdjointDerivative(instance *i, references unknown, size_t n, references known, size_t m, const double seed[], size_t seeds,
                                    double result[], size_t results) {
  return (void)unknown, (void)n, (void)known, (void)m, (void)seed, (void)seeds, (void)result, (void)results, derivatives(i);
}

/* Sizes of variables do not depend on anything. */
API status fmi3EnterConfigurationMode(instance *i) { return unit_lacks(i, "structural parameters"); }
API status fmi3ExitConfigurationMode(instance *i) { return unit_lacks(i, "structural parameters"); }

/* That outputs depend on all inputs is what a description without dependencies says. */
API status fmi3GetNumberOfVariableDependencies(instance *i, reference of, size_t *n) { return (void)of, (void)n, unit_lacks(i, "list of dependencies"); }
API status fmi3GetVariableDependencies(instance *i, reference of, size_t elements[], reference on[], size_t others[], qualifier kinds[], size_t n) {
  return (void)of, (void)elements, (void)on, (void)others, (void)kinds, (void)n, unit_lacks(i, "list of dependencies");
}

/* Co-simulation. */

API status fmi3EnterStepMode(instance *i) { return unit_lacks(i, "event mode: events are within steps"); }

API status fmi3GetOutputDerivatives(instance *i, references r, size_t n, const int32_t orders[], double values[], size_t m) {
  (void)r, (void)orders, (void)values, (void)m;
  return i && !n ? UNIT_OK : unit_lacks(i, "derivatives of outputs: rates and accelerations are outputs");
}

API status fmi3DoStep(instance *i, double time, double step, bool keep, bool *event, bool *end, bool *early, double *last) {
  static const uint32_t first = 0;
  status s;
  MAY(RUNNING);
  (void)keep;
  if (!event || !end || !early || !last) return unit_say(i, UNIT_ERROR, "fmi3DoStep: a null pointer");
  *event = *end = *early = false;
  s = unit_step(i, time, step);
  if (i->at != BROKEN) unit_get(i, &first, 1, last);
  return s;
}

/* Clocks. */

#define NO_CLOCKS(name, ...) \
  API status name(instance *i, references r, size_t n, __VA_ARGS__)
static status clocks(instance *i, size_t n) { return i && !n ? UNIT_OK : unit_lacks(i, "clocks"); }
NO_CLOCKS(fmi3GetIntervalDecimal, double x[], qualifier q[]) { return (void)r, (void)x, (void)q, clocks(i, n); }
NO_CLOCKS(fmi3GetIntervalFraction, uint64_t x[], uint64_t y[], qualifier q[]) { return (void)r, (void)x, (void)y, (void)q, clocks(i, n); }
NO_CLOCKS(fmi3GetShiftDecimal, double x[]) { return (void)r, (void)x, clocks(i, n); }
NO_CLOCKS(fmi3GetShiftFraction, uint64_t x[], uint64_t y[]) { return (void)r, (void)x, (void)y, clocks(i, n); }
NO_CLOCKS(fmi3SetIntervalDecimal, const double x[]) { return (void)r, (void)x, clocks(i, n); }
NO_CLOCKS(fmi3SetIntervalFraction, const uint64_t x[], const uint64_t y[]) { return (void)r, (void)x, (void)y, clocks(i, n); }
NO_CLOCKS(fmi3SetShiftDecimal, const double x[]) { return (void)r, (void)x, clocks(i, n); }
NO_CLOCKS(fmi3SetShiftFraction, const uint64_t x[], const uint64_t y[]) { return (void)r, (void)x, (void)y, clocks(i, n); }
API status fmi3ActivateModelPartition(instance *i, reference clock, double time) { return (void)clock, (void)time, unit_lacks(i, "scheduled execution"); }

/* Model exchange. */

API status fmi3EnterEventMode(instance *i) {
  MAY(CONTINUOUS | RUNNING);
  if (!i->exchange) return unit_lacks(i, "event mode in co-simulation: events are within steps");
  i->at = EVENTS;
  return UNIT_OK;
}

API status fmi3EvaluateDiscreteStates(instance *i) {
  MAY(STARTING | EVENTS);
  return UNIT_OK; /* there are none */
}

API status fmi3UpdateDiscreteStates(instance *i, bool *again, bool *end, bool *nominals, bool *values, bool *next, double *time) {
  status s;
  int changed;
  MAY(EVENTS);
  (void)time;
  if (!again || !end || !nominals || !values || !next) return unit_say(i, UNIT_ERROR, "fmi3UpdateDiscreteStates: a null pointer");
  s = unit_choose(i, &changed);
  *again = *end = *next = false;
  *nominals = *values = changed;
  return s;
}

API status fmi3EnterContinuousTimeMode(instance *i) {
  MAY(EVENTS);
  i->at = CONTINUOUS;
  return UNIT_OK;
}

API status fmi3CompletedIntegratorStep(instance *i, bool keep, bool *event, bool *end) {
  int wanted;
  status s;
  MAY(CONTINUOUS);
  (void)keep;
  if (!event || !end) return unit_say(i, UNIT_ERROR, "fmi3CompletedIntegratorStep: a null pointer");
  s = unit_completed(i, &wanted);
  *event = wanted, *end = false;
  return s;
}

API status fmi3SetTime(instance *i, double time) {
  MAY(EVENTS | CONTINUOUS);
  return unit_time(i, time);
}

API status fmi3SetContinuousStates(instance *i, const double x[], size_t n) {
  MAY(CONTINUOUS);
  return unit_set_states(i, x, n);
}

static status lacks_states(instance *i) { return unit_lacks(i, "continuous states in co-simulation"); }

#define VECTOR(name, what) \
  API status name(instance *i, double x[], size_t n) { \
    MAY(STARTING | EVENTS | CONTINUOUS | ENDED); \
    return i->exchange ? unit_vector(i, what, x, n) : lacks_states(i); \
  }
VECTOR(fmi3GetContinuousStateDerivatives, DERIVATIVES)
VECTOR(fmi3GetEventIndicators, INDICATORS)
VECTOR(fmi3GetContinuousStates, STATES)
VECTOR(fmi3GetNominalsOfContinuousStates, NOMINALS)

API status fmi3GetNumberOfEventIndicators(instance *i, size_t *n) {
  MAY(ALIVE);
  return i->exchange ? unit_sizes(i, NULL, n) : lacks_states(i);
}

API status fmi3GetNumberOfContinuousStates(instance *i, size_t *n) {
  MAY(ALIVE);
  return i->exchange ? unit_sizes(i, n, NULL) : lacks_states(i);
}

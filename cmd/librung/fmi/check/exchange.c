/* Moves a unit by model exchange, as a tool with an integrator of its own does, over the times of a table of rung simulate: by the classical Runge-Kutta
 * method with two sizes of steps, whose errors show its order, and with SUNDIALS by CVODE.
 *
 *   exchange UNIT.so RESOURCES TOKEN TABLE.csv STEPS KIND STATES GAPS
 *
 * STEPS are those of Runge-Kutta from row to row, the first time. KIND is smooth, kinks (for which no order is expected), singular (smooth, and over a
 * singular pose) or none (the unit has no model exchange); STATES and GAPS are what its description has. Compiled with FMI=2 or FMI=3. */
#include "tool.h"
#ifdef SUNDIALS
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif

enum { DISCARD = 2 };
static size_t states, gaps;
static int events, choices; /* that have been handled; after which the states were others */

static int numbers(const char *name, void *i, double *x, size_t n) {
  char full[64];
  snprintf(full, sizeof full, PREFIX "%s", name);
  return ((int (*)(void *, double *, size_t))(uintptr_t)find(full))(i, x, n);
}
#if FMI == 2
#define DERIVATIVES "GetDerivatives"
static void sizes(void *i) { (void)i; }
static int update(void *i, int *values, int *nominals) {
  struct { int again, end, nominals, values, next; double time; } e;
  int s = CALL(int, "NewDiscreteStates", (void *, void *))(i, &e);
  *values = e.values, *nominals = e.nominals;
  return s || e.again || e.end || e.next;
}
static int completed(void *i, int *event) {
  int end, s = CALL(int, "CompletedIntegratorStep", (void *, int, int *, int *))(i, 1, event, &end);
  return s || end;
}
#else
#define DERIVATIVES "GetContinuousStateDerivatives"
static void sizes(void *i) {
  size_t n, m;
  CHECK(!CALL(int, "GetNumberOfContinuousStates", (void *, size_t *))(i, &n) && n == states);
  CHECK(!CALL(int, "GetNumberOfEventIndicators", (void *, size_t *))(i, &m) && m == gaps);
}
static int update(void *i, int *values, int *nominals) {
  bool again, end, nom, val, next;
  double time;
  int s = CALL(int, "UpdateDiscreteStates", (void *, bool *, bool *, bool *, bool *, bool *, double *))(i, &again, &end, &nom, &val, &next, &time);
  *values = val, *nominals = nom;
  return s || again || end || next;
}
static int completed(void *i, int *event) {
  bool e, end;
  int s = CALL(int, "CompletedIntegratorStep", (void *, bool, bool *, bool *))(i, true, &e, &end);
  *event = e;
  return s || end;
}
#endif

static int place(void *i, double t, const double *x) {
  int s = CALL(int, "SetTime", (void *, double))(i, t);
  return s ? s : numbers("SetContinuousStates", i, (double *)(uintptr_t)x, states);
}
static int derivatives(void *i, double t, const double *x, double *dx) {
  int s = place(i, t, x);
  return s ? s : numbers(DERIVATIVES, i, dx, states);
}

/* Event mode and back; the states may be others afterwards. */
static void event(void *i, double *x) {
  int values, nominals;
  double size[MOST];
  CHECK(!plain("EnterEventMode", i) && !update(i, &values, &nominals) && !plain("EnterContinuousTimeMode", i));
  events++;
  if (!values) return;
  choices++;
  CHECK(nominals && !numbers("GetNominalsOfContinuousStates", i, size, states));
  for (size_t k = 0; k < states; k++) CHECK(size[k] > 0);
  CHECK(!numbers("GetContinuousStates", i, x, states));
}

static void *start(const char *resources, const char *token, double *x) {
  int values, nominals;
  void *i = instance_of(1, resources, token);
  CHECK(i);
  sizes(i);
  CHECK(plain("EnterContinuousTimeMode", i) == 3 && strstr(said, "before the initialization"));
  CHECK(!begin(i) && !plain("ExitInitializationMode", i));
  CHECK(place(i, 0, x) == 3 && strstr(said, "in event mode"));
  CHECK(!update(i, &values, &nominals) && !plain("EnterContinuousTimeMode", i));
  CHECK(!numbers("GetContinuousStates", i, x, states));
  CHECK(step(i, 0, 1) == 3 && strstr(said, "in continuous-time mode"));
  return i;
}

/* One step of the classical method. */
static int rk4(void *i, double t, double h, const double *x, double *y) {
  static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
  double k[MOST] = {0}, z[MOST], sum[MOST] = {0};
  for (int n = 0; n < 4; n++) {
    int s;
    for (size_t j = 0; j < states; j++) z[j] = x[j] + at[n] * h * k[j];
    if ((s = derivatives(i, t + at[n] * h, z, k))) return s;
    for (size_t j = 0; j < states; j++) sum[j] += weight[n] * k[j] * h / 6;
  }
  for (size_t j = 0; j < states; j++) y[j] = x[j] + sum[j];
  return place(i, t + h, y);
}

static int crossed(const double *a, const double *b) {
  for (size_t k = 0; k < gaps; k++)
    if ((a[k] > 0) != (b[k] > 0)) return 1;
  return 0;
}

/* Goes from t to end: a step, or up to the first event and on from there. */
static void march(void *i, double t, double end, double *x) {
  double before[MOST], after[MOST], y[MOST];
  while (t < end) {
    double low = 0, high = end - t;
    int wanted;
    CHECK(!place(i, t, x) && !numbers("GetEventIndicators", i, before, gaps));
    CHECK(!rk4(i, t, high, x, y) && !numbers("GetEventIndicators", i, after, gaps));
    if (crossed(before, after)) {
      while (high - low > 1e-14 * (1 + fabs(t))) {
        double middle = (low + high) / 2;
        CHECK(!rk4(i, t, middle, x, y) && !numbers("GetEventIndicators", i, after, gaps));
        if (crossed(before, after)) high = middle;
        else low = middle;
      }
      CHECK(!rk4(i, t, high, x, y));
    }
    t = high == end - t ? end : t + high;
    CHECK(!place(i, t, y) && !completed(i, &wanted));
    memcpy(x, y, sizeof *x * states);
    if (wanted || t < end) event(i, x);
  }
}

/* The largest error of an output at the present time. */
static double off(void *i, int row) {
  static double x[MOST];
  double worst = 0;
  CHECK(!get(i, refs, (size_t)columns, x));
  for (int k = 0; k < columns; k++) worst = fmax(worst, fabs(x[k] - table[row][k]) / scale[k]);
  return worst;
}

/* Goes from a row of the table to the next. */
static void cross(void *i, int row, int steps, double *x) {
  double t = table[row][0], h = (table[row + 1][0] - t) / steps;
  for (int k = 0; k < steps; k++) march(i, t + k * h, k + 1 < steps ? t + (k + 1) * h : table[row + 1][0], x);
}

static double run(const char *resources, const char *token, int steps) {
  double x[MOST], worst = 0;
  void *i = start(resources, token, x);
  events = choices = 0;
  worst = off(i, 0);
  for (int n = 1; n < rows; n++) {
    cross(i, n - 1, steps, x);
    worst = fmax(worst, off(i, n));
  }
  end(i);
  return worst;
}

/* A state that is saved in the middle goes on to the bit, in another instance too; NaN is refused. */
static void saved(const char *resources, const char *token, int steps) {
  double x[MOST], y[MOST], first[MOST], again[MOST], time = table[1][0];
  void *i = start(resources, token, x), *other = start(resources, token, y), *state = NULL, *copy = NULL;
  char *bytes;
  size_t n;
  cross(i, 0, steps, x);
  CHECK(!CALL(int, "Get" STATE, (void *, void **))(i, &state));
  cross(i, 1, steps, x);
  CHECK(!get(i, refs, (size_t)columns, first));
  CHECK(!CALL(int, "Serialized" STATE "Size", (void *, void *, size_t *))(i, state, &n));
  bytes = malloc(n);
  CHECK(!CALL(int, "Serialize" STATE, (void *, void *, char *, size_t))(i, state, bytes, n));
  CHECK(!CALL(int, READ, (void *, const char *, size_t, void **))(other, bytes, n, &copy));
  CHECK(!CALL(int, "Set" STATE, (void *, void *))(i, state) && !CALL(int, "Set" STATE, (void *, void *))(other, copy));
  for (int k = 0; k < 2; k++) {
    void *o = k ? other : i;
    CHECK(!numbers("GetContinuousStates", o, x, states));
    cross(o, 1, steps, x);
    CHECK(!get(o, refs, (size_t)columns, again) && !memcmp(first, again, sizeof first[0] * (size_t)columns));
  }
  x[0] = NAN;
  CHECK(place(i, time, x) == 3 && strstr(said, "NaN is not finite"));
  CHECK(CALL(int, "SetTime", (void *, double))(i, NAN) == 3 && strstr(said, "time NaN"));
  CHECK(numbers("SetContinuousStates", i, y, states + 1) == 3 && strstr(said, "coordinates and rates, not"));
  CHECK(!plain("Terminate", i) && numbers("SetContinuousStates", i, y, states) == 3 && strstr(said, "after it has ended"));
  CHECK(!CALL(int, "Free" STATE, (void *, void **))(i, &state) && !CALL(int, "Free" STATE, (void *, void **))(other, &copy));
  free(bytes), end(i), end(other);
}

#ifdef SUNDIALS
static int calls;
static int right(realtype t, N_Vector x, N_Vector dx, void *i) {
  int s = derivatives(i, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
  calls++;
  return s == DISCARD ? 1 : -s; /* 1: take a shorter step */
}
static int roots(realtype t, N_Vector x, realtype *g, void *i) {
  int s = place(i, t, N_VGetArrayPointer(x));
  return s ? s : numbers("GetEventIndicators", i, g, gaps);
}

/* CVODE by Adams methods and Newton's, a step at a time, as tools call it. */
static double cvode(const char *resources, const char *token, double relative) {
  const double absolute = relative / 10;
  double x[MOST], worst = 0;
  void *i = start(resources, token, x);
  SUNContext c;
  CHECK(!SUNContext_Create(NULL, &c));
  N_Vector v = N_VMake_Serial((sunindextype)states, x, c);
  SUNMatrix A = SUNDenseMatrix((sunindextype)states, (sunindextype)states, c);
  SUNLinearSolver solver = SUNLinSol_Dense(v, A, c);
  void *m = CVodeCreate(CV_ADAMS, c);
  double t = table[0][0];
  CHECK(!CVodeInit(m, right, t, v) && !CVodeSStolerances(m, relative, absolute) && !CVodeSetUserData(m, i) && !CVodeSetMaxNumSteps(m, 1000000));
  CHECK(!CVodeSetLinearSolver(m, solver, A) && !CVodeRootInit(m, (int)gaps, roots) && !CVodeSetMaxOrd(m, 12));
  events = choices = calls = 0;
  for (int n = 1; n < rows; n++) {
    CHECK(!CVodeSetStopTime(m, table[n][0]));
    while (t < table[n][0]) {
      int wanted, s = CVode(m, table[n][0], v, &t, CV_ONE_STEP);
      if (s < 0) printf("CVODE: %d at %.17g\n", s, t);
      CHECK(s >= 0 && !place(i, t, x) && !completed(i, &wanted));
      if (wanted || s == CV_ROOT_RETURN) {
        event(i, x);
        CHECK(!CVodeReInit(m, t, v));
      }
    }
    worst = fmax(worst, off(i, n));
  }
  CVodeFree(&m), SUNLinSolFree(solver), SUNMatDestroy(A), N_VDestroy(v), SUNContext_Free(&c), end(i);
  return worst;
}
#endif

int main(int argc, char **argv) {
  double first, second, order;
  int singular, smooth, steps;
  CHECK(argc == 9);
  read_table(argv[4]);
  steps = atoi(argv[5]), singular = !strcmp(argv[6], "singular"), smooth = singular || !strcmp(argv[6], "smooth");
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(library);
  if (!strcmp(argv[6], "none")) {
    CHECK(!instance_of(1, argv[2], argv[3]) && strstr(said, "the unit has no model exchange: take co-simulation"));
    return 0;
  }
  states = (size_t)atoi(argv[7]), gaps = (size_t)atoi(argv[8]); /* as the description says */
  CHECK(states < MOST && gaps < MOST);
  first = run(argv[2], argv[3], steps);
  second = run(argv[2], argv[3], 2 * steps);
  order = log2(first / second);
  printf("FMI %d.0: model exchange: %zu states, off by %.2g and %.2g, order %.2f; %d events, %d other choices\n", FMI, states, first, second, order, events, choices);
  CHECK(second < 1e-5 && (!smooth || (order > 3.5 && order < 5.5)));
  saved(argv[2], argv[3], steps);
#ifdef SUNDIALS
  /* Next to a singular pose rounding of poses stands in accelerations over the third power of the distance: a method that is to keep 1e-12 may find
     no step there. */
  first = cvode(argv[2], argv[3], singular ? 1e-9 : 1e-12);
  printf("FMI %d.0: CVODE: %d derivatives, off by %.2g; %d events, %d other choices\n", FMI, calls, first, events, choices);
  CHECK(first <= (singular ? 1e-7 : 1e-9) && (!gaps || events)); /* what has indicators is to cross one */
#endif
  return 0;
}

/* rung.h: the C interface of Rung. C99 and C++.
 *
 * Every function that returns int32_t returns RUNG_OK or another rung_status. rung_error() then has the text, for the calling thread, up to its
 * next call. Results go through pointers; a null pointer where something is to be written or read is RUNG_INPUT.
 *
 * Handles are numbers, 0 is none. A wrong or freed one is RUNG_HANDLE, never a crash, and no number is used twice. Any number of threads may
 * use a plan at once. Solvers, runs and batches belong to one thread at a time; a second one is refused with RUNG_BUSY.
 *
 * Arrays belong to the caller. They are read and written during the call only. Units are SI, axes those of the world.
 *
 * No function may be called from a handler of a signal, rung_stop neither: a handler sets a flag, and the program looks at it between calls with a
 * budget.
 *
 * The child of a fork cannot use the library, as no thread of Go's runtime is left in it: every call there is refused with RUNG_FORKED.
 *
 * Options are objects of JSON, or null for none. A field that is not known is refused with the name that is near. */
#ifndef RUNG_H
#define RUNG_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The edition of this interface. It grows when anything here changes its meaning; functions may be added without. */
#define RUNG_ABI 1

typedef uint64_t rung_handle;

typedef enum {
  RUNG_OK = 0,
  RUNG_INPUT = 1,   /* model, option or number refused: nothing has changed */
  RUNG_FAILED = 2,  /* no solution at this state */
  RUNG_HANDLE = 3,  /* no such object, or one of another kind */
  RUNG_BUSY = 4,    /* another thread uses the object */
  RUNG_SIZE = 5,    /* an array of another length */
  RUNG_FORKED = 6,  /* the process is the child of a fork */
  RUNG_STOPPED = 7, /* rung_stop */
  RUNG_BUG = 8,     /* a mistake of the library: the text has its stack, and the object refuses further calls */
  RUNG_MORE = 9     /* the budget of time is used up: call again */
} rung_status;

/* Places of the sizes of a plan. */
enum {
  RUNG_BODIES, RUNG_JOINTS, RUNG_COUPLINGS, RUNG_FORCES,
  RUNG_STATE /* numbers of a state */, RUNG_ANGLES, RUNG_INTERNAL, RUNG_BEARINGS /* of these */,
  RUNG_ROWS /* of the constraints */,
  RUNG_SIZES = 16
};

#ifndef RUNG_API
#if defined(_WIN32)
#define RUNG_API __declspec(dllexport)
#elif defined(__GNUC__)
#define RUNG_API __attribute__((visibility("default")))
#else
#define RUNG_API
#endif
#endif

/* About the library. */
RUNG_API int32_t rung_abi(void);                     /* RUNG_ABI of the library: a caller refuses another one */
RUNG_API const char *rung_version(void);
RUNG_API const char *rung_error(void);               /* the text of this thread's last error */
RUNG_API int32_t rung_error_details(char **text, size_t *size); /* the same as JSON: status, text, body, joint, coupling, force, problems */
RUNG_API void rung_release(char *text);              /* frees a text that a function has handed out */
RUNG_API int32_t rung_free(rung_handle object);      /* 0 is none, and fine */
RUNG_API int32_t rung_stop(rung_handle object);      /* from any thread: calls on the object that are under way return RUNG_STOPPED; so does the next one after RUNG_MORE */
RUNG_API int32_t rung_threads(int64_t n);            /* the most threads that compute at once in this process */

/* A plan: a model that is checked and analysed. Without a text, name is the path of a file; with one, it is its name, whose ending says the
 * format. Options: threads, ordering, epsilon, max_flops, max_nonzeros, folder, packages. */
RUNG_API int32_t rung_plan(const char *name, const char *text, size_t size, const char *options, rung_handle *plan);
RUNG_API int32_t rung_sizes(rung_handle plan, int64_t *sizes, size_t n); /* the first n of RUNG_SIZES */
RUNG_API int32_t rung_knob(rung_handle plan, const char *path, int64_t *knob);

/* A state: time; 7 numbers a body, position and quaternion w x y z; 6 a body, velocity of its origin and angular velocity; angles, internal
 * states, bearings. Angles are those of joints whose turns matter, such as with torsion springs, stops and gears: an angle is read within half a
 * turn of the number there. Who writes poses of his own calls rung_angles, which reads the angles of rows of n numbers anew from their poses, in
 * (-pi, pi] plus the turns of the model. */
RUNG_API int32_t rung_initial(rung_handle plan, double *state, size_t n);
RUNG_API int32_t rung_angles(rung_handle plan, double *states, size_t rows, size_t n);
RUNG_API int32_t rung_close(rung_handle plan, double *state, size_t n, const char *options); /* onto the joints; hold, nearest, tolerance, poses, velocities */

/* Moves a state and hands out the document that says how far: assemble, equilibrium, ik. After an error the state is what it was. */
RUNG_API int32_t rung_move(rung_handle plan, const char *what, const char *options, double *state, size_t n, char **text, size_t *size);

/* A text about the model at a state, null for that of the model: accel, analyze, columns, glb, import, inverse, knobs, matrix, model, modes,
 * names, page, state, svg. */
RUNG_API int32_t rung_document(rung_handle plan, const char *what, const char *options, const double *state, size_t n, char **text, size_t *size);

/* A solver: accelerations again and again. 6 numbers a body: angular acceleration, acceleration of the centre of mass. Wrenches of the
 * last solution are 6 numbers a joint: moment about the origin of the successor frame, force, on the successor. */
RUNG_API int32_t rung_solver(rung_handle plan, rung_handle *solver);
RUNG_API int32_t rung_accel(rung_handle solver, const double *state, size_t n, double *acc, size_t m);
/* The same with its arguments in one place, for languages in which each argument takes time. */
typedef struct {
  rung_handle solver;
  const double *state;
  size_t n;
  double *acc;
  size_t m;
} rung_accel_arguments;
RUNG_API int32_t rung_accel_of(const rung_accel_arguments *arguments);
RUNG_API int32_t rung_wrenches(rung_handle solver, double *wrenches, size_t m);
RUNG_API int32_t rung_set(rung_handle solver_or_run, const int64_t *knobs, const double *values, size_t n);

/* A run: a motion in time, from a state or, with null, that of the model. Options are a document of rung-run/1. rung_run_to goes on to a time, or until
 * its budget, s, is used up: RUNG_MORE. 0 is no bound. A time that has passed changes nothing. With "every" in the options a run keeps rows, of as many numbers as there are columns; rung_run_rows
 * hands out the oldest, as many whole ones as fit, and without an array tells how many there are. */
RUNG_API int32_t rung_run(rung_handle plan, const double *state, size_t n, const char *options, rung_handle *run);
RUNG_API int32_t rung_run_to(rung_handle run, double time, double budget);
RUNG_API int32_t rung_run_state(rung_handle run, double *state, size_t n);
RUNG_API int32_t rung_run_rows(rung_handle run, double *rows, size_t numbers, size_t *taken);
RUNG_API int32_t rung_run_columns(rung_handle run, size_t *columns); /* numbers of a row; rung_run_document has their names */
RUNG_API int32_t rung_run_document(rung_handle run, const char *what, char **text, size_t *size); /* columns, stats */
RUNG_API int32_t rung_run_save(rung_handle run, char **bytes, size_t *size);
RUNG_API int32_t rung_run_load(rung_handle run, const char *bytes, size_t size);

/* A batch: rows of n numbers, a state each. Options: threads, forces, vary. Forces may be null; status of a state is 1 where it has failed, and
 * rung_batch_error then has why. A rollout has options step, steps, integrator, every, as_it_is; into takes m numbers, the states
 * after every "every" steps, and may be null with 0. */
RUNG_API int32_t rung_batch(rung_handle plan, const char *options, rung_handle *batch);
RUNG_API int32_t rung_batch_accel(rung_handle batch, const double *states, size_t rows, size_t n, const double *forces, double *acc, uint8_t *status);
RUNG_API int32_t rung_batch_rollout(rung_handle batch, double *states, size_t rows, size_t n, const double *forces, double *into, size_t m, uint8_t *status, const char *options);
RUNG_API int32_t rung_batch_vary(rung_handle batch, size_t rows, size_t first, const double *values, size_t m);
RUNG_API int32_t rung_batch_error(rung_handle batch, size_t row);

/* An instance of a functional mock-up unit (FMI): the folder resources of an unpacked unit, and the token of its description, null for any.
 * Variables have numbers: 0 is the time; inputs, parameters and outputs follow. A tolerance of 0 is that of the unit. Steps have any length; inputs
 * keep their values during one. Bytes that are saved are loaded by any instance of the same unit, and go on to the bit. */
RUNG_API int32_t rung_unit(const char *resources, const char *token, rung_handle *unit);
RUNG_API int32_t rung_unit_start(rung_handle unit, double time, double tolerance);
RUNG_API int32_t rung_unit_set(rung_handle unit, const uint32_t *variables, const double *values, size_t n);
RUNG_API int32_t rung_unit_get(rung_handle unit, const uint32_t *variables, double *values, size_t n);
RUNG_API int32_t rung_unit_step(rung_handle unit, double time, double step);
RUNG_API int32_t rung_unit_reset(rung_handle unit);
RUNG_API int32_t rung_unit_save(rung_handle unit, char **bytes, size_t *size);
RUNG_API int32_t rung_unit_load(rung_handle unit, const char *bytes, size_t size);

/* An instance for model exchange: states of a tool's integrator are coordinates, then their rates. rung_unit_sizes tells how many states and event
 * indicators there are. RUNG_FAILED of what is asked at a time and states says that they cannot be reached: a tool takes a shorter step. After each
 * step that a tool accepts comes rung_unit_completed; an event is wanted where the coordinates become a bad choice, and rung_unit_choose then tells
 * whether the states are others. What this instance and one for co-simulation share are start, set, get, reset, save and load. */
RUNG_API int32_t rung_unit_exchange(const char *resources, const char *token, rung_handle *unit);
RUNG_API int32_t rung_unit_sizes(rung_handle unit, int64_t *states, int64_t *indicators);
RUNG_API int32_t rung_unit_time(rung_handle unit, double time);
RUNG_API int32_t rung_unit_set_states(rung_handle unit, const double *x, size_t n);
RUNG_API int32_t rung_unit_states(rung_handle unit, double *x, size_t n);
RUNG_API int32_t rung_unit_derivatives(rung_handle unit, double *x, size_t n);
RUNG_API int32_t rung_unit_nominals(rung_handle unit, double *x, size_t n);
RUNG_API int32_t rung_unit_indicators(rung_handle unit, double *x, size_t n);
RUNG_API int32_t rung_unit_completed(rung_handle unit, int64_t *event);
RUNG_API int32_t rung_unit_choose(rung_handle unit, int64_t *changed);

RUNG_API int32_t rung_nothing(void); /* does nothing: to measure a call */

#ifdef __cplusplus
}
#endif
#endif

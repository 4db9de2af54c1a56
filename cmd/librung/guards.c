/* Written by gen from rung.h. */
#include "door.h"

const char *go_version(void);
const char *rung_version(void) { return go_version(); }

int32_t go_free(rung_handle object);
int32_t rung_free(rung_handle object) { return rung_in_child() ? RUNG_FORKED : go_free(object); }

int32_t go_stop(rung_handle object);
int32_t rung_stop(rung_handle object) { return rung_in_child() ? RUNG_FORKED : go_stop(object); }

int32_t go_threads(int64_t n);
int32_t rung_threads(int64_t n) { return rung_in_child() ? RUNG_FORKED : go_threads(n); }

int32_t go_plan(const char *name, const char *text, size_t size, const char *options, rung_handle *plan);
int32_t rung_plan(const char *name, const char *text, size_t size, const char *options, rung_handle *plan) { return rung_in_child() ? RUNG_FORKED : go_plan(name, text, size, options, plan); }

int32_t go_sizes(rung_handle plan, int64_t *sizes, size_t n);
int32_t rung_sizes(rung_handle plan, int64_t *sizes, size_t n) { return rung_in_child() ? RUNG_FORKED : go_sizes(plan, sizes, n); }

int32_t go_knob(rung_handle plan, const char *path, int64_t *knob);
int32_t rung_knob(rung_handle plan, const char *path, int64_t *knob) { return rung_in_child() ? RUNG_FORKED : go_knob(plan, path, knob); }

int32_t go_initial(rung_handle plan, double *state, size_t n);
int32_t rung_initial(rung_handle plan, double *state, size_t n) { return rung_in_child() ? RUNG_FORKED : go_initial(plan, state, n); }

int32_t go_angles(rung_handle plan, double *states, size_t rows, size_t n);
int32_t rung_angles(rung_handle plan, double *states, size_t rows, size_t n) { return rung_in_child() ? RUNG_FORKED : go_angles(plan, states, rows, n); }

int32_t go_close(rung_handle plan, double *state, size_t n, const char *options);
int32_t rung_close(rung_handle plan, double *state, size_t n, const char *options) { return rung_in_child() ? RUNG_FORKED : go_close(plan, state, n, options); }

int32_t go_move(rung_handle plan, const char *what, const char *options, double *state, size_t n, char **text, size_t *size);
int32_t rung_move(rung_handle plan, const char *what, const char *options, double *state, size_t n, char **text, size_t *size) { return rung_in_child() ? RUNG_FORKED : go_move(plan, what, options, state, n, text, size); }

int32_t go_document(rung_handle plan, const char *what, const char *options, const double *state, size_t n, char **text, size_t *size);
int32_t rung_document(rung_handle plan, const char *what, const char *options, const double *state, size_t n, char **text, size_t *size) { return rung_in_child() ? RUNG_FORKED : go_document(plan, what, options, state, n, text, size); }

int32_t go_solver(rung_handle plan, rung_handle *solver);
int32_t rung_solver(rung_handle plan, rung_handle *solver) { return rung_in_child() ? RUNG_FORKED : go_solver(plan, solver); }

int32_t go_accel(rung_handle solver, const double *state, size_t n, double *acc, size_t m);
int32_t rung_accel(rung_handle solver, const double *state, size_t n, double *acc, size_t m) { return rung_in_child() ? RUNG_FORKED : go_accel(solver, state, n, acc, m); }

int32_t go_wrenches(rung_handle solver, double *wrenches, size_t m);
int32_t rung_wrenches(rung_handle solver, double *wrenches, size_t m) { return rung_in_child() ? RUNG_FORKED : go_wrenches(solver, wrenches, m); }

int32_t go_set(rung_handle solver_or_run, const int64_t *knobs, const double *values, size_t n);
int32_t rung_set(rung_handle solver_or_run, const int64_t *knobs, const double *values, size_t n) { return rung_in_child() ? RUNG_FORKED : go_set(solver_or_run, knobs, values, n); }

int32_t go_run(rung_handle plan, const double *state, size_t n, const char *options, rung_handle *run);
int32_t rung_run(rung_handle plan, const double *state, size_t n, const char *options, rung_handle *run) { return rung_in_child() ? RUNG_FORKED : go_run(plan, state, n, options, run); }

int32_t go_run_to(rung_handle run, double time, double budget);
int32_t rung_run_to(rung_handle run, double time, double budget) { return rung_in_child() ? RUNG_FORKED : go_run_to(run, time, budget); }

int32_t go_run_state(rung_handle run, double *state, size_t n);
int32_t rung_run_state(rung_handle run, double *state, size_t n) { return rung_in_child() ? RUNG_FORKED : go_run_state(run, state, n); }

int32_t go_run_rows(rung_handle run, double *rows, size_t numbers, size_t *taken);
int32_t rung_run_rows(rung_handle run, double *rows, size_t numbers, size_t *taken) { return rung_in_child() ? RUNG_FORKED : go_run_rows(run, rows, numbers, taken); }

int32_t go_run_columns(rung_handle run, size_t *columns);
int32_t rung_run_columns(rung_handle run, size_t *columns) { return rung_in_child() ? RUNG_FORKED : go_run_columns(run, columns); }

int32_t go_run_document(rung_handle run, const char *what, char **text, size_t *size);
int32_t rung_run_document(rung_handle run, const char *what, char **text, size_t *size) { return rung_in_child() ? RUNG_FORKED : go_run_document(run, what, text, size); }

int32_t go_run_save(rung_handle run, char **bytes, size_t *size);
int32_t rung_run_save(rung_handle run, char **bytes, size_t *size) { return rung_in_child() ? RUNG_FORKED : go_run_save(run, bytes, size); }

int32_t go_run_load(rung_handle run, const char *bytes, size_t size);
int32_t rung_run_load(rung_handle run, const char *bytes, size_t size) { return rung_in_child() ? RUNG_FORKED : go_run_load(run, bytes, size); }

int32_t go_batch(rung_handle plan, const char *options, rung_handle *batch);
int32_t rung_batch(rung_handle plan, const char *options, rung_handle *batch) { return rung_in_child() ? RUNG_FORKED : go_batch(plan, options, batch); }

int32_t go_batch_accel(rung_handle batch, const double *states, size_t rows, size_t n, const double *forces, double *acc, uint8_t *status);
int32_t rung_batch_accel(rung_handle batch, const double *states, size_t rows, size_t n, const double *forces, double *acc, uint8_t *status) { return rung_in_child() ? RUNG_FORKED : go_batch_accel(batch, states, rows, n, forces, acc, status); }

int32_t go_batch_rollout(rung_handle batch, double *states, size_t rows, size_t n, const double *forces, double *into, size_t m, uint8_t *status, const char *options);
int32_t rung_batch_rollout(rung_handle batch, double *states, size_t rows, size_t n, const double *forces, double *into, size_t m, uint8_t *status, const char *options) { return rung_in_child() ? RUNG_FORKED : go_batch_rollout(batch, states, rows, n, forces, into, m, status, options); }

int32_t go_batch_vary(rung_handle batch, size_t rows, size_t first, const double *values, size_t m);
int32_t rung_batch_vary(rung_handle batch, size_t rows, size_t first, const double *values, size_t m) { return rung_in_child() ? RUNG_FORKED : go_batch_vary(batch, rows, first, values, m); }

int32_t go_batch_error(rung_handle batch, size_t row);
int32_t rung_batch_error(rung_handle batch, size_t row) { return rung_in_child() ? RUNG_FORKED : go_batch_error(batch, row); }

int32_t go_unit(const char *resources, const char *token, rung_handle *unit);
int32_t rung_unit(const char *resources, const char *token, rung_handle *unit) { return rung_in_child() ? RUNG_FORKED : go_unit(resources, token, unit); }

int32_t go_unit_start(rung_handle unit, double time, double tolerance);
int32_t rung_unit_start(rung_handle unit, double time, double tolerance) { return rung_in_child() ? RUNG_FORKED : go_unit_start(unit, time, tolerance); }

int32_t go_unit_set(rung_handle unit, const uint32_t *variables, const double *values, size_t n);
int32_t rung_unit_set(rung_handle unit, const uint32_t *variables, const double *values, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_set(unit, variables, values, n); }

int32_t go_unit_get(rung_handle unit, const uint32_t *variables, double *values, size_t n);
int32_t rung_unit_get(rung_handle unit, const uint32_t *variables, double *values, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_get(unit, variables, values, n); }

int32_t go_unit_step(rung_handle unit, double time, double step);
int32_t rung_unit_step(rung_handle unit, double time, double step) { return rung_in_child() ? RUNG_FORKED : go_unit_step(unit, time, step); }

int32_t go_unit_reset(rung_handle unit);
int32_t rung_unit_reset(rung_handle unit) { return rung_in_child() ? RUNG_FORKED : go_unit_reset(unit); }

int32_t go_unit_save(rung_handle unit, char **bytes, size_t *size);
int32_t rung_unit_save(rung_handle unit, char **bytes, size_t *size) { return rung_in_child() ? RUNG_FORKED : go_unit_save(unit, bytes, size); }

int32_t go_unit_load(rung_handle unit, const char *bytes, size_t size);
int32_t rung_unit_load(rung_handle unit, const char *bytes, size_t size) { return rung_in_child() ? RUNG_FORKED : go_unit_load(unit, bytes, size); }

int32_t go_unit_exchange(const char *resources, const char *token, rung_handle *unit);
int32_t rung_unit_exchange(const char *resources, const char *token, rung_handle *unit) { return rung_in_child() ? RUNG_FORKED : go_unit_exchange(resources, token, unit); }

int32_t go_unit_sizes(rung_handle unit, int64_t *states, int64_t *indicators);
int32_t rung_unit_sizes(rung_handle unit, int64_t *states, int64_t *indicators) { return rung_in_child() ? RUNG_FORKED : go_unit_sizes(unit, states, indicators); }

int32_t go_unit_time(rung_handle unit, double time);
int32_t rung_unit_time(rung_handle unit, double time) { return rung_in_child() ? RUNG_FORKED : go_unit_time(unit, time); }

int32_t go_unit_set_states(rung_handle unit, const double *x, size_t n);
int32_t rung_unit_set_states(rung_handle unit, const double *x, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_set_states(unit, x, n); }

int32_t go_unit_states(rung_handle unit, double *x, size_t n);
int32_t rung_unit_states(rung_handle unit, double *x, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_states(unit, x, n); }

int32_t go_unit_derivatives(rung_handle unit, double *x, size_t n);
int32_t rung_unit_derivatives(rung_handle unit, double *x, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_derivatives(unit, x, n); }

int32_t go_unit_nominals(rung_handle unit, double *x, size_t n);
int32_t rung_unit_nominals(rung_handle unit, double *x, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_nominals(unit, x, n); }

int32_t go_unit_indicators(rung_handle unit, double *x, size_t n);
int32_t rung_unit_indicators(rung_handle unit, double *x, size_t n) { return rung_in_child() ? RUNG_FORKED : go_unit_indicators(unit, x, n); }

int32_t go_unit_completed(rung_handle unit, int64_t *event);
int32_t rung_unit_completed(rung_handle unit, int64_t *event) { return rung_in_child() ? RUNG_FORKED : go_unit_completed(unit, event); }

int32_t go_unit_choose(rung_handle unit, int64_t *changed);
int32_t rung_unit_choose(rung_handle unit, int64_t *changed) { return rung_in_child() ? RUNG_FORKED : go_unit_choose(unit, changed); }

int32_t go_nothing(void);
int32_t rung_nothing(void) { return rung_in_child() ? RUNG_FORKED : go_nothing(); }

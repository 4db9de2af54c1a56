/* Checks of the library from C. It compiles as C99 and as C++, and is linked with the library.
 *
 *   check MODEL */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../rung.h"

static int failures;

#define CHECK(what)                                                              \
  do {                                                                           \
    if (!(what)) {                                                               \
      failures++;                                                                \
      printf("%s:%d: %s (last error: %s)\n", __FILE__, __LINE__, #what, rung_error()); \
    }                                                                            \
  } while (0)

#define NUMBERS 4096

static rung_handle plan;
static int64_t sizes[RUNG_SIZES];
static double state[NUMBERS], acc[NUMBERS];

/* Many threads, each with a solver of its own: the same numbers, and errors of their own. */
static void *work(void *to) {
  rung_handle solver = 0;
  double *mine = (double *)to;
  int i;
  if (rung_solver(plan, &solver) != RUNG_OK) return NULL;
  for (i = 0; i < 20; i++)
    if (rung_accel(solver, state, (size_t)sizes[RUNG_STATE], mine, (size_t)(6 * sizes[RUNG_BODIES])) != RUNG_OK) return NULL;
  if (rung_accel(solver, state, 1, mine, 1) != RUNG_SIZE || !strstr(rung_error(), "numbers")) return NULL;
  return rung_free(solver) == RUNG_OK ? to : NULL;
}

static void threads(void) {
  enum { many = 64 };
  pthread_t t[many];
  double *out[many];
  int i;
  for (i = 0; i < many; i++) {
    out[i] = (double *)calloc(NUMBERS, sizeof(double));
    CHECK(pthread_create(&t[i], NULL, work, out[i]) == 0);
  }
  for (i = 0; i < many; i++) {
    void *done = NULL;
    pthread_join(t[i], &done);
    CHECK(done == (void *)out[i]);
    CHECK(memcmp(out[i], acc, sizeof(double) * (size_t)(6 * sizes[RUNG_BODIES])) == 0);
    free(out[i]);
  }
}

/* The child of a fork is refused, at once and in every call; its parent goes on. */
static void forks(void) {
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    rung_handle h = 0;
    int good = rung_plan("x", "{}", 2, NULL, &h) == RUNG_FORKED && strstr(rung_error(), "fork") && rung_free(plan) == RUNG_FORKED &&
               rung_nothing() == RUNG_FORKED && rung_solver(plan, &h) == RUNG_FORKED;
    _exit(good ? 0 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK(rung_nothing() == RUNG_OK);
}

static void refusals(const char *model) {
  rung_handle h = 0;
  char *text = NULL;
  size_t size = 0;
  int64_t knob = 0;
  double x = 0;
  CHECK(rung_plan(NULL, NULL, 0, NULL, &h) == RUNG_INPUT);
  CHECK(rung_plan(model, NULL, 0, NULL, NULL) == RUNG_INPUT);
  CHECK(rung_plan("nowhere.json", NULL, 0, NULL, &h) == RUNG_INPUT && strstr(rung_error(), "nowhere.json"));
  CHECK(rung_plan("no\xffwhere", NULL, 0, NULL, &h) == RUNG_INPUT && strstr(rung_error(), "no\xef\xbf\xbdwhere")); /* UTF-8 */
  CHECK(rung_plan("x", "{}", 2, NULL, &h) == RUNG_INPUT);
  CHECK(rung_error_details(&text, &size) == RUNG_OK && strstr(text, "problems") && strlen(text) == size);
  rung_release(text);
  CHECK(rung_plan(model, NULL, 0, "{\"thread\": 1}", &h) == RUNG_INPUT && strstr(rung_error(), "threads"));
  CHECK(h == 0);
  CHECK(rung_sizes(plan, NULL, 3) == RUNG_INPUT && rung_sizes(plan, sizes, 17) == RUNG_SIZE);
  CHECK(rung_initial(plan, NULL, (size_t)sizes[RUNG_STATE]) == RUNG_INPUT);
  CHECK(rung_initial(plan, state, 3) == RUNG_SIZE && strstr(rung_error(), "not 3"));
  CHECK(rung_initial(plan + 1000, state, 3) == RUNG_HANDLE && rung_free(plan + 1000) == RUNG_HANDLE && rung_stop(0) == RUNG_HANDLE);
  CHECK(rung_accel(plan, state, (size_t)sizes[RUNG_STATE], acc, 1) == RUNG_HANDLE && strstr(rung_error(), "plan"));
  CHECK(rung_knob(plan, "joints[none].force[0]", &knob) == RUNG_INPUT);
  CHECK(rung_document(plan, "acel", NULL, NULL, 0, &text, &size) == RUNG_INPUT && strstr(rung_error(), "accel"));
  CHECK(rung_document(plan, "accel", NULL, NULL, 0, NULL, NULL) == RUNG_INPUT);
  CHECK(rung_document(plan, "accel", NULL, NULL, (size_t)sizes[RUNG_STATE], &text, &size) == RUNG_INPUT && strstr(rung_error(), "no array of"));
  CHECK(rung_run(plan, NULL, (size_t)sizes[RUNG_STATE], NULL, &h) == RUNG_INPUT && rung_plan(model, NULL, 2, NULL, &h) == RUNG_INPUT);
  CHECK(rung_move(plan, "asemble", NULL, state, (size_t)sizes[RUNG_STATE], &text, &size) == RUNG_INPUT && strstr(rung_error(), "assemble"));
  CHECK(rung_move(plan, "assemble", NULL, NULL, 0, &text, &size) == RUNG_SIZE);
  CHECK(rung_move(plan, "assemble", NULL, state, 3, &text, &size) == RUNG_SIZE);
  CHECK(rung_run(plan, NULL, 0, "{\"integrator\": \"euler\"}", &h) == RUNG_INPUT && strstr(rung_error(), "euler"));
  CHECK(rung_batch(plan, "{\"forces\": [\"none\"]}", &h) == RUNG_INPUT);
  CHECK(rung_set(plan, &knob, &x, 1) == RUNG_HANDLE && strstr(rung_error(), "has to be a solver or a run"));
  CHECK(rung_error_details(NULL, &size) == RUNG_INPUT && strstr(rung_error(), "null pointer"));
  CHECK(rung_threads(0) == RUNG_INPUT && rung_threads(2) == RUNG_OK);
  CHECK(rung_free(0) == RUNG_OK);
}

/* A call is stopped as often as one likes, and by others than its own thread. */
static rung_handle endless;
static volatile int ended;
static void *go_on(void *to) {
  *(int32_t *)to = rung_run_to(endless, 1e9, 0);
  ended = 1;
  return NULL;
}

static void stops(void) {
  int i, k;
  for (i = 0; i < 20; i++) {
    pthread_t t;
    int32_t status = RUNG_MORE;
    ended = 0;
    CHECK(rung_run(plan, NULL, 0, NULL, &endless) == RUNG_OK);
    CHECK(pthread_create(&t, NULL, go_on, &status) == 0);
    while (!ended)
      for (k = 0; k < 100; k++) CHECK(rung_stop(endless) == RUNG_OK);
    pthread_join(t, NULL);
    CHECK(status == RUNG_STOPPED);
    CHECK(rung_free(endless) == RUNG_OK);
  }
}

/* Numbers that no caller has, and addresses that no double has, are refused before they are used. */
static void nonsense(void) {
  rung_handle solver = 0, batch = 0, h = 0;
  size_t n = (size_t)sizes[RUNG_STATE], huge = (size_t)1 << 62;
  int64_t knob = 0;
  uint8_t bad = 0;
  void *volatile room;
  double x = 0, *odd = (double *)(void *)((char *)state + 1);
  CHECK(rung_solver(plan, &solver) == RUNG_OK && rung_batch(plan, "{\"vary\": [\"bodies[crank].mass\"]}", &batch) == RUNG_OK);
  CHECK(rung_accel(solver, state, huge, acc, 18) == RUNG_SIZE && rung_accel(solver, state, n, acc, huge) == RUNG_SIZE);
  CHECK(rung_set(solver, &knob, &x, (size_t)1 << 40) == RUNG_SIZE && strstr(rung_error(), "knobs"));
  CHECK(rung_set(solver, NULL, NULL, 0) == RUNG_OK && rung_set(solver, NULL, &x, 1) == RUNG_INPUT);
  CHECK(rung_batch_accel(batch, state, huge, n, NULL, acc, &bad) == RUNG_SIZE);
  CHECK(rung_batch_accel(batch, state, 1, n, NULL, acc, NULL) == RUNG_INPUT);
  x = 1; /* more states than numbers have places, than there is memory for; the batch goes on */
  CHECK(rung_batch_vary(batch, (size_t)1 << 40, 0, &x, 1) == RUNG_SIZE && strstr(rung_error(), "1099511627776 states"));
  if (!(room = malloc((size_t)1 << 37))) CHECK(rung_batch_vary(batch, (size_t)1 << 28, 0, &x, 1) == RUNG_SIZE && strstr(rung_error(), "no memory"));
  free(room);
  CHECK(rung_batch_vary(batch, 2, 1, &x, 1) == RUNG_OK);
  CHECK(rung_batch_vary(batch, huge, 0, &x, 1) == RUNG_SIZE && rung_batch_error(batch, huge) == RUNG_INPUT);
  CHECK(rung_accel(solver, odd, n, acc, 18) == RUNG_INPUT && strstr(rung_error(), "multiple of 8"));
  CHECK(rung_plan("x.json", (const char *)state, huge, NULL, &h) == RUNG_SIZE && h == 0);
  CHECK(rung_plan("x.json", "{}", ((size_t)1 << 31) + 1, NULL, &h) == RUNG_SIZE && strstr(rung_error(), "2147483649 bytes"));
  CHECK(rung_run_load(solver, "x", 1) == RUNG_HANDLE && rung_unit_step(batch, 0, 1) == RUNG_HANDLE && rung_free((rung_handle)-1) == RUNG_HANDLE);
  CHECK(rung_free(solver) == RUNG_OK && rung_free(batch) == RUNG_OK && rung_accel(solver, state, n, acc, 18) == RUNG_HANDLE);
}

/* A run by slices has the bits of one without, and goes on from what was saved. */
static void runs(void) {
  rung_handle a = 0, b = 0;
  size_t n = (size_t)sizes[RUNG_STATE], size = 0, rows = 0;
  double *x = (double *)calloc(n, sizeof(double)), *y = (double *)calloc(n, sizeof(double)), row[64];
  char *bytes = NULL;
  int32_t status;
  const char *options = "{\"tolerance\": 1e-9, \"every\": 0.05, \"columns\": [\"energy.kinetic\"]}";
  CHECK(rung_run(plan, NULL, 0, options, &a) == RUNG_OK && rung_run(plan, state, n, options, &b) == RUNG_OK);
  CHECK(rung_run_to(a, 0.3, 0) == RUNG_OK);
  while ((status = rung_run_to(b, 0.3, 1e-9)) == RUNG_MORE) {}
  CHECK(status == RUNG_OK);
  CHECK(rung_run_state(a, x, n) == RUNG_OK && rung_run_state(b, y, n) == RUNG_OK && memcmp(x, y, n * sizeof(double)) == 0);
  CHECK(rung_run_save(a, &bytes, &size) == RUNG_OK && rung_run_to(a, 0.4, 0) == RUNG_OK && rung_run_state(a, x, n) == RUNG_OK);
  CHECK(rung_run_load(b, bytes, size) == RUNG_OK && rung_run_to(b, 0.4, 0) == RUNG_OK && rung_run_state(b, y, n) == RUNG_OK);
  CHECK(memcmp(x, y, n * sizeof(double)) == 0);
  CHECK(rung_run_load(b, bytes, size / 2) == RUNG_INPUT);
  bytes[30]++; /* in the name of a field */
  CHECK(rung_run_load(b, bytes, size) == RUNG_INPUT && strstr(rung_error(), "damaged"));
  rung_release(bytes);
  CHECK(rung_run_columns(a, &rows) == RUNG_OK && rows == 2 && rung_run_columns(a, NULL) == RUNG_INPUT);
  CHECK(rung_run_rows(a, NULL, 0, &rows) == RUNG_OK && rows == 9);
  row[2] = -1;
  CHECK(rung_run_rows(a, row, 1, &rows) == RUNG_OK && rows == 0 && rung_run_rows(a, row, 3, &rows) == RUNG_OK && rows == 1 && row[2] == -1);
  CHECK(rung_run_rows(a, row, 63, &rows) == RUNG_OK && rows == 8 && row[15] == row[15]);
  CHECK(rung_run_to(a, NAN, 0) == RUNG_INPUT && rung_run_to(a, 1, -1) == RUNG_INPUT);
  CHECK(rung_free(a) == RUNG_OK && rung_free(b) == RUNG_OK && rung_run_to(a, 1, 0) == RUNG_HANDLE);
  free(x);
  free(y);
}

static void batches(void) {
  enum { rows = 9 };
  rung_handle batch = 0;
  size_t n = (size_t)sizes[RUNG_STATE], m = (size_t)(6 * sizes[RUNG_BODIES]);
  double *x = (double *)calloc(rows * n, sizeof(double)), *a = (double *)calloc(rows * m, sizeof(double));
  uint8_t bad[rows];
  size_t i, k;
  for (i = 0; i < rows; i++) memcpy(x + i * n, state, n * sizeof(double));
  CHECK(rung_batch(plan, "{\"threads\": 2}", &batch) == RUNG_OK);
  CHECK(rung_batch_accel(batch, x, rows, n, NULL, a, bad) == RUNG_OK);
  for (i = 0; i < rows; i++)
    for (k = 0; k < m; k++) CHECK(!bad[i] && fabs(a[i * m + k] - acc[k]) < 1e-9);
  CHECK(rung_batch_accel(batch, x, rows, n - 1, NULL, a, bad) == RUNG_SIZE && rung_batch_accel(batch, x, rows, n, NULL, NULL, bad) == RUNG_INPUT);
  CHECK(rung_batch_rollout(batch, x, rows, n, NULL, NULL, 0, bad, "{\"step\": 0.001, \"steps\": 5}") == RUNG_OK && !bad[8]);
  CHECK(rung_batch_rollout(batch, x, rows, n, NULL, NULL, 0, bad, "{\"step\": -1, \"steps\": 5}") == RUNG_INPUT);
  CHECK(rung_batch_error(batch, 0) == RUNG_OK && rung_batch_error(batch, 99) == RUNG_INPUT);
  CHECK(rung_free(batch) == RUNG_OK);
  free(x);
  free(a);
}

/* A torsion spring that is wound over three turns is so in a state, and in one that goes on from there. */
static void winds(void) {
  static const char *drum =
      "{\"format\": \"rung-model/1\", \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"drum\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1, \"xy\": 0, \"xz\": 0, \"yz\": 0}}],"
      "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"predecessor\": \"world\", \"successor\": \"drum\", \"stiffness\": [0.5], \"turns\": [3]}]}";
  const double turned = 6 * acos(-1);
  int64_t n[RUNG_SIZES];
  double x[32], a[6];
  rung_handle wound = 0, solver = 0, run = 0;
  CHECK(rung_plan("drum", drum, strlen(drum), NULL, &wound) == RUNG_OK && rung_sizes(wound, n, RUNG_SIZES) == RUNG_OK);
  CHECK(n[RUNG_ANGLES] == 1 && n[RUNG_STATE] == 15 && rung_initial(wound, x, 15) == RUNG_OK && fabs(x[14] - turned) < 1e-12);
  CHECK(rung_solver(wound, &solver) == RUNG_OK && rung_accel(solver, x, 15, a, 6) == RUNG_OK && fabs(a[2] + 0.5 * turned) < 1e-12);
  CHECK(rung_run(wound, NULL, 0, NULL, &run) == RUNG_OK && rung_run_to(run, 1, 0) == RUNG_OK && rung_run_state(run, x, 15) == RUNG_OK);
  CHECK(fabs(x[14] - turned * cos(sqrt(0.5))) < 1e-6 && rung_accel(solver, x, 15, a, 6) == RUNG_OK && fabs(a[2] + 0.5 * x[14]) < 1e-12);
  CHECK(rung_initial(wound, x, 15) == RUNG_OK);
  x[14] = 0; /* as if of a pose of one's own */
  CHECK(rung_accel(solver, x, 15, a, 6) == RUNG_OK && fabs(a[2]) < 1e-12);
  CHECK(rung_angles(wound, x, 1, 15) == RUNG_OK && fabs(x[14] - turned) < 1e-12);
  CHECK(rung_angles(wound, x, 1, 14) == RUNG_SIZE && rung_angles(wound, NULL, 1, 15) == RUNG_INPUT && rung_angles(wound, NULL, 0, 15) == RUNG_OK);
  CHECK(rung_free(run) == RUNG_OK && rung_free(solver) == RUNG_OK && rung_free(wound) == RUNG_OK);
}

/* Where programs write 0,5 the numbers of texts are those of JSON, both ways. */
static void commas(const char *model) {
  const char *options = "{\"integrator\": \"rk4\", \"step\": 0.0625, \"every\": 0.25, \"columns\": [\"time\", \"energy.*\"]}";
  char *texts[2][3];
  size_t sizes_of[2][3];
  int i, k;
  for (i = 0; i < 2; i++) {
    rung_handle p = 0, r = 0;
    if (i && !setlocale(LC_ALL, "de_DE.UTF-8")) {
      puts("decimal commas: NOT RUN; there is no locale de_DE.UTF-8");
      break;
    }
    CHECK(!i || localeconv()->decimal_point[0] == ',');
    CHECK(rung_plan(model, NULL, 0, "{\"epsilon\": 1.5e-12}", &p) == RUNG_OK && rung_run(p, NULL, 0, options, &r) == RUNG_OK);
    CHECK(rung_run_to(r, 0.5, 0) == RUNG_OK && rung_run_save(r, &texts[i][0], &sizes_of[i][0]) == RUNG_OK);
    CHECK(rung_document(p, "accel", NULL, NULL, 0, &texts[i][1], &sizes_of[i][1]) == RUNG_OK);
    CHECK(rung_document(p, "model", NULL, NULL, 0, &texts[i][2], &sizes_of[i][2]) == RUNG_OK && strstr(texts[i][2], "0.5"));
    CHECK(rung_run_load(r, texts[i][0], sizes_of[i][0]) == RUNG_OK && rung_free(r) == RUNG_OK && rung_free(p) == RUNG_OK);
  }
  for (k = 0; k < 3; k++) {
    if (i == 2) {
      CHECK(sizes_of[0][k] == sizes_of[1][k] && memcmp(texts[0][k], texts[1][k], sizes_of[0][k]) == 0);
      rung_release(texts[1][k]);
    }
    rung_release(texts[0][k]);
  }
  setlocale(LC_ALL, "C");
}

int main(int argc, char **argv) {
  rung_handle solver = 0;
  double w[NUMBERS];
  if (argc != 2) return 2;
  CHECK(rung_abi() == RUNG_ABI && rung_version()[0] != 0 && rung_nothing() == RUNG_OK);
  CHECK(rung_plan(argv[1], NULL, 0, NULL, &plan) == RUNG_OK && plan != 0);
  CHECK(rung_sizes(plan, sizes, RUNG_SIZES) == RUNG_OK && sizes[RUNG_STATE] < NUMBERS);
  CHECK(rung_initial(plan, state, (size_t)sizes[RUNG_STATE]) == RUNG_OK);
  CHECK(rung_solver(plan, &solver) == RUNG_OK);
  CHECK(rung_wrenches(solver, w, (size_t)(6 * sizes[RUNG_JOINTS])) == RUNG_FAILED);
  CHECK(rung_accel(solver, state, (size_t)sizes[RUNG_STATE], acc, (size_t)(6 * sizes[RUNG_BODIES])) == RUNG_OK);
  CHECK(rung_wrenches(solver, w, (size_t)(6 * sizes[RUNG_JOINTS])) == RUNG_OK);
  {
    rung_accel_arguments a = {solver, state, (size_t)sizes[RUNG_STATE], w, (size_t)(6 * sizes[RUNG_BODIES])};
    CHECK(rung_accel_of(&a) == RUNG_OK && memcmp(w, acc, a.m * sizeof *w) == 0);
    CHECK(rung_accel_of(NULL) == RUNG_INPUT && strstr(rung_error(), "null pointer") && (a.n--, rung_accel_of(&a)) == RUNG_SIZE);
  }
  refusals(argv[1]);
  threads();
  forks();
  runs();
  stops();
  nonsense();
  batches();
  winds();
  commas(argv[1]);
  CHECK(rung_free(solver) == RUNG_OK && rung_free(plan) == RUNG_OK && rung_free(plan) == RUNG_HANDLE);
  if (failures) return 1;
  puts("ok");
  return 0;
}

/* What the functions of both versions of FMI have in common. */
#ifndef RUNG_FMI_UNIT_H
#define RUNG_FMI_UNIT_H
#include <stddef.h>
#include <stdint.h>

#ifdef _WIN32
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

/* The numbers of a status are the same in both versions. */
enum { UNIT_OK, UNIT_WARNING, UNIT_DISCARD, UNIT_ERROR, UNIT_FATAL, UNIT_PENDING };

/* Where an instance is in its life. */
typedef enum { MADE = 1, STARTING = 2, RUNNING = 4, ENDED = 8, BROKEN = 16, EVENTS = 32, CONTINUOUS = 64 } phase;
enum { WORKING = RUNNING | EVENTS | CONTINUOUS, ALIVE = MADE | STARTING | WORKING | ENDED | BROKEN };

typedef struct instance {
  uint64_t unit; /* handle of the library in Go */
  phase at;
  int exchange; /* whether it is for model exchange, which goes from EVENTS to CONTINUOUS and back, or RUNNING */
  double time, tolerance;                            /* at which it begins, and that the tool has asked for */
  void (*tell)(struct instance *, int status, const char *text); /* to the logger of the tool */
  void *logger, *environment;
  char *name;
} instance;

/* A saved state: bytes of the library. */
typedef struct { char *bytes; size_t size; } kept;

/* Makes an instance, for model exchange or co-simulation, or tells the logger why it cannot be and returns null. The texts may be null. */
instance *unit_new(int exchange, const char *name, const char *token, const char *resources, void *logger, void *environment,
                   void (*tell)(instance *, int, const char *));
void unit_free(instance *);
/* The category of FMI for what is told of a status. The description lists them. */
const char *unit_category(int status);
/* Tells the logger, and returns the status. */
int unit_say(instance *, int status, const char *text);
/* Refuses a call that is not allowed where the instance is; 0: it is allowed. */
int unit_may(instance *, int phases, const char *function);
int unit_begin(instance *, double time, double tolerance); /* of the initialization */
int unit_get(instance *, const uint32_t *variables, size_t n, double *values);
int unit_set(instance *, const uint32_t *variables, size_t n, const double *values);
int unit_ready(instance *); /* the initialization has ended */
int unit_step(instance *, double time, double step);
/* Model exchange. Values at a time and states that cannot be reached are UNIT_DISCARD: a tool takes a shorter step. */
typedef enum { STATES, DERIVATIVES, NOMINALS, INDICATORS } vector;
int unit_sizes(instance *, size_t *states, size_t *indicators);
int unit_time(instance *, double time);
int unit_set_states(instance *, const double *x, size_t n);
int unit_vector(instance *, vector, double *x, size_t n);
int unit_completed(instance *, int *event);
int unit_choose(instance *, int *changed);
int unit_reset(instance *);
int unit_save(instance *, kept **);
int unit_load(instance *, const kept *);
void unit_drop(kept **);
int unit_read(instance *, const char *bytes, size_t n, kept **);
int unit_lacks(instance *, const char *what); /* what these units have not */
#endif

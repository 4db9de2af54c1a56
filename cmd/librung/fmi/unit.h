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
typedef enum { MADE = 1, STARTING = 2, RUNNING = 4, ENDED = 8, BROKEN = 16 } phase;
enum { ALIVE = MADE | STARTING | RUNNING | ENDED | BROKEN };

typedef struct instance {
  uint64_t unit; /* handle of the library in Go */
  phase at;
  double time, tolerance;                            /* at which it begins, and that the tool has asked for */
  void (*tell)(struct instance *, int status, const char *text); /* to the logger of the tool */
  void *logger, *environment;
  char *name;
} instance;

/* A saved state: bytes of the library. */
typedef struct { char *bytes; size_t size; } kept;

/* Makes an instance, or tells the logger why it cannot be and returns null. The texts may be null. */
instance *unit_new(const char *name, const char *token, const char *resources, void *logger, void *environment,
                   void (*tell)(instance *, int, const char *));
void unit_free(instance *);
/* Tells the logger, and returns the status. */
int unit_say(instance *, int status, const char *text);
/* Refuses a call that is not allowed where the instance is; 0: it is allowed. */
int unit_may(instance *, int phases, const char *function);
int unit_begin(instance *, double time, double tolerance); /* of the initialization */
int unit_get(instance *, const uint32_t *variables, size_t n, double *values);
int unit_set(instance *, const uint32_t *variables, size_t n, const double *values);
int unit_step(instance *, double time, double step);
int unit_reset(instance *);
int unit_save(instance *, kept **);
int unit_load(instance *, const kept *);
void unit_drop(kept **);
int unit_read(instance *, const char *bytes, size_t n, kept **);
int unit_lacks(instance *, const char *what); /* what these units have not */
#endif

/* What must not depend on Go: the child of a fork is refused before Go is entered, as no thread of its runtime is left there, and each thread
 * has the text of its last error. The functions themselves are in guards.c, which gen writes from rung.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "door.h"

/* Texts are not in thread-local variables: a library in Go uses the static block of the process for these, of which one that is
 * loaded later gets some hundred bytes at the most. */
typedef struct {
  char *text, *details;
} last;

static volatile int forked;

static void drop(void *p) {
  last *l = p;
  if (!l) return;
  free(l->text);
  free(l->details);
  free(l);
}

#ifdef _WIN32
#include <windows.h>
static DWORD key = FLS_OUT_OF_INDEXES;
static void WINAPI release(void *p) { drop(p); }
__attribute__((constructor)) static void start(void) { key = FlsAlloc(release); }
int32_t rung_room(size_t bytes) {
  void *p = VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  return p && VirtualFree(p, 0, MEM_RELEASE);
}
static last *kept(void) { return FlsGetValue(key); }
static void keep(last *l) { FlsSetValue(key, l); }
#else
#include <pthread.h>
#include <sys/mman.h>
static pthread_key_t key;
static void child(void) { forked = 1; }
__attribute__((constructor)) static void start(void) {
  pthread_key_create(&key, drop);
  pthread_atfork(0, 0, child);
}
int32_t rung_room(size_t bytes) { /* not by malloc, of which some that look for faults end the process */
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p != MAP_FAILED && munmap(p, bytes) == 0;
}
static last *kept(void) { return pthread_getspecific(key); }
static void keep(last *l) { pthread_setspecific(key, l); }
#endif

static char *copy(const char *s, size_t n) {
  char *p = malloc(n + 1);
  if (!p) return NULL;
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}

void rung_say(const char *text, size_t n, const char *details, size_t m) {
  last *l = kept();
  if (!l) {
    l = calloc(1, sizeof *l);
    if (!l) return;
    keep(l);
  }
  free(l->text);
  free(l->details);
  l->text = copy(text, n);
  l->details = copy(details, m);
}

int32_t rung_in_child(void) {
  static const char text[] = "the library does not work in the child of a fork: start processes anew (multiprocessing: spawn or forkserver)";
  static const char details[] = "{\"status\":6,\"text\":\"the child of a fork\"}";
  if (!forked) return 0;
  rung_say(text, sizeof text - 1, details, sizeof details - 1);
  return 1;
}

int32_t rung_abi(void) { return RUNG_ABI; }

const char *rung_error(void) {
  last *l = kept();
  return l && l->text ? l->text : "";
}

/* Refuses an argument that is not there. */
static int32_t none(const char *what) {
  char details[128];
  int n = snprintf(details, sizeof details, "{\"status\":%d,\"text\":\"%s\"}", RUNG_INPUT, what);
  rung_say(what, strlen(what), details, (size_t)n);
  return RUNG_INPUT;
}

int32_t rung_error_details(char **text, size_t *size) {
  last *l = kept();
  const char *s = l && l->details ? l->details : "{}";
  if (!text || !size) return none("a null pointer for the text");
  *size = strlen(s);
  *text = copy(s, *size);
  return *text ? RUNG_OK : RUNG_FAILED;
}

int32_t rung_accel_of(const rung_accel_arguments *a) {
  if (!a) return none("a null pointer for the arguments");
  return rung_accel(a->solver, a->state, a->n, a->acc, a->m);
}

void rung_release(char *text) { free(text); }

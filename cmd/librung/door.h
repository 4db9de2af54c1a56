/* What the C and the Go files of the library have in common. */
#ifndef RUNG_DOOR_H
#define RUNG_DOOR_H
#include "rung.h"
void rung_say(const char *text, size_t n, const char *details, size_t m); /* the error of this thread */
int32_t rung_room(size_t bytes);                                         /* whether the system has so much memory */
int32_t rung_in_child(void);                                             /* whether this is the child of a fork, and says so */
#endif

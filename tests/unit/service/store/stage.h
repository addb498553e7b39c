/* A store in a folder of its own, for the tests of this folder. */
#ifndef RINKD_TESTS_UNIT_SERVICE_STORE_STAGE_H
#define RINKD_TESTS_UNIT_SERVICE_STORE_STAGE_H

#include "service/store/jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct stage {
    char folder[64];
    struct store *store, *reader;
};

/* Set-up and tear-down of cmocka: *state is a struct stage. */
int stage_open(void **state);
int stage_close(void **state);

/* Makes only the folder, and removes it. */
void stage_make_folder(char ret_folder[64]);
void stage_remove_folder(const char *folder);

/* Runs `call` in its own transaction and ends it; the value is that of the call. */
#define IN_COMMIT(stage, call) (stage_begin(stage), stage_end((stage), (call)))
void stage_begin(struct stage *stage);
enum api_error stage_end(struct stage *stage, enum api_error error);

/* Adds a job at time 1000, and claims the next one at that time, with a lease of 30 ms. */
int64_t stage_add(struct stage *stage, const char *kind);
struct job_claim stage_claim(struct stage *stage, const char *kind, int64_t now_ms);

enum job_state stage_state(struct stage *stage, int64_t id);
/* Returns a member of a job as compact JSON; lives until the next call. */
const char *stage_member(struct stage *stage, int64_t id, const char *name);
/* Returns the kinds of a job's events as one text: "added leased done". Lives until the next
 * call. */
const char *stage_events(struct stage *stage, int64_t id);

/* Returns whether quick_check and foreign_key_check find no fault in the file. */
bool stage_is_sound(const char *folder);

#endif

/* Requests for jobs: the body of POST /v1/jobs.
 *
 *   {"kind","spec","priority"?,"delay_s"?,"max_attempts"?,"dry_run"?}
 *
 * Each kind has one table of the fields of its spec (job_json.c, train_spec.c); specs are read by
 * it, their defaults are filled in by it, and the JSON Schemas of GET /v1/schemas/{kind} are made
 * of it.
 *
 *   train           learns to play: one run for each seed
 *   match           two players, pairs of games
 *   tournament      2 … 32 players, every pairing
 *   exploitability  what a family of responders wins from a player
 *   diagnose        measures this machine */
#ifndef RINKD_API_JOB_JSON_H
#define RINKD_API_JOB_JSON_H

#include "api/error.h"
#include "api/player_spec.h"
#include "api/strict_json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Turns what a request calls a player into a spec that the programs read (PLAYER_SPEC_MAX bytes).
 * False and a sentence in ret_error (PLAYER_ERROR_MAX bytes) when there is none. */
typedef bool job_player_reader(void *context, const char *text, char *ret_spec, char *ret_error);

struct job_request {
    const char *kind; /* lives as long as the program */
    json_t *spec;     /* the caller's: every field is there, players are specs */
    int priority;     /* smaller is earlier */
    int64_t delay_ms;
    int max_attempts; /* 0: as many as the queue gives */
    bool dry_run;
};

/* Reads a request. API_BAD_FIELD and at least one error; API_NO_MEMORY. *ret_request is written on
 * API_OK only, *ret_errors always. */
enum api_error job_request_read(json_t *document, job_player_reader *reader, void *context,
                                struct job_request *ret_request, struct strict_errors *ret_errors);

/* How long a resolved spec will take at most, where its limits say so; NAN: not known. */
double job_estimate_s(const char *kind, const json_t *spec);

/* The kinds one after the other: index 0, 1, …; NULL past the end. */
const char *job_kind_at(int index);

/* The JSON Schema (draft 2020-12) of the specs of a kind. The caller owns it. API_NOT_FOUND: no
 * such kind. */
enum api_error job_schema(const char *kind, json_t **ret_schema);

#ifdef __cplusplus
}
#endif

#endif

/* Turns a line into its answers: reads the scene, chooses ice and rules, adds noise, throws,
 * writes. */
#ifndef RINKD_WORKERS_SIMULATE_ANSWER_H
#define RINKD_WORKERS_SIMULATE_ANSWER_H

#include "api/curling/scene_json.h"
#include "api/curling/skill_json.h"
#include "models/ice/noise.h"
#include "models/ice/throw.h"
#include "workers/lines.h"

/* The command line. */
struct options {
    const struct ice_profile *ice; /* NULL: each line's own model */
    throw_engine *engine;
    enum ice_noise noise;
    int64_t samples; /* outcomes per scene; 0: one, and only noise makes it a sample */
    uint64_t seed;
    int threads;
    double interval_s; /* between two points of a trajectory; 0: none */
    const char *file;  /* NULL: stdin */
};

/* The most trajectory points in one answer, if a line asks for them or for samples: a few
 * megabytes. */
enum { ANSWER_POINTS_MAX = 50000 };

/* A line of the input, good or bad. */
struct question {
    int64_t line;
    bool is_good;
    struct skill_query *skill;     /* the line asks for a hand; owned; NULL: it is a scene */
    struct scene scene;            /* if the line is good: the scene */
    const struct ice_profile *ice; /* … its ice */
    const struct rules *rules;     /* … its rules */
    struct noise noise;            /* … the noise of the samples that the line asks for */
    struct scene_error error;      /* otherwise: its mistake */
};

/* Reads a line; stores its mistake in the question. question_clear() frees what the question has.
 */
void question_read(const struct options *options, const struct line *line,
                   struct question *ret_question);
void question_clear(struct question *question);

/* Returns answer number `sample` to the question: a line of text without its newline, the same at
 * every call. *ret_is_error: it is an error line. The caller frees the text; NULL when memory is
 * short. */
char *answer_text(const struct options *options, const struct question *question, int64_t sample,
                  bool *ret_is_error);

#endif

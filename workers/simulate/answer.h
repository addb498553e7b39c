/* From a line to its answers: read the scene, choose ice and rules, add noise, throw, write. */
#ifndef RINKD_WORKERS_SIMULATE_ANSWER_H
#define RINKD_WORKERS_SIMULATE_ANSWER_H

#include "api/scene_json.h"
#include "models/ice/noise.h"
#include "workers/lines.h"
#include "workers/simulate/options.h"

/* Most points of trajectories in the answer to a line that asks for them or for samples: a few
 * megabytes. */
enum { ANSWER_POINTS_MAX = 50000 };

/* A line of the input, good or bad. */
struct question {
    int64_t line;
    bool is_good;
    struct scene scene;            /* of a good one */
    const struct ice_profile *ice; /* … where it is thrown */
    const struct rules *rules;     /* … and how it is judged */
    struct noise noise;            /* … of the samples that the line asks for */
    struct scene_error error;      /* of a bad one */
};

/* How many answers there are to a question: --samples, or 1. */
int64_t answer_count(const struct options *options, const struct question *question);

/* Reads a line. Mistakes are kept in the question. */
void question_read(const struct options *options, const struct line *line,
                   struct question *ret_question);

/* Answer number `sample` to the question: the text of a line without its newline, always the same.
 * *ret_is_error: whether it is an error line. The caller frees the text; NULL when memory is short.
 */
char *answer_text(const struct options *options, const struct question *question, int64_t sample,
                  bool *ret_is_error);

#endif

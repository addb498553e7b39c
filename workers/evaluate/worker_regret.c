/* Job "regret", in tasks (workers/lead.h): a unit is a position of the bench. The result of a task
 * has the figures of its positions; the lead keeps nothing in files, so the daemon keeps those
 * results. */
#include "models/networks/end_value.h"
#include "workers/evaluate/regret/bench.h"
#include "workers/evaluate/report/report.h"
#include "workers/evaluate/worker_jobs.h"
#include "workers/lead.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSITIONS_OF_A_TASK = 8 };

struct measured {
    struct regret_setting setting;
    struct bench bench;
    int positions;
};

/* ---- the spec ---- */

/* Reads a resolved spec and opens the bench. On false, the job has failed. */
static bool open_job(struct worker *worker, const json_t *spec, struct measured *measured)
{
    const char *referee = json_string_value(json_object_get(spec, "referee"));
    const int kind = job_value_find(job_referee_values, referee);
    const json_t *limits = json_object_get(spec, "limits");
    struct regret_setting *setting = &measured->setting;
    char error[SITUATIONS_ERROR_MAX];

    *setting =
        (struct regret_setting){.kind = (enum referee_kind)kind,
                                .limits = {.simulations = spec_whole(limits, "simulations"),
                                           .time_s = 1e-3 * (double)spec_whole(limits, "time_ms")},
                                .seed = (uint64_t)spec_whole(spec, "seed"),
                                .seeds = (int)spec_whole(spec, "seeds"),
                                .threads = (int)spec_whole(spec, "threads"),
                                .cancel = worker_stop(worker)};
    assert(kind >= 0); /* the spec was checked */
    measured->positions = (int)spec_whole(spec, "positions");
    if (!spec_player(worker, json_object_get(spec, "player"), &setting->player))
        return false;
    return bench_open(setting->kind, measured->positions, &measured->bench, error) ||
           worker_fail(worker, "failed", false, "%s", error);
}

/* ---- the figures of a position on the wire ---- */

enum { FIGURES = 7 };

/* Null: the position was left out. */
static json_t *figures_json(const struct regret *regret)
{
    if (regret->left_out)
        return json_null();
    return json_pack("[o, o, o, o, o, o, o]", report_number(regret->lost.win),
                     report_number(regret->lost.points), report_number(regret->noise.win),
                     report_number(regret->noise.points), report_number(regret->agreement),
                     report_number(regret->throws), report_number(regret->time_s));
}

static bool read_figures(const json_t *list, struct regret *ret_regret)
{
    double figure[FIGURES];

    *ret_regret = (struct regret){.left_out = json_is_null(list)};
    if (ret_regret->left_out)
        return true;
    if (json_array_size(list) != FIGURES)
        return false;
    for (size_t k = 0; k < FIGURES; k++) {
        const json_t *value = json_array_get(list, k);
        if (!json_is_number(value) && !(json_is_null(value) && k == 4))
            return false;
        figure[k] = json_is_null(value) ? NAN : json_number_value(value);
    }
    *ret_regret = (struct regret){.lost = {figure[0], figure[1]},
                                  .noise = {figure[2], figure[3]},
                                  .agreement = figure[4],
                                  .throws = figure[5],
                                  .time_s = figure[6]};
    return fabs(ret_regret->lost.win) <= 2 * REFEREE_WIN_MOST &&
           fabs(ret_regret->lost.points) <= 2 * REFEREE_POINTS_MOST;
}

/* ---- a task, or the whole job ---- */

static json_t *measure(struct worker *worker, const struct wire_job *job,
                       const struct measured *measured)
{
    struct lead_units units;
    struct course course;

    if (!lead_read_units(worker, job->task.spec, measured->positions, &units))
        return NULL;
    struct regret *regrets = calloc((size_t)units.count, sizeof *regrets);
    struct regret_setting setting = measured->setting;
    course = course_start(worker, units.count);
    setting.context = &course;
    enum player_status status =
        regrets ? regret_measure(&setting, &measured->bench.situations, measured->bench.refereed,
                                 (int)units.from, (int)units.count, regrets)
                : PLAYER_NO_MEMORY;
    json_t *list = status == PLAYER_OK && !atomic_load(worker_stop(worker)) ? json_array() : NULL;
    for (int64_t k = 0; list && k < units.count; k++)
        json_array_append_new(list, figures_json(&regrets[k]));
    free(regrets);
    if (status == PLAYER_FAILED)
        return worker_fail(worker, "failed", false, "%s", end_value_blame(REGRET_FAILED));
    if (!list)
        return worker_is_cancelled(worker) ? json_object() : NULL;
    return json_pack("{s:o}", "regrets", list);
}

/* ---- the lead ---- */

struct led {
    struct worker *worker;
    const struct measured *measured;
    struct regret *regrets;
};

static bool begin_stage(void *context, int64_t number, struct lead_stage *ret_stage)
{
    const struct led *led = context;

    if (number > 0)
        return false;
    *ret_stage = (struct lead_stage){
        .units = led->measured->positions, .most = POSITIONS_OF_A_TASK, .share_after = 1.0};
    return true;
}

static enum lead_answer merge(void *context, const struct lead_task *task)
{
    struct led *led = context;
    const json_t *list = json_object_get(task->result, "regrets");
    bool good = json_array_size(list) == (size_t)task->count;

    for (int64_t k = 0; good && k < task->count; k++)
        good = read_figures(json_array_get(list, (size_t)k), &led->regrets[task->first + k]);
    return good ? LEAD_GO_ON
                : lead_refuse(led->worker, task, "it has no figures of %" PRId64 " positions",
                              task->count);
}

static json_t *lead(struct worker *worker, const struct wire_job *job,
                    const struct measured *measured)
{
    struct led led = {.worker = worker,
                      .measured = measured,
                      .regrets = calloc((size_t)measured->positions, sizeof *led.regrets)};
    const struct lead_work work = {
        .context = &led, .cores = measured->setting.threads, .stage = begin_stage, .merge = merge};
    json_t *result = NULL;

    if (!led.regrets)
        return NULL;
    enum lead_end end = lead_run(worker, job, &work, (struct lead_place){0, 0});
    if (end == LEAD_COMPLETE)
        result = report_regret_json(&measured->setting, &measured->bench.situations, led.regrets,
                                    measured->positions);
    else if (end == LEAD_CUT_SHORT)
        result = json_object(); /* a part of the bench is another bench */
    free(led.regrets);
    return result;
}

/* ---- the job ---- */

/* All positions in this process. */
static json_t *measure_all(struct worker *worker, const struct measured *measured)
{
    struct regret *regrets = calloc((size_t)measured->positions, sizeof *regrets);
    struct course course = course_start(worker, measured->positions);
    struct regret_setting setting = measured->setting;
    json_t *result = NULL;

    setting.context = &course;
    enum player_status status =
        regrets ? regret_measure(&setting, &measured->bench.situations, measured->bench.refereed, 0,
                                 measured->positions, regrets)
                : PLAYER_NO_MEMORY;
    if (status == PLAYER_FAILED)
        worker_fail(worker, "failed", false, "%s", end_value_blame(REGRET_FAILED));
    else if (status == PLAYER_OK && !atomic_load(worker_stop(worker)))
        result =
            report_regret_json(&setting, &measured->bench.situations, regrets, measured->positions);
    else if (worker_is_cancelled(worker))
        result = json_object();
    free(regrets);
    return result;
}

static void show_progress(void *context, int64_t done, bool resumed)
{
    (void)course_update(context, done, resumed);
}

json_t *job_regret(struct worker *worker, const struct wire_job *job)
{
    struct measured measured = {.positions = 0};
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player);
    json_t *result = NULL;

    if (spec && open_job(worker, spec, &measured)) {
        measured.setting.progress = show_progress;
        result = job->is_lead           ? lead(worker, job, &measured)
                 : job->task.number > 0 ? measure(worker, job, &measured)
                                        : measure_all(worker, &measured);
        bench_close(&measured.bench);
    }
    json_decref(spec);
    return result;
}

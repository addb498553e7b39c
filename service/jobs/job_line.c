/* Makes the line of a claimed job. See job_line.h. */
#include "service/jobs/job_line.h"

#include "api/base/build_json.h"
#include "api/base/load_json.h"
#include "api/jobs/job_kinds.h"
#include "service/jobs/game_records.h"
#include "service/jobs/job_folder.h"
#include "service/models/players.h"
#include "service/store/job_needs.h"
#include "service/store/policies.h"
#include "service/store/results.h"
#include "service/store/runs.h"
#include "service/store/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the current results that a ladder is computed from. */
static enum api_error fill_pairings(struct store *store, json_t *spec)
{
    const struct ladder_games games = {json_string_value(json_object_get(spec, "profile")),
                                       json_integer_value(json_object_get(spec, "ends")),
                                       json_integer_value(json_object_get(spec, "extra_ends"))};
    json_t *pairings;
    enum api_error error = games.profile ? results_pairings(store, &games, &pairings) : API_OK;

    if (games.profile && error == API_OK && !build_add(spec, "pairings", pairings))
        error = API_NO_MEMORY;
    return error;
}

/* Adds the record of the game that the spec names, unless the spec has one. */
static enum api_error fill_record(struct store *store, const char *data, json_t *spec,
                                  struct job_line_why *ret_why)
{
    const char *game = json_string_value(json_object_get(spec, "game"));
    json_t *record = json_array();
    char *text = NULL, *rest = NULL;
    bool good = record != NULL;

    if (!game || json_object_get(spec, "record")) {
        json_decref(record);
        return API_OK;
    }
    enum api_error error = game_records_text(store, data, game, &text);
    if (error == API_NOT_FOUND) {
        ret_why->code = "no-game";
        snprintf(ret_why->text, sizeof ret_why->text, "there are no records of game %s", game);
    }
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        good = build_append(record, load_json_text(line)) && good;
    free(text);
    if (error != API_OK) {
        json_decref(record);
        return error == API_NOT_FOUND ? API_OK : error;
    }
    return build_add(spec, "record", build_done(record, good)) ? API_OK : API_NO_MEMORY;
}

/* Finds the job's runs; makes one if the kind needs a run and the job has none. */
static enum api_error find_runs(struct store *store, const struct job_kind *kind,
                                const struct job_claim *claim, const json_t *spec, int64_t now_ms,
                                json_t **ret_runs)
{
    json_t *runs;
    enum api_error error = run_store_of_job(store, claim->id, &runs);
    const struct run_new run = {.job = claim->id,
                                .seed = json_integer_value(json_object_get(spec, "seed")),
                                .spec = claim->spec,
                                .versions = "{}"};
    char id[RUN_ID_MAX];

    if (error != API_OK)
        return error;
    if (json_array_size(runs) == 0 && kind->runs == JOB_RUNS_ONE) {
        error = run_store_add(store, &run, now_ms, id);
        if (error == API_OK && json_array_append_new(runs, json_string(id)) != 0)
            error = API_NO_MEMORY;
    }
    if (error == API_OK)
        *ret_runs = runs;
    else
        json_decref(runs);
    return error;
}

/* Adds the path of the checkpoint that a branch starts from; does nothing without "from". */
static enum api_error find_origin(struct store *store, const char *data, json_t *spec,
                                  char ret_why[JOB_LINE_WHY_MAX])
{
    json_t *from = json_object_get(spec, "from"), *checkpoint;
    const char *run = json_string_value(json_object_get(from, "run"));
    int64_t step = json_integer_value(json_object_get(from, "step"));

    if (!run)
        return API_OK;
    enum api_error error = run_store_checkpoint_at(store, run, step, &checkpoint);
    if (error == API_NOT_FOUND)
        snprintf(ret_why, JOB_LINE_WHY_MAX, "the checkpoint of step %lld of run %s is gone",
                 (long long)step, run);
    if (error != API_OK)
        return error == API_NOT_FOUND ? API_OK : error;
    char path[JOB_PATH_MAX];
    job_path(data, json_integer_value(json_object_get(checkpoint, "job")),
             json_string_value(json_object_get(checkpoint, "path")), path);
    json_t *resolved = json_pack("{s:s, s:I, s:s, s:O}", "run", run, "step", (json_int_t)step,
                                 "path", path, "sha256", json_object_get(checkpoint, "sha256"));
    json_decref(checkpoint);
    return build_add(spec, "from", resolved) ? API_OK : API_NO_MEMORY;
}

/* Replaces the names of policies that earlier jobs were to learn by what they learned, also in the
 * job and its run; nothing else changes. */
static enum api_error keep_promises(struct store *store, struct job_claim *claim, json_t *spec,
                                    struct job_line_why *ret_why)
{
    int kept = 0;
    char sha256[65];
    enum api_error error =
        players_keep_promises(store, spec, &kept, ret_why->text, sizeof ret_why->text);

    if (*ret_why->text)
        ret_why->code = "no-model";
    if (error != API_OK || kept == 0 || *ret_why->text)
        return error;
    char *text = json_dumps(spec, JSON_COMPACT);
    if (!text)
        return API_NO_MEMORY;
    free(claim->spec);
    claim->spec = text;
    error = job_store_set_spec(store, claim->id, text);
    if (error == API_OK)
        error = job_needs_note(store, claim->id, claim->kind, spec);
    for (const char *at = text; error == API_OK && (at = players_next_weights(at, sha256)) != NULL;)
        error = weights_store_use(store, claim->id, sha256);
    return error;
}

/* Adds the task, or what a lead has to know of its tasks. */
static enum api_error add_tasks(struct store *store, const struct job_claim *claim, int hands,
                                struct job_lines *lines)
{
    char liar[TASK_NODE_MAX] = "";
    json_t *open, *task;
    int64_t merged;

    if (claim->task != 0) {
        task = json_pack("{s:I, s:o}", "number", (json_int_t)claim->task, "spec",
                         load_json_text(claim->task_spec));
        return build_add(lines->job, "task", task) ? API_OK : API_NO_MEMORY;
    }
    if (!job_kind_find(claim->kind)->has_tasks)
        return API_OK;
    enum api_error error = task_store_liar(store, claim->id, liar);
    if (error == API_OK || error == API_NOT_FOUND)
        error = task_store_open(store, claim->id, &merged, &open);
    if (error != API_OK)
        return error;
    task = json_pack("{s:i, s:I, s:o, s:s*}", "hands", hands, "merged", (json_int_t)merged, "open",
                     open, "liar", *liar ? liar : NULL);
    if (!build_add(lines->job, "tasks", task))
        return API_NO_MEMORY;
    return task_store_news(store, claim->id, 0, &lines->news);
}

enum api_error job_line_make(struct store *store, const char *data, struct job_claim *claim,
                             int hands, int64_t now_ms, struct job_lines *ret_lines)
{
    const struct job_kind *kind = job_kind_find(claim->kind);
    json_t *spec = load_json_text(claim->spec), *runs = NULL;
    char folder[JOB_PATH_MAX];
    struct job_lines lines = {.why.code = "no-checkpoint"};
    enum api_error error = spec ? keep_promises(store, claim, spec, &lines.why) : API_NO_MEMORY;
    if (error == API_OK)
        error = find_runs(store, kind, claim, spec, now_ms, &runs);
    if (error == API_OK && kind->input == JOB_GETS_PAIRINGS)
        error = fill_pairings(store, spec);
    if (error == API_OK && kind->input == JOB_GETS_RECORD)
        error = fill_record(store, data, spec, &lines.why);
    if (error == API_OK && !*lines.why.text)
        error = find_origin(store, data, spec, lines.why.text);
    if (error != API_OK) {
        json_decref(spec);
        json_decref(runs);
        return error;
    }
    job_path(data, claim->id, NULL, folder);
    lines.job = json_pack("{s:s, s:I, s:s, s:o, s:o, s:s, s:i, s:o}", "type", "job", "id",
                          (json_int_t)claim->id, "kind", claim->kind, "spec", spec, "runs", runs,
                          "folder", folder, "attempt", claim->attempt, "checkpoint",
                          claim->checkpoint ? load_json_text(claim->checkpoint) : json_null());
    error = lines.job ? add_tasks(store, claim, hands, &lines) : API_NO_MEMORY;
    if (error == API_OK) {
        *ret_lines = lines;
    } else {
        json_decref(lines.job);
        json_decref(lines.news);
    }
    return error;
}

enum api_error job_line_fill_record(struct store *store, const char *data,
                                    const struct job_kind *kind, json_t *spec)
{
    struct job_line_why why = {.code = NULL};

    return kind->input == JOB_GETS_RECORD ? fill_record(store, data, spec, &why) : API_OK;
}

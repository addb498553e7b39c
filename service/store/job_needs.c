/* See job_needs.h. */
#include "service/store/job_needs.h"

#include "api/fields/game_id.h"
#include "api/jobs/job_kinds.h"
#include "service/store/policies.h"
#include "service/store/runs.h"
#include "service/store/sql.h"

#include <stdio.h>
#include <string.h>

struct noting {
    struct store *store;
    int64_t job;
    enum api_error error;
};

static enum api_error note_game(const struct noting *noting, const char *id)
{
    static const char text[] = "INSERT INTO job_need (job, needs) SELECT ?1, job FROM match"
                               " WHERE id = ?2 ON CONFLICT DO NOTHING";
    struct game_id game;

    return game_id_read(id, &game)
               ? sql_run(noting->store, text, PUT(INT(noting->job), INT(game.match)))
               : API_OK;
}

static enum api_error note_run(const struct noting *noting, const char *run)
{
    static const char text[] = "INSERT INTO job_need (job, needs) SELECT ?1, job FROM run"
                               " WHERE name = ?2 ON CONFLICT DO NOTHING";
    return sql_run(noting->store, text, PUT(INT(noting->job), TEXT(run)));
}

/* Weights are noted beside (weights_store_use()). */
static enum api_error note_policies(const struct noting *noting, const char *text)
{
    char name[REGISTRY_NAME_MAX], run[RUN_ID_MAX];
    enum api_error error = API_OK;

    while (error == API_OK && (text = policy_name_find(text, name)) != NULL) {
        snprintf(run, sizeof run, "%.*s", RUN_ID_MAX - 1, name);
        error = note_run(noting, run);
        text += strlen(name);
    }
    return error;
}

static bool note_name(void *context, const struct strict_place *place, enum field_names names)
{
    struct noting *noting = context;
    const char *text = json_string_value(place->value);

    switch (names) {
    case NAMES_GAME:
        noting->error = note_game(noting, text);
        break;
    case NAMES_RUN:
        noting->error = note_run(noting, text);
        break;
    case NAMES_PLAYER:
        noting->error = note_policies(noting, text);
        break;
    case NAMES_NOTHING:
        break;
    }
    return noting->error == API_OK;
}

enum api_error job_needs_note(struct store *store, int64_t job, const char *kind, json_t *spec)
{
    static const char empty[] = "DELETE FROM job_need WHERE job = ?1";
    const struct job_kind *row = job_kind_find(kind);
    struct strict_errors errors = {.count = 0};
    const struct strict_place place = strict_root(spec, &errors);
    struct noting noting = {store, job, sql_run(store, empty, PUT(INT(job)))};

    if (noting.error == API_OK && row)
        fields_visit_names(row->fields, &place, note_name, &noting);
    return noting.error;
}

enum api_error job_needs_who(struct store *store, int64_t job, int64_t *ret_by)
{
    static const char text[] =
        "SELECT min(job.id) FROM job_need JOIN job ON job.id = job_need.job"
        " WHERE needs = ?1 AND job.id <> ?1 AND state IN ('ready', 'leased', 'paused')";
    return sql_read(store, text, PUT(INT(job)), GET(TO_INT(ret_by)));
}

enum api_error job_needs_any(struct store *store, int64_t job, bool *ret_is)
{
    int64_t by = 0;
    enum api_error error = job_needs_who(store, job, &by);

    *ret_is = by != 0;
    return error;
}

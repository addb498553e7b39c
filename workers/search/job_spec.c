/* Reads specs by the fields of their kind. See job_spec.h. */
#include "workers/search/job_spec.h"

#include "api/jobs/job_kinds.h"
#include "workers/search/player/player.h"

#include <assert.h>
#include <stdio.h>

bool spec_check_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    struct player player;

    (void)context;
    if (!player_read(text, &player, PLAYER_ERROR_MAX, ret_error))
        return false;
    snprintf(ret_spec, PLAYER_SPEC_MAX, "%s", text);
    return true;
}

json_t *spec_read(struct worker *worker, const struct wire_job *job, const json_t *spec,
                  job_player_reader *reader)
{
    const struct job_kind *kind = job_kind_find(job->kind);
    struct field_reading reading = {.read_player = reader};
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root((json_t *)spec, &errors);

    assert(kind);
    json_t *resolved = fields_read(&reading, &root, kind->fields);
    if (errors.count == 0 && !reading.no_memory && kind->finish)
        kind->finish(&root, resolved);
    if (errors.count == 0 && !reading.no_memory)
        return resolved;
    json_decref(resolved);
    if (errors.count > 0)
        worker_fail(worker, "bad-spec", false, "%s: %s", errors.error[0].pointer,
                    errors.error[0].message);
    return NULL;
}

int64_t spec_whole(const json_t *spec, const char *name)
{
    return json_integer_value(json_object_get(spec, name));
}

bool spec_player_turns(struct worker *worker, const json_t *text, struct player *ret_player)
{
    char error[PLAYER_ERROR_MAX];

    if (player_read_turns(json_string_value(text), ret_player, sizeof error, error))
        return true;
    worker_fail(worker, "bad-spec", false, "%s", error);
    return false;
}

bool spec_player(struct worker *worker, const json_t *text, struct player *ret_player)
{
    char error[PLAYER_ERROR_MAX];

    if (player_read(json_string_value(text), ret_player, sizeof error, error))
        return true;
    worker_fail(worker, "bad-spec", false, "%s", error);
    return false;
}

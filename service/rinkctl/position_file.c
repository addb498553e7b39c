/* See position_file.h. */
#include "service/rinkctl/position_file.h"

#include "api/base/build_json.h"
#include "api/curling/shot_json.h"
#include "service/rinkctl/options.h"
#include "service/rinkctl/print.h"

#include <string.h>

enum { NAMES_BYTES = 256 };

static bool is_in_a_query(const char *name)
{
    return job_value_find(shot_query_keys(SHOT_ASKS_BEST), name) >= 0 ||
           job_value_find(shot_query_keys(SHOT_ASKS_MAP), name) >= 0 ||
           job_value_find(shot_query_keys(SHOT_ASKS_CALLS), name) >= 0;
}

/* Takes from the "game" beside an update what a position needs: the profile and the ends. */
static void read_game(json_t *query)
{
    struct strict_errors errors = {.count = 0};
    const struct strict_place root = strict_root(query, &errors);
    const struct strict_place game = strict_member(&root, "game");
    struct dc3_game said;

    if (strict_is_missing(&game) || !dc3_game_decode(&game, &said))
        return;
    if (!json_object_get(query, "profile"))
        build_put(query, "profile", json_string(said.profile));
    if (!json_object_get(query, "setting"))
        build_put(query, "setting", json_pack("{s:i}", "max_end", said.max_end));
}

/* Leaves out what means nothing here, and names it. */
static void leave_out(const struct line *line, const char *const *takes, json_t *query)
{
    char names[NAMES_BYTES] = "";
    size_t used = 0;
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(query, next, name, value)
    {
        if (job_value_find(takes, name) >= 0 || !is_in_a_query(name))
            continue;
        if (used + strlen(name) + 2 < sizeof names)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
        json_object_del(query, name);
    }
    if (used > 0)
        complain(line->name, "left out, as it means nothing here: %s", names);
}

json_t *position_file_read(const struct line *line, const char *const *takes)
{
    const char *path = line->word_count ? line->word[0] : "-";
    json_t *document = options_read_json(line->name, path), *query = document;

    if (!document)
        return NULL;
    if (!json_is_object(document)) {
        complain(line->name, "%s: a query is an object", path);
        json_decref(document);
        return NULL;
    }
    if (!json_object_get(document, "state") && json_object_get(document, "stones"))
        query = json_pack("{s:o}", "state", document);
    if (job_value_find(takes, "game") < 0)
        read_game(query);
    leave_out(line, takes, query);
    options_set_members(line, query);
    return query;
}

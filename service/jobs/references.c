/* See references.h. */
#include "service/jobs/references.h"

#include "service/jobs/game_records.h"

#include <stdlib.h>

struct checking {
    struct store *store;
    const char *data;
    enum api_error error;
};

static enum api_error check_game(const struct checking *checking, const struct strict_place *place)
{
    const char *id = json_string_value(place->value);
    char *text = NULL;
    enum api_error error = game_records_text(checking->store, checking->data, id, &text);

    free(text);
    if (error != API_NOT_FOUND)
        return error;
    strict_refuse(place, "value", "there is no game %s, or its records are gone", id);
    return API_OK;
}

static bool check_name(void *context, const struct strict_place *place, enum field_names names)
{
    struct checking *checking = context;

    if (names == NAMES_GAME)
        checking->error = check_game(checking, place);
    return checking->error == API_OK;
}

enum api_error references_check(struct store *store, const char *data, const struct job_kind *kind,
                                const struct strict_place *spec)
{
    struct checking checking = {store, data, API_OK};

    fields_visit_names(kind->fields, spec, check_name, &checking);
    return checking.error;
}

/* Parts of answers that several resources share. */
#include "service/routes/routes.h"

#include "models/game/rules.h"
#include "models/tables/profiles.h"
#include "service/models/players.h"
#include "service/routes/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIELD_PATH_MAX = 128 };
enum listed { LISTED_NOT, LISTED_PART, LISTED_ALL };

/* Whether a list of paths, separated by commas, has this path or a part of it ("result.elo" is a
 * part of "result"). */
static enum listed list_has(const char *list, const char *path)
{
    size_t length = strlen(path);
    enum listed listed = LISTED_NOT;

    while (*list) {
        size_t part = strcspn(list, ",");
        if (part >= length && memcmp(list, path, length) == 0) {
            if (part == length)
                return LISTED_ALL;
            if (list[length] == '.')
                listed = LISTED_PART;
        }
        list += part + (list[part] == ',');
    }
    return listed;
}

/* Deletes the members of an object that are not listed. `path` is the place of the object: "" or
 * "result.". */
static void keep_members(json_t *object, const char *fields, const char *path)
{
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(object, next, name, value)
    {
        char inner[FIELD_PATH_MAX];
        int length = snprintf(inner, sizeof inner, "%s%s", path, name);
        enum listed listed = length + 1 < (int)sizeof inner ? list_has(fields, inner) : LISTED_NOT;
        if (listed == LISTED_PART && json_is_object(value)) {
            strcat(inner, ".");
            keep_members(value, fields, inner);
        } else if (listed != LISTED_ALL) {
            json_object_del(object, name);
        }
    }
}

static void keep_fields(json_t *items, const char *fields)
{
    size_t index;
    json_t *item;

    json_array_foreach(items, index, item) keep_members(item, fields, "");
}

/* Finds the first path whose first name no item has, and its length; NULL: none. Inner members may
 * differ between items. */
static const char *unknown_field(const json_t *items, const char *fields, size_t *ret_length)
{
    for (size_t length; *fields; fields += length + (fields[length] == ',')) {
        bool known = false;
        length = strcspn(fields, ",");
        for (size_t k = 0; k < json_array_size(items) && !known; k++)
            known =
                json_object_getn(json_array_get(items, k), fields, strcspn(fields, ".,")) != NULL;
        *ret_length = length;
        if (!known)
            return fields;
    }
    return NULL;
}

enum api_error answer_list(struct http_request *request, enum api_error error)
{
    const char *fields = http_parameter(request, "fields");
    json_t *items = request->page.items;

    if (error != API_OK)
        return http_problem(request, error,
                            error == API_BAD_PARAMETER ? "cursor: not from this list" : NULL);
    if (fields) {
        size_t length;
        /* Later pages may lack members of earlier ones, and an empty list proves nothing. */
        const char *unknown = request->page.cursor || json_array_size(items) == 0
                                  ? NULL
                                  : unknown_field(items, fields, &length);
        if (unknown) {
            json_decref(items);
            return http_problem_about(request, API_BAD_PARAMETER,
                                      "fields: the items have no member '%.*s'",
                                      (int)(length < 100 ? length : 100), unknown);
        }
        keep_fields(items, fields);
    }
    return http_list(request, items);
}

enum api_error answer_part(struct http_request *request, enum api_error error, json_t *document)
{
    const char *fields = http_parameter(request, "fields");

    if (error == API_OK && fields)
        keep_members(document, fields, "");
    return answer_with(request, error, document);
}

enum api_error answer_with(struct http_request *request, enum api_error error, json_t *document)
{
    if (error == API_OK)
        return http_json(request, 200, document);
    json_decref(document);
    return error;
}

const char *answer_base_path(const struct http_request *request)
{
    return request->server->base.config->base_path;
}

void answer_location(struct http_request *request, const char *format, ...)
{
    char location[sizeof request->server->base.config->base_path + 128];
    int used = snprintf(location, sizeof location, "%s/v1/", answer_base_path(request));
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(location + used, sizeof location - (size_t)used, format, arguments);
    va_end(arguments);
    http_add_header(request, "Location", location);
}

bool name_players(struct store *store, json_t *items)
{
    static const char *const members[][2] = {{"player", "name"}, {"a", "a_name"}, {"b", "b_name"}};
    json_t *item;
    size_t k;
    bool good = true;

    json_array_foreach(items, k, item)
    {
        for (size_t m = 0; m < sizeof members / sizeof members[0]; m++) {
            const char *spec = json_string_value(json_object_get(item, members[m][0]));
            if (spec)
                good = json_object_set_new(item, members[m][1], players_name(store, spec)) == 0 &&
                       good;
        }
    }
    return good;
}

enum api_error answer_deleted(struct http_request *request, enum api_error error)
{
    return error == API_OK ? http_no_content(request) : error;
}

enum api_error answer_results(struct http_request *request, results_list *list)
{
    struct match_filter filter = {.profile = http_parameter(request, "profile"),
                                  .player = http_parameter(request, "player")};
    enum api_error error = http_whole_parameter(request, "job", 1, INT64_MAX, 0, &filter.job);

    if (error != API_OK)
        return error;
    if (filter.profile && !rules_find(filter.profile))
        return http_problem(request, API_BAD_PARAMETER, "profile: there is no such profile");
    error = list(request->store, &filter, &request->page);
    if (error == API_OK && !name_players(request->store, request->page.items)) {
        json_decref(request->page.items);
        error = API_NO_MEMORY;
    }
    return answer_list(request, error);
}

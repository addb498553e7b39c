/* Kinds of jobs as JSON. See job_kind_json.h. */
#include "api/jobs/job_kind_json.h"

#include "api/base/build_json.h"

json_t *job_kind_schema(const struct job_kind *kind)
{
    json_t *schema = fields_schema(kind->fields);
    json_t *head =
        json_pack("{s:s, s:o, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                  "$id", json_sprintf("/v1/schemas/%s", kind->name), "title", kind->name,
                  "description", kind->about);

    return build_done(schema, json_object_update_new(schema, head) == 0);
}

static json_t *column_json(const struct job_column *column)
{
    return json_pack("{s:s, s:s, s:s?, s:s}", "member", column->member, "label", column->label,
                     "unit", column->unit, "format", job_format_name(column->format));
}

static json_t *view_json(const struct job_view *view)
{
    static const char *const none[] = {NULL};
    json_t *columns = json_array();
    bool good = true;

    for (const struct job_column *column = view->columns; column->member; column++)
        good = build_append(columns, column_json(column)) && good;
    return build_done(json_pack("{s:o, s:o}", "rows", build_texts(view->rows ? view->rows : none),
                                "columns", columns),
                      good);
}

static json_t *curve_json(const struct job_curve *curve)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:s?}", "name", curve->name, "title", curve->title,
                             "about", curve->about, "unit", curve->unit);

    return build_done(json, curve->least == curve->most ||
                                (build_add(json, "minimum", json_real(curve->least)) &&
                                 build_add(json, "maximum", json_real(curve->most))));
}

json_t *job_kind_json(const struct job_kind *kind)
{
    json_t *result = json_array(), *curves = json_array();
    bool good = true;

    for (const struct job_view *view = kind->views; view->columns; view++)
        good = build_append(result, view_json(view)) && good;
    for (const struct job_curve *curve = kind->curves; curve && curve->name; curve++)
        good = build_append(curves, curve_json(curve)) && good;
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:b, s:s?, s:o, s:o, s:o}", "name", kind->name,
        "about", kind->about, "scope", kind->scope, "internal", kind->is_internal, "has_runs",
        kind->runs != JOB_RUNS_NONE, "has_tasks", kind->has_tasks, "plays_games", kind->plays_games,
        "makes_models", kind->makes_models, "can_be_tried", kind->trial != JOB_NOT_TRIED,
        "followed_by", kind->followed_by, "result", result, "curves", curves, "href",
        json_sprintf("/v1/job-kinds/%s", kind->name));
    return build_done(json, good);
}

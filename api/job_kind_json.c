/* Kinds of jobs as JSON. See job_kind_json.h. */
#include "api/job_kind_json.h"

json_t *job_kind_schema(const struct job_kind *kind)
{
    json_t *schema = fields_schema(kind->fields);
    json_t *head =
        json_pack("{s:s, s:o, s:s, s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema",
                  "$id", json_sprintf("/v1/schemas/%s", kind->name), "title", kind->name,
                  "description", kind->about);

    if (json_object_update_new(schema, head) != 0) {
        json_decref(schema);
        return NULL;
    }
    return schema;
}

static json_t *column_json(const struct job_column *column)
{
    return json_pack("{s:s, s:s, s:s?, s:s}", "member", column->member, "label", column->label,
                     "unit", column->unit, "format", job_format_name(column->format));
}

static json_t *view_json(const struct job_view *view)
{
    json_t *rows = json_array(), *columns = json_array();
    int failed = rows && columns ? 0 : -1;

    for (int k = 0; view->rows && view->rows[k]; k++)
        failed |= json_array_append_new(rows, json_string(view->rows[k]));
    for (const struct job_column *column = view->columns; column->member; column++)
        failed |= json_array_append_new(columns, column_json(column));
    json_t *json = failed ? NULL : json_pack("{s:O, s:O}", "rows", rows, "columns", columns);
    json_decref(rows);
    json_decref(columns);
    return json;
}

static json_t *curve_json(const struct job_curve *curve)
{
    json_t *json = json_pack("{s:s, s:s, s:s?}", "name", curve->name, "about", curve->about, "unit",
                             curve->unit);

    if (curve->least < curve->most &&
        json_object_update_new(
            json, json_pack("{s:f, s:f}", "minimum", curve->least, "maximum", curve->most)) != 0) {
        json_decref(json);
        return NULL;
    }
    return json;
}

json_t *job_kind_json(const struct job_kind *kind)
{
    json_t *result = json_array(), *curves = json_array();
    int failed = result && curves ? 0 : -1;

    for (const struct job_view *view = kind->views; view->columns; view++)
        failed |= json_array_append_new(result, view_json(view));
    for (const struct job_curve *curve = kind->curves; curve && curve->name; curve++)
        failed |= json_array_append_new(curves, curve_json(curve));
    json_t *json =
        failed
            ? NULL
            : json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:b, s:b, s:s?, s:O, s:O, s:o}", "name",
                        kind->name, "about", kind->about, "scope", kind->scope, "internal",
                        kind->is_internal, "has_runs", kind->runs != JOB_RUNS_NONE, "plays_games",
                        kind->plays_games, "makes_models", kind->makes_models, "can_be_tried",
                        kind->can_be_tried, "followed_by", kind->followed_by, "result", result,
                        "curves", curves, "href", json_sprintf("/v1/job-kinds/%s", kind->name));
    json_decref(result);
    json_decref(curves);
    return json;
}

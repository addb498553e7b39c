/* Generates the part of api/openapi.yaml that follows from tables: the schemas of shot queries
 * (models/tables) and of job specs (job_kinds.c). Marker lines in that file enclose it.
 *
 *   openapi_jobs FILE            writes that part anew
 *   openapi_jobs --check FILE    checks that it is up to date; exit status 1: it is not */
#include "api/base/generated_part.h"
#include "api/curling/profile_json.h"
#include "api/curling/shot_json.h"
#include "api/curling/skill_json.h"
#include "api/jobs/job_kind_json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] =
    "    # The lines up to \"end of jobs\" are written from api/jobs/job_kinds.c "
    "by `cmake --build --preset dev --target openapi`\n";
static const char last_line[] = "    # end of jobs\n";

enum { LINE_COLUMNS = 110, MEMBERS_INDENT = 4 };

/* ---- JSON (valid YAML): on one line if it fits, else a line for each member ---- */

static void write_value(FILE *out, const json_t *value, int indent, int column);

static void write_members(FILE *out, const json_t *value, int indent)
{
    const char *separator = "\n", *key;
    json_t *member;
    size_t k;

    json_array_foreach(value, k, member)
    {
        fprintf(out, "%s%*s", separator, indent, "");
        write_value(out, member, indent, indent);
        separator = ",\n";
    }
    json_object_foreach((json_t *)value, key, member)
    {
        int written = fprintf(out, "%s%*s\"%s\": ", separator, indent, "", key);
        write_value(out, member, indent, written);
        separator = ",\n";
    }
    fputc('\n', out);
}

static void write_value(FILE *out, const json_t *value, int indent, int column)
{
    bool is_list = json_is_array(value);
    char *line = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

    if (!line)
        abort();
    if (column + (int)strlen(line) <= LINE_COLUMNS || !(is_list || json_is_object(value))) {
        fputs(line, out);
    } else {
        fputc(is_list ? '[' : '{', out);
        write_members(out, value, indent + 2);
        fprintf(out, "%*s%c", indent, "", is_list ? ']' : '}');
    }
    free(line);
}

/* ---- the generated part ---- */

/* Removes what a schema has only as a document of its own; returns the schema. */
static json_t *part_of(json_t *document)
{
    json_object_del(document, "$schema");
    json_object_del(document, "$id");
    json_object_del(document, "title");
    return document;
}

/* "poker-match" -> "PokerMatchSpec". */
static json_t *spec_name(const struct job_kind *kind)
{
    char name[64];
    int length = 0;

    for (const char *from = kind->name; *from; from++)
        if (*from != '-' && length < (int)sizeof name)
            name[length++] =
                from == kind->name || from[-1] == '-' ? (char)toupper((unsigned char)*from) : *from;
    return json_sprintf("%.*sSpec", length, name);
}

/* {"JobKindName","AnyJobKindName","JobSpecOfKind","TrainSpec",…}, members of components.schemas.
 * JobSpecOfKind says which spec belongs to which kind. */
static json_t *jobs_schemas(void)
{
    json_t *names = json_array(), *all_names = json_array(), *specs = json_array();
    json_t *schemas = json_pack("{s:{s:s, s:o}, s:{s:s, s:o, s:s}, s:{s:o}}", "JobKindName", "type",
                                "string", "enum", names, "AnyJobKindName", "type", "string", "enum",
                                all_names, "description", "With those that only the service adds",
                                "JobSpecOfKind", "allOf", specs);
    const struct job_kind *kind;

    for (int k = 0; (kind = job_kind_at(k)) != NULL; k++) {
        json_array_append_new(all_names, json_string(kind->name));
        if (kind->is_internal)
            continue;
        json_t *name = spec_name(kind);
        json_array_append_new(names, json_string(kind->name));
        json_array_append_new(
            specs, json_pack("{s:{s:{s:{s:s}}}, s:{s:{s:{s:o}}}}", "if", "properties", "kind",
                             "const", kind->name, "then", "properties", "spec", "$ref",
                             json_sprintf("#/components/schemas/%s", json_string_value(name))));
        json_object_set_new(schemas, json_string_value(name), part_of(job_kind_schema(kind)));
        json_decref(name);
    }
    return schemas;
}

static json_t *skill_hand_names(void)
{
    json_t *names = json_array();

    for (int k = 0; k < SKILL_HAND_COUNT; k++)
        json_array_append_new(names, json_string(skill_hand_at(k)->name));
    return json_pack("{s:s, s:o}", "type", "string", "enum", names);
}

/* {"ProfileName","Noise","SkillHandName","ShotQuery","MapSetting","CallThrows","JobFormat","GameEnds","GameExtraEnds",
 * and profile_choices()}
 */
static json_t *other_schemas(void)
{
    const struct field *match = job_kind_find("match")->fields;
    json_t *schemas = profile_choices(), *formats = json_array();

    for (int k = 0; k < JOB_FORMAT_COUNT; k++)
        json_array_append_new(formats, json_string(job_format_name((enum job_format)k)));
    for (const struct field *field = match; field->name; field++)
        if (strstr(field->name, "ends"))
            json_object_set_new(schemas,
                                strcmp(field->name, "ends") == 0 ? "GameEnds" : "GameExtraEnds",
                                field_schema(field));
    json_t *others = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:{s:s, s:o}}", "ProfileName", profile_name_schema(),
        "Noise", noise_schema(), "SkillHandName", skill_hand_names(), "ShotQuery",
        part_of(shot_query_schema()), "MapSetting", part_of(fields_schema(map_fields)),
        "CallThrows", field_schema(&call_throws), "JobFormat", "type", "string", "enum", formats);
    json_object_update_new(schemas, others);
    return schemas;
}

static void write_part(FILE *out)
{
    json_t *schemas = other_schemas(), *jobs = jobs_schemas(), *schema;
    const char *name;

    json_object_update(schemas, jobs);
    json_decref(jobs);
    fputs(first_line, out);
    json_object_foreach(schemas, name, schema)
    {
        fprintf(out, "%*s%s:\n%*s", MEMBERS_INDENT, "", name, MEMBERS_INDENT + 2, "");
        write_value(out, schema, MEMBERS_INDENT + 2, MEMBERS_INDENT + 2);
        fputc('\n', out);
    }
    json_decref(schemas);
    fputs(last_line, out);
}

/* ---- the file ---- */

/* Returns the text with the part replaced; the caller frees it. NULL: the markers are missing. */
static char *rewritten(const char *text)
{
    const char *start = strstr(text, first_line), *end = strstr(text, last_line);
    char *result = NULL;
    size_t size;

    if (!start || !end || end < start)
        return NULL;
    FILE *out = open_memstream(&result, &size);
    if (!out)
        abort();
    fwrite(text, 1, (size_t)(start - text), out);
    write_part(out);
    fputs(end + strlen(last_line), out);
    fclose(out);
    return result;
}

int main(int argc, char **argv)
{
    static const struct generated_part part = {
        .program = "openapi_jobs",
        .rewritten = rewritten,
        .lacks = "cannot be read, or lacks the lines around the part for jobs",
        .outdated = "is not what the table of the kinds of jobs says; it is written by "
                    "`cmake --build --preset dev --target openapi`"};
    return generated_part_main(&part, argc, argv);
}

/* Tables of the fields of an object of JSON, and what is made of them: a strict reader that fills
 * in the defaults, and a JSON Schema. The specs of all kinds of jobs are such tables (job_kinds.c,
 * train_spec.c). */
#ifndef RINKD_API_JOB_FIELDS_H
#define RINKD_API_JOB_FIELDS_H

#include "api/player_spec.h"
#include "api/strict_json.h"

/* Turns what a request calls a player into a spec that the programs read (PLAYER_SPEC_MAX bytes).
 * False and a sentence in ret_error (PLAYER_ERROR_MAX bytes) when there is none. */
typedef bool job_player_reader(void *context, const char *text, char *ret_spec, char *ret_error);

enum field_type {
    FIELD_PLAYER,     /* text */
    FIELD_PLAYERS,    /* of all different players */
    FIELD_RESPONDERS, /* players, "local" and "local/PLAYER" */
    FIELD_PROFILE,
    FIELD_WHOLE,
    FIELD_WHOLES, /* a list */
    FIELD_NUMBER,
    FIELD_CHOICE,
    FIELD_RUN, /* the id of a run */
    FIELD_OBJECT
};

/* What happens to a field that is absent. */
enum field_absence { FIELD_NEEDED, FIELD_DEFAULT, FIELD_LEFT_OUT };

struct field {
    const char *name;
    enum field_type type;
    enum field_absence absent;
    struct {
        int64_t least, most, initial;
    } whole; /* FIELD_WHOLE; FIELD_WHOLES: each of them */
    struct {
        double least, most, initial;
    } number; /* FIELD_NUMBER */
    struct {
        size_t least, most;
        bool differ;      /* no element twice; players always do */
        const char *text; /* the list that a missing one becomes, as JSON */
    } list;               /* FIELD_WHOLES, FIELD_PLAYERS, FIELD_RESPONDERS */
    const char *player;   /* FIELD_PLAYER: what a missing one becomes */
    const char *const
        *choices; /* FIELD_CHOICE: names, NULL at the end; a missing one is the first */
    const struct field *fields; /* FIELD_OBJECT; ends with name NULL */
    /* The field is there only where the choice `by`, an earlier field of the same object, is one of
     * `only` (NULL at the end). Fields of one name may have `only`s that do not meet. */
    const char *by;
    const char *const *only;
    const char *about;
};

enum { FIELDS_MAX = 32 };

struct field_reading {
    job_player_reader *read_player;
    void *context;
    bool no_memory;
};

/* The object of these fields at the place, in the order of the table; a missing object is read as
 * an empty one. Mistakes go to the place's errors. The caller owns the object, which is whole where
 * no error was added and reading->no_memory is false. */
json_t *fields_read(struct field_reading *reading, const struct strict_place *place,
                    const struct field *fields);

/* The JSON Schema (draft 2020-12) of such an object. What depends on a choice is in "allOf", as
 * {"if":{"properties":{CHOICE:{"enum":[VALUE,…]}}, "required"?},"then":{"properties":{FIELD:schema
 * or false}}}; that of the value that a missing choice stands for has no "required". The caller
 * owns it; NULL when memory is short. */
json_t *fields_schema(const struct field *fields);
/* That of one field, whatever it depends on. */
json_t *field_schema(const struct field *field);

#endif

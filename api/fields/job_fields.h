/* Tables that describe the fields of a JSON object. They drive a strict reader, which fills in the
 * defaults, and generate a JSON Schema. The specs of all kinds of jobs are such tables
 * (job_kinds.c, train_spec.c). */
#ifndef RINKD_API_FIELDS_JOB_FIELDS_H
#define RINKD_API_FIELDS_JOB_FIELDS_H

#include "api/base/strict_json.h"
#include "api/fields/player_spec.h"

/* Resolves a player in a request to a spec that the programs read (PLAYER_SPEC_MAX bytes). On
 * failure returns false and writes a sentence into ret_error (PLAYER_ERROR_MAX bytes). */
typedef bool job_player_reader(void *context, const char *text, char *ret_spec, char *ret_error);

/* The responder that searches for the best shots itself. */
#define JOB_RESPONDER_LOCAL "local"

enum field_type {
    FIELD_PLAYER,     /* text */
    FIELD_PLAYERS,    /* a list without repeats */
    FIELD_RESPONDERS, /* players, "local" and "local/PLAYER" */
    FIELD_PROFILE,
    FIELD_WHOLE,
    FIELD_WHOLES, /* a list */
    FIELD_NUMBER,
    FIELD_CHOICE,
    FIELD_RUN,    /* the id of a run */
    FIELD_GAME,   /* the id of a game */
    FIELD_RECORD, /* the record of a game: a list of objects, which its worker reads */
    FIELD_POKER,  /* a player of hold'em (poker_spec.h), or the model of one */
    FIELD_TEXT,   /* any text of one line */
    FIELD_OBJECT
};

/* What the values of a field name outside of the spec. Whatever names something is refused if that
 * is not there, keeps it while its job has not ended, and follows it to another database. */
enum field_names {
    NAMES_NOTHING,
    NAMES_GAME,
    NAMES_RUN,
    NAMES_PLAYER /* by its weights, or as a policy that a run has still to learn */
};

/* What a missing field means: an error, its default, or no field in the result. */
enum field_absence { FIELD_NEEDED, FIELD_DEFAULT, FIELD_LEFT_OUT };

struct field {
    const char *name;
    enum field_type type;
    enum field_absence absent;
    struct {
        int64_t least, most, initial;
    } whole; /* FIELD_WHOLE; FIELD_WHOLES: each element; FIELD_TEXT: most bytes */
    struct {
        double least, most, initial;
    } number; /* FIELD_NUMBER */
    struct {
        size_t least, most;
        bool differ;            /* no element twice; always so for players */
        const char *text;       /* default, as JSON */
    } list;                     /* FIELD_WHOLES, FIELD_PLAYERS, FIELD_RESPONDERS */
    bool is_learned;            /* FIELD_PROFILE: only those that all algorithms learn */
    bool may_switch;            /* FIELD_PLAYER: may be players that take turns (player_spec.h) */
    const char *player;         /* FIELD_PLAYER, FIELD_POKER, FIELD_TEXT: default */
    const char *const *choices; /* FIELD_CHOICE: names, NULL at the end; the first is the default */
    const char *before; /* FIELD_CHOICE: what a stored object means that lacks the field, as it is
                           older than the field; NULL: the default */
    const struct field *fields; /* FIELD_OBJECT; ends with name NULL */
    /* The field is allowed only if the choice `by`, an earlier field of the same object, is one of
     * `only` (NULL at the end). Fields may share a name if their `only`s are disjoint. */
    const char *by;
    const char *const *only;
    const char *about;
};

enum { FIELDS_MAX = 64 };

/* The limits of a move. */
extern const struct field limits_fields[];
enum { LIMITS_TIME_MS, LIMITS_SIMULATIONS };

struct field_reading {
    job_player_reader *read_player;
    void *context;
    bool no_memory;
};

/* Reads the object at the place; its members come out in the order of the table. Mistakes go to the
 * place's errors. The caller owns the result, which is
 * complete if no error was added and reading->no_memory is false. */
json_t *fields_read(struct field_reading *reading, const struct strict_place *place,
                    const struct field *fields);

/* Visits each text in a resolved object that names something. Ends when `visit` returns false, and
 * returns that. */
typedef bool fields_visitor(void *context, const struct strict_place *place,
                            enum field_names names);
bool fields_visit_names(const struct field *fields, const struct strict_place *object,
                        fields_visitor *visit, void *context);

/* Whether any field, also of an object in it, names such things. */
bool fields_name(const struct field *fields, enum field_names names);

/* Adds to a stored object, which was read by the fields of its time, what they meant by not being
 * there (`before`). False: memory is short. */
bool fields_fill_before(json_t *object, const struct field *fields);

/* The JSON Schema (draft 2020-12) of such an object. Fields that depend on a choice are in "allOf",
 * as {"if":{"properties":{CHOICE:{"enum":[VALUE,…]}},
 * "required"?},"then":{"properties":{FIELD:schema or false}}}; the case of a choice's default has
 * no "required". The caller owns it; NULL when memory is short. */
json_t *fields_schema(const struct field *fields);
/* The schema of one field, regardless of the choice it depends on. */
json_t *field_schema(const struct field *field);

#endif

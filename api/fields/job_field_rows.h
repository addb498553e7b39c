/* Rows of tables of fields (job_fields.h); all but LIMIT have a default. Only for the files of such
 * tables. */
#ifndef RINKD_API_FIELDS_JOB_FIELD_ROWS_H
#define RINKD_API_FIELDS_JOB_FIELD_ROWS_H

#define WHOLE(key, least, most, initial, text)                     \
    {                                                              \
        .name = key, .type = FIELD_WHOLE, .absent = FIELD_DEFAULT, \
        .whole = {least, most, initial}, .about = text             \
    }
#define NUMBER(key, least, most, initial, text)                     \
    {                                                               \
        .name = key, .type = FIELD_NUMBER, .absent = FIELD_DEFAULT, \
        .number = {least, most, initial}, .about = text             \
    }
/* The first of the names is the default. */
#define CHOICE(key, names, text)                                                      \
    {                                                                                 \
        .name = key, .type = FIELD_CHOICE, .absent = FIELD_DEFAULT, .choices = names, \
        .about = text                                                                 \
    }
#define PROFILE                                                            \
    {                                                                      \
        .name = "profile", .type = FIELD_PROFILE, .absent = FIELD_DEFAULT, \
        .about = "rules and ice"                                           \
    }
#define LIMIT(key, smallest, largest, text)                          \
    {                                                                \
        .name = key, .type = FIELD_WHOLE, .absent = FIELD_LEFT_OUT,  \
        .whole = {.least = smallest, .most = largest}, .about = text \
    }
#define SEED WHOLE("seed", 0, INT64_MAX, 0, "seed of the random numbers")
#define LIMITS                                                                                    \
    {                                                                                             \
        .name = "limits", .type = FIELD_OBJECT, .absent = FIELD_DEFAULT, .fields = limits_fields, \
        .about = "limits of each move; without any, each player uses the budget of its settings"  \
    }

#endif

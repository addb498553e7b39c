/* The codec of results, and the lists of their members. See job_results.h. */
#include "api/jobs/job_results.h"

#include "api/base/build_json.h"
#include "api/base/print.h"

#include <string.h>

/* ---- codec ---- */

static json_t *value_json(enum result_type type, const void *field)
{
    switch (type) {
    case RESULT_TEXT:
        return json_string(*(const char *const *)field);
    case RESULT_WHOLE:
        return json_integer(*(const int64_t *)field);
    case RESULT_SEED:
        return result_seed_json(*(const uint64_t *)field);
    case RESULT_NUMBER:
        break;
    }
    return json_real(*(const double *)field);
}

static bool read_value(enum result_type type, const json_t *value, void *field)
{
    switch (type) {
    case RESULT_TEXT:
        *(const char **)field = json_string_value(value);
        return json_is_string(value);
    case RESULT_WHOLE:
    case RESULT_SEED:
        *(int64_t *)field = json_integer_value(value);
        return json_is_integer(value);
    case RESULT_NUMBER:
        break;
    }
    *(double *)field = json_number_value(value);
    return json_is_number(value);
}

/* Every type has this size. */
enum { ELEMENT_BYTES = 8 };
_Static_assert(sizeof(const char *) == ELEMENT_BYTES && sizeof(double) == ELEMENT_BYTES,
               "elements of arrays are 8 bytes apart");

json_t *result_write(const struct result_member *member, const void *result)
{
    json_t *object = json_object();
    bool good = object;

    for (; member->path && good; member++) {
        const char *field = (const char *)result + member->offset;
        json_t *value = member->count ? json_array() : value_json(member->type, field);
        for (int k = 0; k < member->count && good; k++, field += ELEMENT_BYTES)
            good = build_append(value, value_json(member->type, field));
        good = build_put(object, member->path, value) && good;
    }
    return build_done(object, good);
}

bool result_read(const struct result_member *member, const json_t *object, void *ret_result)
{
    bool good = true;

    for (; member->path && good; member++) {
        const json_t *value = member_of(object, member->path);
        char *field = (char *)ret_result + member->offset;
        if (!value && member->is_optional)
            continue;
        if (member->count == 0)
            good = read_value(member->type, value, field);
        else
            good = json_array_size(value) == (size_t)member->count;
        for (int k = 0; k < member->count && good; k++, field += ELEMENT_BYTES)
            good = read_value(member->type, json_array_get(value, (size_t)k), field);
    }
    return good;
}

json_t *result_seed_json(uint64_t seed)
{
    return seed <= INT64_MAX ? json_integer((json_int_t)seed)
                             : json_sprintf("%llu", (unsigned long long)seed);
}

/* ---- members ---- */

#define AT(type, field) offsetof(struct result_##type, field)

const struct result_member result_games_members[] = {
    {"profile", RESULT_TEXT, AT(games, profile), 0, false},
    {"ends", RESULT_WHOLE, AT(games, ends), 0, false},
    {"extra_ends", RESULT_WHOLE, AT(games, extra_ends), 0, true},
    {"seed", RESULT_SEED, AT(games, seed), 0, false},
    {"noise", RESULT_TEXT, AT(games, noise), 0, false},
    {0}};

const struct result_member result_match_members[] = {
    {"pentanomial", RESULT_WHOLE, AT(match, pentanomial), RESULT_HALF_POINTS, false},
    {"a.player", RESULT_TEXT, AT(match, a), 0, false},
    {"b.player", RESULT_TEXT, AT(match, b), 0, false},
    {0}};

const struct result_member result_place_members[] = {
    {"number", RESULT_WHOLE, AT(place, number), 0, false},
    {"player", RESULT_TEXT, AT(place, player), 0, false},
    {0}};

const struct result_member result_pairing_members[] = {
    {"players", RESULT_WHOLE, AT(pairing, players), 2, false},
    {"pentanomial", RESULT_WHOLE, AT(pairing, pentanomial), RESULT_HALF_POINTS, false},
    {0}};

const struct result_member result_mean_members[] = {
    {"points", RESULT_NUMBER, AT(mean, points), 0, false},
    {"standard_error", RESULT_NUMBER, AT(mean, standard_error), 0, false},
    {0}};

#define MEAN(name)                                                                                \
    {#name ".points", RESULT_NUMBER, AT(exploitability, name.points), 0, false},                  \
    {                                                                                             \
#name ".standard_error", RESULT_NUMBER, AT(exploitability, name.standard_error), 0, false \
    }
const struct result_member result_exploitability_members[] = {
    {"player", RESULT_TEXT, AT(exploitability, player), 0, false},
    {"profile", RESULT_TEXT, AT(exploitability, profile), 0, false},
    {"ends", RESULT_WHOLE, AT(exploitability, ends), 0, false},
    MEAN(sente),
    MEAN(gote),
    MEAN(nash_conv),
    {0}};

const struct result_member result_ladder_members[] = {
    {"profile", RESULT_TEXT, AT(ladder, profile), 0, false},
    {"ends", RESULT_WHOLE, AT(ladder, ends), 0, false},
    {"extra_ends", RESULT_WHOLE, AT(ladder, extra_ends), 0, true},
    {"anchor", RESULT_TEXT, AT(ladder, anchor), 0, false},
    {0}};

const struct result_member result_rating_members[] = {
    {"player", RESULT_TEXT, AT(rating, player), 0, false},
    {"elo", RESULT_NUMBER, AT(rating, elo), 0, false},
    {"interval", RESULT_NUMBER, AT(rating, interval), 2, false},
    {"pairs", RESULT_WHOLE, AT(rating, pairs), 0, false},
    {0}};

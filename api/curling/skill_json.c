/* Reads the question and writes the answer of skill_json.h. */
#include "api/curling/skill_json.h"

#include "api/curling/game_json.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool skill_is_query(const json_t *document)
{
    return json_object_get(document, "shots") != NULL;
}

static const struct skill_hand_kind hands[] = {
#define ROW(name, traits, about) {name, traits, about},
    SKILL_HANDS(ROW)
#undef ROW
};

static const char *const hand_names[] = {
#define ROW(name, traits, about) name,
    SKILL_HANDS(ROW)
#undef ROW
        NULL};

const struct skill_hand_kind *skill_hand_at(int hand)
{
    return &hands[hand];
}

/* ---- reading ---- */

static void read_kind(const struct strict_place *place, struct skill_query *query, int *ret_kind)
{
    const char *word;

    if (strict_is_missing(place) || !strict_text(place, SKILL_KIND_BYTES, &word))
        return;
    int kind = 0;
    while (kind < query->kinds && strcmp(query->kind[kind], word) != 0)
        kind++;
    if (kind == SKILL_KINDS_MAX) {
        strict_refuse(place, "range", "more than %d kinds of shot", SKILL_KINDS_MAX);
        return;
    }
    if (kind == query->kinds)
        memcpy(query->kind[query->kinds++], word, strlen(word) + 1);
    *ret_kind = kind;
}

static bool is_same_turn(double a, double b)
{
    return (a > 0.0) == (b > 0.0) && (a < 0.0) == (b < 0.0);
}

static void read_shot(const struct strict_place *place, struct skill_query *query,
                      struct skill_shot *ret_shot)
{
    static const char *const keys[] = {"called", "thrown", "rest", "kind", NULL};
    static const char *const point[] = {"x", "y", NULL};
    const struct strict_place called = strict_member(place, "called");
    const struct strict_place thrown = strict_member(place, "thrown");
    const struct strict_place rest = strict_member(place, "rest");
    const struct strict_place kind = strict_member(place, "kind");
    struct skill_shot shot = {.has_rest = !strict_is_missing(&rest), .kind = -1};
    double at[2];

    if (!strict_object(place, keys))
        return;
    bool good = game_shot_read(&called, query->rules, &shot.called);
    if (shot.has_rest == !strict_is_missing(&thrown))
        strict_refuse(place, "value", "must have one of thrown and rest");
    else if (shot.has_rest && strict_pair(&rest, point, GAME_COORDINATE_MAX_M, at))
        shot.rest = (struct vec2){at[0], at[1]};
    else if (!shot.has_rest && game_shot_read(&thrown, query->rules, &shot.thrown) && good &&
             !is_same_turn(shot.called.omega, shot.thrown.omega))
        strict_refuse(&thrown, "value", "turns the other way than the called shot");
    read_kind(&kind, query, &shot.kind);
    *ret_shot = shot;
}

static void read_shots(const struct strict_place *shots, struct skill_query *query)
{
    if (!strict_array(shots, SKILL_SHOTS_LEAST, SKILL_SHOTS_MOST))
        return;
    query->count = (int)json_array_size(shots->value);
    query->shot = calloc((size_t)query->count, sizeof *query->shot);
    if (!query->shot) {
        strict_refuse(shots, "no_memory", "out of memory");
        return;
    }
    for (int k = 0; k < query->count; k++) {
        const struct strict_place place = strict_element(shots, (size_t)k);
        read_shot(&place, query, &query->shot[k]);
    }
}

static void read_flag(const struct strict_place *root, const char *name, bool *ret_flag)
{
    const struct strict_place flag = strict_member(root, name);

    if (!strict_is_missing(&flag))
        strict_flag(&flag, ret_flag);
}

bool skill_query_decode(json_t *document, struct skill_query *ret_query,
                        struct strict_errors *ret_errors)
{
    static const char *const keys[] = {"id",   "profile", "shots",  "drift",
                                       "hand", "compare", "throws", NULL};
    struct skill_query query = {.hand = -1};
    const char *name;

    *ret_query = query;
    ret_errors->count = ret_errors->dropped = 0;
    const struct strict_place root = strict_root(document, ret_errors);
    if (!strict_object(&root, keys))
        return false;
    const struct strict_place id = strict_member(&root, "id");
    const struct strict_place profile = strict_member(&root, "profile");
    const struct strict_place shots = strict_member(&root, "shots");
    const struct strict_place hand = strict_member(&root, "hand");
    if (!strict_is_missing(&id))
        strict_read_id(&id, &query.id);
    read_flag(&root, "drift", &query.drift);
    read_flag(&root, "compare", &query.compare);
    read_flag(&root, "throws", &query.throws);
    if (!strict_is_missing(&hand))
        strict_choice(&hand, hand_names, &query.hand);
    if (strict_text(&profile, PROFILE_LIST_MAX, &name)) {
        char list[PROFILE_LIST_MAX];
        query.rules = rules_find(name);
        if (!query.rules)
            strict_refuse(&profile, "value", "must be one of %s", profile_list(false, list));
        else
            read_shots(&shots, &query);
    }
    if (ret_errors->count > 0)
        skill_query_free(&query);
    *ret_query = query;
    return ret_errors->count == 0;
}

void skill_query_free(struct skill_query *query)
{
    free(query->shot);
    query->shot = NULL;
}

/* ---- writing ---- */

int skill_setting(enum ice_noise kind, int k)
{
    const struct noise_setting *setting;

    for (int index = 0; (setting = noise_setting_at(index)) != NULL; index++)
        if (setting->kind == kind && k-- == 0)
            return index;
    return -1;
}

static const char *setting_name(const struct skill_answer *answer, int k)
{
    return noise_setting_at(skill_setting(profile_of(answer->query->rules)->ice->noise, k))->name;
}

static json_t *interval_json(const struct skill_interval *interval)
{
    return json_pack("{s:f, s:f, s:f}", "value", interval->value, "low", interval->low, "high",
                     interval->high);
}

/* Adds "noise" and "intervals"; nulls for a hand that is not known. */
static bool add_hand(json_t *object, const struct skill_hand *hand)
{
    json_t *noise = hand ? json_object() : json_null();
    json_t *intervals = hand ? json_object() : json_null();
    bool good = true;

    for (int k = 0; hand && k < hand->settings; k++) {
        const char *name = noise_setting_at(hand->setting[k])->name;
        good = json_object_set_new(noise, name, json_real(hand->value[k].value)) == 0 &&
               json_object_set_new(intervals, name, interval_json(&hand->value[k])) == 0 && good;
    }
    good = json_object_set_new(object, "noise", noise) == 0 && good;
    return json_object_set_new(object, "intervals", intervals) == 0 && good;
}

static bool add_kinds(const struct skill_answer *answer, json_t *object)
{
    json_t *kinds = json_object();
    bool good = json_object_set_new(object, "kinds", kinds) == 0;

    for (int k = 0; good && k < answer->query->kinds; k++) {
        json_t *kind = json_pack("{s:i}", "shots", answer->kind_shots[k]);
        good =
            json_object_set_new(kinds, answer->query->kind[k], kind) == 0 &&
            add_hand(kind, answer->kind_shots[k] < SKILL_SHOTS_LEAST ? NULL : &answer->of_kind[k]);
    }
    return good;
}

static json_t *drift_json(const struct skill_drift *drift, int count)
{
    json_t *path = json_array();
    json_t *object = json_pack("{s:f, s:b, s:o}", "log10_evidence", drift->log10_evidence,
                               "is_supported", (int)drift->is_supported, "path", path);

    for (int k = 0; object && k < count; k++)
        if (json_array_append_new(path, interval_json(&drift->path[k])) != 0) {
            json_decref(object);
            object = NULL;
        }
    return object;
}

static bool add_drift(const struct skill_answer *answer, json_t *object)
{
    json_t *drift = answer->query->drift ? json_object() : json_null();
    bool good = json_object_set_new(object, "drift", drift) == 0;

    for (int k = 0; good && answer->query->drift && k < SKILL_SETTINGS; k++)
        good = json_object_set_new(drift, setting_name(answer, k),
                                   drift_json(&answer->drift[k], answer->query->count)) == 0;
    return good;
}

static bool add_comparison(const struct skill_answer *answer, json_t *object)
{
    json_t *list = json_array();
    bool good = json_object_set_new(object, "hands", list) == 0;

    for (int k = 0; good && k < answer->compared; k++) {
        const struct skill_comparison *one = &answer->comparison[k];
        const struct skill_hand_kind *kind = skill_hand_at(one->hand);
        json_t *row =
            json_pack("{s:s, s:s, s:f, s:f}", "hand", kind->name, "about", kind->about,
                      "probability", one->probability, "log10_evidence", one->log10_evidence);
        good = json_array_append_new(list, row) == 0 && add_hand(row, &one->found);
    }
    return good;
}

static bool add_errors(const struct skill_answer *answer, json_t *object)
{
    json_t *list = json_array();
    bool good = json_object_set_new(object, "throws", list) == 0;

    for (int k = 0; good && k < answer->query->count; k++) {
        const struct skill_error *error = &answer->error[k];
        good =
            json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:s}", "across", error->across,
                                                  "along", error->along, "weight", error->weight,
                                                  "curls", error->is_left ? "left" : "right")) == 0;
    }
    return good;
}

/* What only some questions ask for. */
static bool add_asked(const struct skill_answer *answer, json_t *object)
{
    const struct skill_query *query = answer->query;
    bool good = true;

    if (query->hand >= 0 || query->compare)
        good = json_object_set_new(object, "hand",
                                   json_string(skill_hand_at(answer->hand)->name)) == 0;
    return good && (!query->compare || add_comparison(answer, object)) &&
           (!query->throws || add_errors(answer, object));
}

json_t *skill_answer_json(const struct skill_answer *answer)
{
    const struct skill_query *query = answer->query;
    json_t *object = json_pack("{s:o, s:s, s:i}", "id", strict_id_json(&query->id), "profile",
                               query->rules->name, "shots", query->count);

    if (object && add_hand(object, &answer->all) && add_kinds(answer, object) &&
        add_drift(answer, object) && add_asked(answer, object))
        return object;
    json_decref(object);
    return NULL;
}

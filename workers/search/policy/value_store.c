/* A few places under one lock; nothing leaves them. */
#include "workers/search/policy/value_store.h"

#include "models/networks/net_file.h"
#include "models/networks/policy.h"
#include "models/networks/weights.h"
#include "models/tables/profiles.h"
#include "workers/search/policy/policy_store.h"

#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROFILE_BYTES = 32, PATH_BYTES = 4096 };

struct place {
    char sha256[65], profile[PROFILE_BYTES];
    struct end_value *network;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct place places[VALUE_STORE_MOST];
static int count;

static const struct place *place_of(const char *sha256)
{
    for (int k = 0; k < count; k++)
        if (strcmp(places[k].sha256, sha256) == 0)
            return &places[k];
    return NULL;
}

/* Whether each stage of an end of so many shots has weights. */
static bool is_complete(const struct end_value *network, int shots)
{
    for (int k = 0; k < END_VALUE_STAGES && k + 1 < shots; k++)
        if (end_value_is_empty(&network->stage[k]))
            return false;
    return true;
}

/* Reads the notes and the weights of a file. NULL: it is a network to play with; else why not. */
static const char *read_file(const struct weights *file, struct place *place)
{
    json_t *notes = NULL;

    if (net_file_notes(file->bytes, file->size, &notes) != NET_OK)
        return "the file is not a network";
    const char *version = json_string_value(json_object_get(notes, END_VALUE_NOTE)),
               *profile = json_string_value(json_object_get(notes, "profile"));
    const char *why =
        !version ? "the file is not an end-value network of a training"
        : strcmp(version, END_VALUE_VERSION) != 0 && strcmp(version, END_VALUE_FIRST) != 0
            ? "the end-value network is of another version than this build reads"
            : NULL;
    const struct rules *rules = rules_find(profile ? profile : "");
    snprintf(place->profile, sizeof place->profile, "%s", rules ? rules->name : "");
    json_decref(notes);
    if (why)
        return why;
    if (!rules)
        return "the end-value network is for a profile that this build does not know";
    if (end_value_read(file->bytes, file->size, place->network) != NET_OK)
        return "the end-value network is damaged";
    return is_complete(place->network, rules->shots)
               ? NULL
               : "the end-value network is not complete: its first sweep ends with step 15";
}

/* Reads a file into a new place. False: a sentence. */
static bool add(const char *model, const struct weights *file, const char *sha256, size_t size,
                char *ret_error)
{
    struct place place = {.network =
                              aligned_alloc(_Alignof(struct end_value), sizeof(struct end_value))};
    const char *why = !place.network              ? "no memory"
                      : count == VALUE_STORE_MOST ? "too many end-value networks at a time"
                                                  : read_file(file, &place);

    if (why) {
        snprintf(ret_error, size, "model %.200s: %s", model, why);
        free(place.network);
        return false;
    }
    memcpy(place.sha256, sha256, sizeof place.sha256);
    places[count++] = place;
    return true;
}

bool value_store_find(const char *model, char ret_sha256[65], size_t size, char *ret_error)
{
    char path[PATH_BYTES], why[WEIGHTS_ERROR_MAX], sha256[65];
    struct weights file;

    pthread_mutex_lock(&lock);
    bool good = place_of(model) != NULL;
    pthread_mutex_unlock(&lock);
    if (good) {
        memcpy(ret_sha256, model, sizeof sha256);
        return true;
    }
    if (!policy_store_path(model, sizeof path, path, size, ret_error))
        return false;
    if (!weights_map(path, &file, why)) {
        snprintf(ret_error, size, "model %.900s", why);
        return false;
    }
    policy_sha256(file.bytes, file.size, sha256);
    if (player_model_kind(model) == PLAYER_MODEL_HASH && strcmp(model, sha256) != 0) {
        snprintf(ret_error, size, "model %.300s: its SHA-256 is another one", path);
    } else {
        pthread_mutex_lock(&lock);
        good = place_of(sha256) || add(model, &file, sha256, size, ret_error);
        pthread_mutex_unlock(&lock);
    }
    weights_unmap(&file);
    if (good)
        memcpy(ret_sha256, sha256, sizeof sha256);
    return good;
}

bool value_store_fits(const char *sha256, const struct rules *rules, size_t size, char *ret_error)
{
    pthread_mutex_lock(&lock);
    const struct place *place = place_of(sha256);
    bool good = place && strcmp(place->profile, rules->name) == 0;
    if (!good)
        snprintf(ret_error, size, "values: the network was trained for %s, not for %s",
                 place ? place->profile : "?", rules->name);
    pthread_mutex_unlock(&lock);
    return good;
}

const struct end_value *value_store_get(const char *sha256)
{
    pthread_mutex_lock(&lock);
    const struct place *place = place_of(sha256);
    pthread_mutex_unlock(&lock);
    return place ? place->network : NULL;
}

/* A few slots under one lock. The first copy of a policy stays in its slot as the source of further
 * copies; returned copies wait there for the next thread. */
#include "workers/search/policy/policy_store.h"

#include "api/fields/player_spec.h"
#include "models/ice/action_grid.h"
#include "models/networks/weights.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)POLICY_ACTIONS == (int)ACTIONS,
               "networks choose among the actions of the grid");

enum { SPARES_MAX = 64, PATH_MAX_BYTES = 4096 };

struct slot {
    struct policy *first; /* NULL: a free slot */
    struct policy *spare[SPARES_MAX];
    int spares, borrowed;
    int pins; /* calls of policy_store_add() not yet followed by policy_store_drop() */
    uint64_t used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct slot slots[POLICY_STORE_MOST];
static uint64_t uses;
static const char *models_folder;

void policy_store_folder(const char *folder)
{
    pthread_mutex_lock(&lock);
    models_folder = folder;
    pthread_mutex_unlock(&lock);
}

/* ---- slots; the lock is held ---- */

static struct slot *slot_of(const char *sha256)
{
    for (int k = 0; k < POLICY_STORE_MOST; k++)
        if (slots[k].first && strcmp(slots[k].first->sha256, sha256) == 0) {
            slots[k].used = ++uses;
            return &slots[k];
        }
    return NULL;
}

static void empty(struct slot *slot)
{
    policy_free(slot->first);
    for (int k = 0; k < slot->spares; k++)
        policy_free(slot->spare[k]);
    *slot = (struct slot){.first = NULL};
}

/* Returns a free slot, dropping a policy if necessary; NULL when all are in use. */
static struct slot *room(void)
{
    struct slot *oldest = NULL;
    for (int k = 0; k < POLICY_STORE_MOST; k++) {
        struct slot *slot = &slots[k];
        if (!slot->first)
            return slot;
        if (slot->borrowed == 0 && slot->pins == 0 && (!oldest || slot->used < oldest->used))
            oldest = slot;
    }
    if (oldest)
        empty(oldest);
    return oldest;
}

/* ---- reading ---- */

__attribute__((format(printf, 3, 4))) static bool refuse(size_t size, char *ret_error,
                                                         const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error, size, format, arguments);
    va_end(arguments);
    return false;
}

static bool path_of(const char *model, size_t path_size, char *ret_path, size_t size,
                    char *ret_error)
{
    const char *folder = models_folder ? models_folder : getenv("RINKD_MODELS");

    switch (player_model_kind(model)) {
    case PLAYER_MODEL_HASH:
        if (!folder)
            return refuse(size, ret_error,
                          "model %s: no folder of models is known: --models or RINKD_MODELS",
                          model);
        if (snprintf(ret_path, path_size, "%s/%s.safetensors", folder, model) >= (int)path_size)
            return refuse(size, ret_error, "the path of the models is too long");
        return true;
    case PLAYER_MODEL_PATH:
        snprintf(ret_path, path_size, "%s", model);
        return true;
    case PLAYER_MODEL_NAME:
        break;
    }
    return refuse(size, ret_error,
                  "model %.200s: only the daemon knows names; give the SHA-256 of a file in the "
                  "folder of models, or a path with a '/'",
                  model);
}

bool policy_store_path(const char *model, size_t path_size, char *ret_path, size_t size,
                       char *ret_error)
{
    pthread_mutex_lock(&lock);
    bool good = path_of(model, path_size, ret_path, size, ret_error);
    pthread_mutex_unlock(&lock);
    return good;
}

/* Returns a slot with the policy of these bytes. */
static struct slot *take(const unsigned char *bytes, size_t length, size_t size, char *ret_error)
{
    struct policy *policy;
    char message[NET_ERROR_MAX];

    if (policy_read(bytes, length, "cpu", &policy, message) != NET_OK) {
        refuse(size, ret_error, "%s", message);
        return NULL;
    }
    struct slot *slot = slot_of(policy->sha256);
    if (slot) {
        policy_free(policy);
        return slot;
    }
    bool fits = policy->form.sees == POLICY_SEES_SHOTS || policy->form.actions == ACTIONS;
    slot = fits ? room() : NULL;
    if (!slot) {
        if (!fits)
            refuse(size, ret_error, "actions: %d, but players have %d", policy->form.actions,
                   ACTIONS);
        else
            refuse(size, ret_error, "too many policies at a time");
        policy_free(policy);
        return NULL;
    }
    *slot = (struct slot){.first = policy, .used = ++uses};
    return slot;
}

/* Returns the slot of a model; reads the file unless its hash is already loaded. Releases the lock
 * while it reads. */
static struct slot *find(const char *model, size_t size, char *ret_error)
{
    char path[PATH_MAX_BYTES], why[WEIGHTS_ERROR_MAX], sha256[65];
    struct weights file;

    struct slot *slot = slot_of(model);
    if (slot)
        return slot;
    if (!path_of(model, sizeof path, path, size, ret_error))
        return NULL;
    pthread_mutex_unlock(&lock);
    bool is_read = weights_map(path, &file, why);
    if (is_read && file.size > POLICY_STORE_BYTES_MAX) {
        refuse(sizeof why, why, "%.300s: more than %d bytes", path, POLICY_STORE_BYTES_MAX);
        weights_unmap(&file);
        is_read = false;
    }
    if (is_read)
        policy_sha256(file.bytes, file.size, sha256);
    pthread_mutex_lock(&lock);
    if (!is_read) {
        refuse(size, ret_error, "model %s", why);
        return NULL;
    }
    slot = slot_of(sha256);
    if (!slot)
        slot = take(file.bytes, file.size, sizeof why, why);
    weights_unmap(&file);
    if (!slot) {
        refuse(size, ret_error, "model %.300s: %s", path, why);
    } else if (player_model_kind(model) == PLAYER_MODEL_HASH &&
               strcmp(slot->first->sha256, model) != 0) {
        refuse(size, ret_error, "model %.300s: its SHA-256 is another one", path);
        slot = NULL;
    }
    return slot;
}

bool policy_store_find(const char *model, char ret_sha256[65], size_t size, char *ret_error)
{
    pthread_mutex_lock(&lock);
    const struct slot *slot = find(model, size, ret_error);
    if (slot)
        memcpy(ret_sha256, slot->first->sha256, sizeof slot->first->sha256);
    pthread_mutex_unlock(&lock);
    return slot != NULL;
}

bool policy_store_add(const unsigned char *bytes, size_t bytes_size, char ret_sha256[65],
                      size_t size, char *ret_error)
{
    pthread_mutex_lock(&lock);
    struct slot *slot = take(bytes, bytes_size, size, ret_error);
    if (slot) {
        slot->pins++;
        memcpy(ret_sha256, slot->first->sha256, sizeof slot->first->sha256);
    }
    pthread_mutex_unlock(&lock);
    return slot != NULL;
}

void policy_store_drop(const char *sha256)
{
    pthread_mutex_lock(&lock);
    struct slot *slot = slot_of(sha256);
    if (slot) {
        slot->pins -= slot->pins > 0;
        if (slot->borrowed == 0 && slot->pins == 0)
            empty(slot);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- lending ---- */

/* Returns the slot of a model that was loaded before. */
static struct slot *find_again(const char *model, const char *sha256)
{
    char message[PLAYER_ERROR_MAX];
    struct slot *slot = slot_of(sha256);

    if (slot)
        return slot;
    slot = find(model, sizeof message, message);
    return slot && strcmp(slot->first->sha256, sha256) == 0 ? slot : NULL;
}

bool policy_store_values_shots(const char *model, const char *sha256)
{
    pthread_mutex_lock(&lock);
    const struct slot *slot = find_again(model, sha256);
    bool values_shots = slot && slot->first->form.sees == POLICY_SEES_SHOTS;
    pthread_mutex_unlock(&lock);
    return values_shots;
}

bool policy_store_has_scores(const char *model, const char *sha256)
{
    pthread_mutex_lock(&lock);
    const struct slot *slot = find_again(model, sha256);
    bool has_scores = slot && slot->first->form.has_scores;
    pthread_mutex_unlock(&lock);
    return has_scores;
}

/* Lends a copy from a slot; NULL: no slot, or memory is short. */
static struct policy *borrow_from(struct slot *slot)
{
    char message[NET_ERROR_MAX];
    struct policy *policy = NULL;

    if (slot && slot->spares > 0)
        policy = slot->spare[--slot->spares];
    else if (slot && policy_copy(slot->first, "cpu", &policy, message) != NET_OK)
        policy = NULL;
    if (policy)
        slot->borrowed++;
    return policy;
}

struct policy *policy_store_borrow(const char *model, const char *sha256)
{
    pthread_mutex_lock(&lock);
    struct policy *policy = borrow_from(find_again(model, sha256));
    pthread_mutex_unlock(&lock);
    return policy;
}

/* ---- shipped policies ---- */

/* SHA-256 of each profile's shipped policy, "" until it is first read; under the lock. */
static char shipped[PROFILES_MAX][65];

/* Returns the slot of the policy shipped for the profile with this index in the table. */
static struct slot *find_shipped(const struct profile *profile, int index, size_t size,
                                 char *ret_error)
{
    char why[WEIGHTS_ERROR_MAX];
    struct weights file;
    struct slot *slot = shipped[index][0] ? slot_of(shipped[index]) : NULL;

    if (slot)
        return slot;
    if (!policy_map_shipped(profile->weights.policy, &file, why)) {
        refuse(size, ret_error, "%s", why);
        return NULL;
    }
    slot = take(file.bytes, file.size, size, ret_error);
    weights_unmap(&file);
    if (slot)
        memcpy(shipped[index], slot->first->sha256, sizeof shipped[index]);
    return slot;
}

static int index_of(const struct profile *profile)
{
    int index = 0;

    while (profile_at(index) != profile)
        index++;
    return index;
}

struct policy *policy_store_borrow_shipped(const struct profile *profile)
{
    char message[WEIGHTS_ERROR_MAX];

    if (!profile->weights.policy)
        return NULL;
    pthread_mutex_lock(&lock);
    struct policy *policy =
        borrow_from(find_shipped(profile, index_of(profile), sizeof message, message));
    pthread_mutex_unlock(&lock);
    return policy;
}

struct policy *policy_store_borrow_for(const struct player *player, const struct rules *rules)
{
    return player->model[0] ? policy_store_borrow(player->model, player->weights_sha256)
                            : policy_store_borrow_shipped(profile_of(rules));
}

bool policy_store_has_for(const struct player *player, const struct rules *rules, size_t size,
                          char *ret_error)
{
    const struct profile *profile = profile_of(rules);

    if (player->model[0])
        return true;
    if (!profile->weights.policy)
        return refuse(size, ret_error, "player %s: no policy is shipped for %s",
                      player->class->name, rules->name);
    pthread_mutex_lock(&lock);
    bool has = find_shipped(profile, index_of(profile), size, ret_error) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

void policy_store_return(struct policy *policy)
{
    if (!policy)
        return;
    pthread_mutex_lock(&lock);
    struct slot *slot = slot_of(policy->sha256); /* a slot lives while copies are borrowed */
    assert(slot && slot->borrowed > 0);
    slot->borrowed--;
    if (slot->spares < SPARES_MAX) {
        slot->spare[slot->spares++] = policy;
        policy = NULL;
    }
    pthread_mutex_unlock(&lock);
    policy_free(policy);
}

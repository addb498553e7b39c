/* The list of asynchronous shot queries. See kept_shots.h. */
#include "service/shots/kept_shots.h"

#include "api/base/clock.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct kept_caller {
    LIST_ENTRY(kept_caller) link;
    char *name;
    int running, ended; /* its queries; one with neither is freed */
};

static struct kept_caller *find_caller(const struct kept_shots *kept, const char *name)
{
    struct kept_caller *caller = LIST_FIRST(&kept->callers);

    while (caller && strcmp(caller->name, name) != 0)
        caller = LIST_NEXT(caller, link);
    return caller;
}

static struct kept_caller *add_caller(struct kept_shots *kept, const char *name)
{
    struct kept_caller *caller = calloc(1, sizeof *caller);
    char *copy = caller ? strdup(name) : NULL;

    if (!copy) {
        free(caller);
        return NULL;
    }
    caller->name = copy;
    LIST_INSERT_HEAD(&kept->callers, caller, link);
    return caller;
}

static void release_caller(struct kept_caller *caller)
{
    if (caller->running + caller->ended > 0)
        return;
    LIST_REMOVE(caller, link);
    free(caller->name);
    free(caller);
}

void kept_shot_drop(struct kept_shot *shot)
{
    struct kept_caller *caller = shot->caller;

    LIST_REMOVE(shot, link);
    if (shot->is_running) {
        caller->running--;
    } else {
        caller->ended--;
        shot->all->ended--;
    }
    assert(caller->running >= 0 && caller->ended >= 0 && shot->all->ended >= caller->ended);
    release_caller(caller);
    json_decref(shot->answer);
    free(shot);
}

/* Whether `shot` makes room before `other`, which may be NULL. */
static bool goes_before(const struct kept_shot *shot, const struct kept_shot *other)
{
    if (!other || shot->caller->ended != other->caller->ended)
        return !other || shot->caller->ended > other->caller->ended;
    return shot->ended_s < other->ended_s;
}

/* Drops old answers and those for which there is no room. */
static void forget(struct kept_shots *kept)
{
    double now = clock_now_s();
    struct kept_shot *shot, *next, *first;

    for (shot = LIST_FIRST(&kept->shots); shot; shot = next) {
        next = LIST_NEXT(shot, link);
        if (!shot->is_running && now - shot->ended_s > KEPT_SHOTS_S)
            kept_shot_drop(shot);
    }
    while (kept->ended > KEPT_SHOTS_MAX) {
        first = NULL;
        LIST_FOREACH (shot, &kept->shots, link)
            if (!shot->is_running && goes_before(shot, first))
                first = shot;
        kept_shot_drop(first);
    }
}

enum api_error kept_shots_add(struct kept_shots *kept, const char *name,
                              struct kept_shot **ret_shot)
{
    unsigned char random[KEPT_SHOT_ID_MAX / 2];
    struct kept_caller *caller = find_caller(kept, name);

    if (caller && caller->running >= KEPT_SHOTS_RUNNING)
        return API_SHARE_FULL;
    struct kept_shot *shot = calloc(1, sizeof *shot);
    if (shot && !caller)
        caller = add_caller(kept, name);
    if (!caller || !shot) {
        free(shot);
        return API_NO_MEMORY;
    }
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(shot->id, sizeof shot->id, random, sizeof random);
    shot->all = kept;
    shot->caller = caller;
    shot->is_running = true;
    caller->running++;
    LIST_INSERT_HEAD(&kept->shots, shot, link);
    *ret_shot = shot;
    return API_OK;
}

void kept_shot_end(struct kept_shot *shot, enum api_error error, json_t *answer)
{
    assert(shot->is_running);
    shot->is_running = false;
    shot->asker = NULL;
    shot->answer = json_incref(answer);
    shot->error = error;
    shot->ended_s = clock_now_s();
    shot->caller->running--;
    shot->caller->ended++;
    shot->all->ended++;
    forget(shot->all); /* not this one: it ended last, and its caller has others if it has most */
}

struct kept_shot *kept_shots_find(struct kept_shots *kept, const char *id)
{
    struct kept_shot *shot;

    forget(kept);
    LIST_FOREACH (shot, &kept->shots, link)
        if (strcmp(shot->id, id) == 0)
            return shot;
    return NULL;
}

void kept_shots_free(struct kept_shots *kept)
{
    while (!LIST_EMPTY(&kept->shots))
        kept_shot_drop(LIST_FIRST(&kept->shots));
}

json_t *kept_shot_json(const struct kept_shot *kept)
{
    bool has_failed = !kept->is_running && kept->error != API_OK;
    const char *state = kept->is_running ? "running" : has_failed ? "failed" : "done";
    json_t *error = has_failed ? json_pack("{s:s, s:s}", "code", api_error_slug(kept->error),
                                           "title", api_error_title(kept->error))
                               : NULL;

    if (has_failed && !error)
        return NULL;
    return json_pack("{s:s, s:s, s:O?, s:o*}", "id", kept->id, "state", state, "answer",
                     kept->answer, "error", error);
}

/* The list of asynchronous shot queries. See kept_shots.h. */
#include "service/shots/kept_shots.h"

#include "api/clock.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void kept_free(struct kept_shot *kept)
{
    json_decref(kept->answer);
    free(kept);
}

/* Drops old answers, and with `make_room` the oldest one if it has ended. */
static void forget(struct kept_shots *kept, bool make_room)
{
    double now = clock_now_s();
    struct kept_shot **place = &kept->newest;

    while (*place) {
        struct kept_shot *shot = *place;
        bool is_old = !shot->asker && now - shot->ended_s > KEPT_SHOTS_S;
        bool is_last = !shot->next && make_room && !shot->asker;
        if (is_old || is_last) {
            *place = shot->next;
            kept->count--;
            kept_free(shot);
        } else {
            place = &shot->next;
        }
    }
}

struct kept_shot *kept_shots_add(struct kept_shots *kept)
{
    unsigned char random[KEPT_SHOT_ID_MAX / 2];
    struct kept_shot *shot;

    forget(kept, kept->count >= KEPT_SHOTS_MAX);
    if (kept->count >= KEPT_SHOTS_MAX || getrandom(random, sizeof random, 0) != sizeof random ||
        !(shot = calloc(1, sizeof *shot)))
        return NULL;
    for (size_t k = 0; k < sizeof random; k++)
        snprintf(shot->id + 2 * k, 3, "%02x", random[k]);
    shot->next = kept->newest;
    kept->newest = shot;
    kept->count++;
    return shot;
}

void kept_shots_take_back(struct kept_shots *kept)
{
    struct kept_shot *shot = kept->newest;

    assert(shot && kept->count > 0);
    kept->newest = shot->next;
    kept->count--;
    kept_free(shot);
}

struct kept_shot *kept_shots_find(struct kept_shots *kept, const char *id)
{
    forget(kept, false);
    struct kept_shot *shot = kept->newest;

    while (shot && strcmp(shot->id, id) != 0)
        shot = shot->next;
    return shot;
}

void kept_shots_free(struct kept_shots *kept)
{
    while (kept->newest)
        kept_shots_take_back(kept);
}

json_t *kept_shot_json(const struct kept_shot *kept)
{
    const char *state = kept->asker ? "running" : kept->error == API_OK ? "done" : "failed";
    json_t *object =
        json_pack("{s:s, s:s, s:O?}", "id", kept->id, "state", state, "answer", kept->answer);

    if (object && !kept->asker && kept->error != API_OK &&
        json_object_set_new(object, "error",
                            json_pack("{s:s, s:s}", "code", api_error_slug(kept->error), "title",
                                      api_error_title(kept->error))) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

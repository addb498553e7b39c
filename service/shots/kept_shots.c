/* The list of asynchronous shot queries. See kept_shots.h. */
#include "service/shots/kept_shots.h"

#include "api/base/clock.h"

#include <assert.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void drop(struct kept_shots *kept, struct kept_shot **place)
{
    struct kept_shot *shot = *place;

    *place = shot->next;
    kept->count--;
    json_decref(shot->answer);
    free(shot);
}

/* Drops old answers and, if there is still no room, the oldest one. */
static void forget(struct kept_shots *kept, int most)
{
    double now = clock_now_s();
    struct kept_shot **oldest = NULL;

    for (struct kept_shot **place = &kept->newest; *place;) {
        bool has_ended = !(*place)->asker;
        if (has_ended && now - (*place)->ended_s > KEPT_SHOTS_S) {
            drop(kept, place);
            continue;
        }
        if (has_ended)
            oldest = place;
        place = &(*place)->next;
    }
    if (oldest && kept->count > most)
        drop(kept, oldest);
}

struct kept_shot *kept_shots_add(struct kept_shots *kept)
{
    unsigned char random[KEPT_SHOT_ID_MAX / 2];
    struct kept_shot *shot;

    forget(kept, KEPT_SHOTS_MAX - 1);
    if (kept->count >= KEPT_SHOTS_MAX || !(shot = calloc(1, sizeof *shot)))
        return NULL;
    randombytes_buf(random, sizeof random);
    sodium_bin2hex(shot->id, sizeof shot->id, random, sizeof random);
    shot->next = kept->newest;
    kept->newest = shot;
    kept->count++;
    return shot;
}

void kept_shots_take_back(struct kept_shots *kept)
{
    assert(kept->newest && kept->count > 0);
    drop(kept, &kept->newest);
}

struct kept_shot *kept_shots_find(struct kept_shots *kept, const char *id)
{
    forget(kept, KEPT_SHOTS_MAX);
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
    bool has_failed = !kept->asker && kept->error != API_OK;
    const char *state = kept->asker ? "running" : has_failed ? "failed" : "done";
    json_t *error = has_failed ? json_pack("{s:s, s:s}", "code", api_error_slug(kept->error),
                                           "title", api_error_title(kept->error))
                               : NULL;

    if (has_failed && !error)
        return NULL;
    return json_pack("{s:s, s:s, s:O?, s:o*}", "id", kept->id, "state", state, "answer",
                     kept->answer, "error", error);
}

/* Job "diagnose": the speed of this machine. Half of each second goes to throws alone, half to the
 * strong search, on one thread. */
#include "workers/evaluate/worker_jobs.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/jobs/wire.h"
#include "models/game/sheet.h"
#include "models/ice/aim.h"
#include "models/ice/quasi.h"

#include <stdlib.h>

enum { THROWS_AT_ONCE = 512 };

#define PART_S 0.5

struct speed {
    double units, time_s;
};

/* Throws alone, throws of the search. */
enum { MEASURED = 2 };
static const char *const names[MEASURED] = {"throws_per_s", "search_throws_per_s"};

static double speed_of(const struct speed *speed)
{
    return speed->time_s > 0.0 ? speed->units / speed->time_s : 0.0;
}

/* Throws draws to the tee past a guard, with the noise of hands. False on failure. */
static bool measure_throws(const struct pair_setting *setting, uint64_t second,
                           const atomic_bool *stop, struct speed *ret_speed)
{
    static struct normal_pair pairs[THROWS_AT_ONCE];
    const struct random_key key = {.seed = setting->seed, .stream = second};
    const struct vec2 tee = {SHEET_TEE_X, SHEET_TEE_Y};
    struct position before = {0};
    struct shot shot;
    struct speed speed = {0.0, 0.0};
    double start_s = clock_now_s();

    if (aim_draw(setting->ice, tee, setting->ice->spin, &shot) != AIM_OK)
        return false;
    position_put(&before, 0, (struct vec2){SHEET_TEE_X, SHEET_HOG_LINE_Y + 2.0});
    struct throw_request request = {.ice = setting->ice, .before = &before, .stone = 1};
    quasi_normal_pairs(&key, 0, THROWS_AT_ONCE, pairs);
    while (speed.time_s < PART_S && !atomic_load(stop)) {
        for (int k = 0; k < THROWS_AT_ONCE; k++) {
            struct throw_result result;
            request.shot = noise_apply(&setting->noise, setting->ice, shot, pairs[k]);
            if (throw_fast(&request, &result) != THROW_OK)
                return false;
        }
        speed.units += THROWS_AT_ONCE;
        speed.time_s = clock_now_s() - start_s;
    }
    *ret_speed = speed;
    return true;
}

/* Searches for the first shot of a game, for half a second. */
static bool measure_search(const struct pair_setting *setting, const struct player *player,
                           uint64_t second, const atomic_bool *stop, struct speed *ret_speed)
{
    static struct player_answer answer; /* large */
    struct game game;

    if (game_start(setting->rules, setting->rules->ends, setting->rules->extra_ends, 1, &game) !=
        GAME_OK)
        return false;
    const struct player_query query = {.game = &game,
                                       .ice = setting->ice,
                                       .noise = &setting->noise,
                                       .limits = {.time_s = PART_S, .threads = 1},
                                       .key = {.seed = setting->seed, .game = second},
                                       .cancel = stop};
    if (player_choose(player, &query, &answer) != PLAYER_OK)
        return false;
    *ret_speed = (struct speed){(double)answer.simulations, answer.elapsed_s};
    return true;
}

/* Sends a point of each curve. */
static void report(struct worker *worker, const struct wire_job *job, int64_t second,
                   const struct speed speeds[MEASURED])
{
    json_t *run = json_array_get(job->runs, 0);

    if (!run)
        return;
    json_t *rows = json_array();
    bool good = rows != NULL;
    for (int k = 0; k < MEASURED && good; k++)
        good = build_append(rows, json_pack("{s:O, s:s, s:I, s:o}", "run", run, "name", names[k],
                                            "step", (json_int_t)second, "value",
                                            wire_number(speed_of(&speeds[k]))));
    worker_metrics(worker, build_done(rows, good));
}

json_t *job_diagnose(struct worker *worker, const struct wire_job *job)
{
    struct pair_setting setting;
    struct speed all[MEASURED] = {{0.0, 0.0}, {0.0, 0.0}};
    struct player player;
    char error[PLAYER_ERROR_MAX];
    json_t *spec = spec_read(worker, job, job->spec, spec_check_player);
    bool good = spec && spec_setting(worker, spec, &setting);
    int64_t total = spec_whole(spec, "seconds");

    json_decref(spec);
    if (!good)
        return NULL;
    if (!player_read("rink", &player, sizeof error, error))
        return worker_fail(worker, "failed", false, "%s", error);

    struct course course = course_start(worker, total);
    const atomic_bool *stop = worker_stop(worker);
    for (int64_t second = 0; second < total && !atomic_load(stop); second++) {
        struct speed now[MEASURED];
        if (!measure_throws(&setting, (uint64_t)second, stop, &now[0]) ||
            !measure_search(&setting, &player, (uint64_t)second, stop, &now[1]))
            return worker_fail(worker, "failed", true, "a shot could not be thrown");
        for (int k = 0; k < MEASURED; k++) {
            all[k].units += now[k].units;
            all[k].time_s += now[k].time_s;
        }
        report(worker, job, second, now);
        (void)course_update(&course, second + 1, false);
    }
    if (worker_is_drained(worker))
        return NULL;
    return json_pack("{s:s, s:f, s:f, s:f}", "profile", setting.rules->name, "seconds",
                     all[0].time_s + all[1].time_s, names[0], speed_of(&all[0]), names[1],
                     speed_of(&all[1]));
}

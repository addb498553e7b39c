/* Jobs of the kind "external": a match of pairs between a player of ours, or a program, and a
 * program of somebody else. Each game is hosted here, one after the other, in a folder of its own;
 * that of a game which a program has lost by a fault stays, with what it said. */
#include "api/base/build_json.h"
#include "api/base/utf8.h"
#include "api/jobs/job_results.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/host/host.h"
#include "workers/evaluate/play/match.h"
#include "workers/evaluate/play/record.h"
#include "workers/evaluate/statistics/statistics.h"
#include "workers/search/job_spec.h"
#include "workers/worker.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below the folder of data, two above that of a job. Only the administrator writes there. */
#define EXTERNALS "external"
enum {
    NAME_MAX_ = PLAYER_SPEC_MAX + 64,
    FAULTS_MAX = 10,
    WAIT_S = 600 /* for players of ours */,
    RECORD_WHY_MAX = 320
};
#define SEED_STEP 0x9E3779B97F4A7C15u

struct contest {
    struct worker *worker;
    const struct wire_job *job;
    json_t *spec;
    struct host_setting setting;    /* of the next game */
    const char *player;             /* of side a; NULL: a program */
    struct external program[2];     /* of the sides; that of a may be empty */
    char specs[2][PLAYER_SPEC_MAX]; /* as records name them */
    char names[2][NAME_MAX_];       /* with their clock */
    int64_t pairs, done;
    struct pair_result *results; /* `pairs` */
    json_t *faults;              /* newest last, at most FAULTS_MAX */
    int64_t fault_count[2];
};

/* ---- setting ---- */

static bool read_program(struct contest *contest, int side, const char *field)
{
    const char *name = json_string_value(json_object_get(contest->spec, field));
    char folder[PATH_MAX], why[EXTERNAL_WHY_MAX] = "the job's folder has too long a name";

    if (!name)
        return true;
    if (worker_data_path(contest->job, EXTERNALS, sizeof folder, folder) &&
        external_read(folder, name, &contest->program[side], why))
        return true;
    worker_fail(contest->worker, "no-program", false, "/%s: %s", field, why);
    return false;
}

static bool read_setting(struct contest *contest)
{
    const json_t *spec = contest->spec;
    const struct external *program = &contest->program[1];
    struct host_setting *setting = &contest->setting;
    const char *profile = json_string_value(json_object_get(spec, "profile")), *reason = "";
    const json_t *time = json_object_get(spec, "time");

    if (!read_program(contest, 0, "against") || !read_program(contest, 1, "program"))
        return false;
    contest->player =
        contest->program[0].document ? NULL : json_string_value(json_object_get(spec, "player"));
    if (!contest->player && contest->program[0].protocol != program->protocol) {
        worker_fail(contest->worker, "bad-spec", false, "/against: speaks %s, and %s speaks %s",
                    contest->program[0].protocol->name, program->name, program->protocol->name);
        return false;
    }
    *setting = (struct host_setting){
        .protocol = program->protocol,
        .listen = "127.0.0.1",
        .profile = profile_find(profile),
        .engine = throw_engine_find(json_string_value(json_object_get(spec, "engine")), &reason),
        .ends = (int)spec_whole(spec, "ends"),
        .extra_ends = (int)spec_whole(spec, "extra_ends"),
        .time_s = time ? json_number_value(time) : program->time_s,
        .extra_end_time_s = json_number_value(json_object_get(spec, "extra_end_time")),
        .wait_s = WAIT_S,
        .threads = (int)spec_whole(spec, "threads"),
        .cancel = worker_stop(contest->worker),
    };
    if (!setting->engine)
        worker_fail(contest->worker, "bad-spec", false, "/engine: %s", reason);
    else if (strncmp(setting->profile->name, program->protocol->name, 3) != 0)
        worker_fail(contest->worker, "bad-spec", false,
                    "/profile: is not played by %s, which %s "
                    "speaks",
                    program->protocol->name, program->name);
    else {
        setting->noise = noise_default(setting->profile->ice, ICE_NOISE_NORMAL_DIST);
        throw_warm_up(setting->profile->ice);
        return true;
    }
    return false;
}

/* On a ladder a player under another clock is another one. */
static void name_sides(struct contest *contest)
{
    for (int side = 0; side < 2; side++) {
        if (contest->player && side == 0)
            snprintf(contest->specs[side], PLAYER_SPEC_MAX, "%s", contest->player);
        else
            snprintf(contest->specs[side], PLAYER_SPEC_MAX, "external:%s",
                     contest->program[side].name);
        snprintf(contest->names[side], NAME_MAX_, "%s @ %g s a game", contest->specs[side],
                 contest->setting.time_s);
    }
}

/* ---- files ---- */

static char *make_header(const struct contest *contest)
{
    const struct host_setting *setting = &contest->setting;
    json_t *header = json_pack(
        "{s:s, s:i, s:s, s:[s, s], s:s, s:i, s:i, s:f, s:f, s:I, s:s}", "record", "header",
        "version", 1, "protocol", setting->protocol->name, "players", contest->specs[0],
        contest->specs[1], "rules", setting->profile->name, "ends", setting->ends, "extra_ends",
        setting->extra_ends, "time", setting->time_s, "extra_end_time", setting->extra_end_time_s,
        "seed", (json_int_t)spec_whole(contest->spec, "seed"), "engine",
        json_string_value(json_object_get(contest->spec, "engine")));
    char *text = header ? json_dumps(header, JSON_COMPACT) : NULL;

    json_decref(header);
    return text;
}

static void remove_folder(const char *path)
{
    char name[PATH_MAX];
    DIR *entries = opendir(path);
    const struct dirent *entry;

    while (entries && (entry = readdir(entries)) != NULL) {
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(name);
    }
    if (entries)
        closedir(entries);
    rmdir(path);
}

/* ---- games ---- */

static json_t *result_of(const struct contest *contest)
{
    const struct host_setting *setting = &contest->setting;
    struct match_summary summary;
    json_t *sides[2];

    match_summarise(contest->results, contest->done, setting->ends,
                    (uint64_t)spec_whole(contest->spec, "seed"), &summary);
    for (int side = 0; side < 2; side++) {
        const struct match_games *games = summary.games[side];
        sides[side] = json_pack("{s:s, s:I, s:I, s:I, s:I}", "player", contest->names[side], "wins",
                                (json_int_t)(games[0].wins + games[1].wins), "draws",
                                (json_int_t)(games[0].draws + games[1].draws), "losses",
                                (json_int_t)(games[0].losses + games[1].losses), "faults",
                                (json_int_t)contest->fault_count[side]);
    }
    json_t *result =
        json_pack("{s:o, s:o, s:s, s:s, s:i, s:i, s:I, s:s, s:I, s:I, s:o, s:O}", "a", sides[0],
                  "b", sides[1], "protocol", setting->protocol->name, "profile",
                  setting->profile->name, "ends", setting->ends, "extra_ends", setting->extra_ends,
                  "seed", (json_int_t)spec_whole(contest->spec, "seed"), "noise", "normal_dist",
                  "pairs", (json_int_t)contest->done, "pairs_wanted", (json_int_t)contest->pairs,
                  "win_percent", build_real(100.0 * summary.score), "faults", contest->faults);
    json_t *counts = json_array();
    for (int k = 0; k < PENTANOMIAL; k++)
        build_append(counts, json_integer(summary.half_points[k]));
    build_add(result, "pentanomial", counts);
    build_add(result, "interval_percent",
              json_pack("[o, o]", build_real(100.0 * summary.pentanomial.low),
                        build_real(100.0 * summary.pentanomial.high)));
    build_add(result, "elo", build_real(elo_of_score(summary.score)));
    build_add(result, "elo_interval",
              json_pack("[o, o]", build_real(elo_of_score(summary.pentanomial.low)),
                        build_real(elo_of_score(summary.pentanomial.high))));
    return result;
}

enum { FAULT_NAME_MAX = 64 };

/* Keeps the folder of a game that ended by a fault, under the name that is returned. */
static void keep_folder(const struct contest *contest, const char *folder,
                        const struct host_place *place, char ret_name[FAULT_NAME_MAX])
{
    char kept[PATH_MAX];

    snprintf(ret_name, FAULT_NAME_MAX, "fault-%lld-%d", (long long)place->pair, place->game);
    snprintf(kept, sizeof kept, "%s/%s", contest->job->folder, ret_name);
    remove_folder(kept);
    if (rename(folder, kept) != 0)
        remove_folder(folder);
}

/* Notes that a side has lost a game by a fault. */
static void note_fault(struct contest *contest, int side, const char *why, const char *folder,
                       const struct host_place *place)
{
    char kept[PATH_MAX], name[FAULT_NAME_MAX];

    contest->fault_count[side]++;
    keep_folder(contest, folder, place, name);
    build_append(contest->faults, json_pack("{s:I, s:i, s:s, s:s, s:s}", "pair",
                                            (json_int_t)place->pair, "game", place->game, "player",
                                            contest->names[side], "why", why, "folder", name));
    if (json_array_size(contest->faults) <= FAULTS_MAX)
        return;
    const char *oldest =
        json_string_value(json_object_get(json_array_get(contest->faults, 0), "folder"));
    snprintf(kept, sizeof kept, "%s/%s", contest->job->folder, oldest ? oldest : "-");
    remove_folder(kept);
    json_array_remove(contest->faults, 0);
}

/* The last line of what a program has said, as far as it fits; "": nothing. */
static void last_line(const char *folder, int team, char ret_line[RECORD_WHY_MAX])
{
    char path[PATH_MAX], tail[4 * RECORD_WHY_MAX];
    FILE *file;
    size_t length;

    ret_line[0] = '\0';
    if ((size_t)snprintf(path, sizeof path, "%s/team%d.out", folder, team) >= sizeof path)
        return;
    file = fopen(path, "re");
    if (!file)
        return;
    if (fseek(file, -(long)sizeof tail, SEEK_END) != 0)
        rewind(file); /* it is shorter */
    length = fread(tail, 1, sizeof tail - 1, file);
    fclose(file);
    while (length > 0 && strchr("\r\n", tail[length - 1]))
        length--;
    tail[length] = '\0';
    const char *line = strrchr(tail, '\n');
    snprintf(ret_line, RECORD_WHY_MAX, "%.200s", line ? line + 1 : tail);
    utf8_make_line(ret_line);
}

/* A program that was never ready has not played, so there is nothing to rate: the job fails. Where
 * it was ready for an earlier game another try may find the machine less busy. */
static void fail_before_game(struct contest *contest, int side, int team, const char *why,
                             const char *folder, const struct host_place *place)
{
    char said[RECORD_WHY_MAX], name[FAULT_NAME_MAX];

    last_line(folder, team, said);
    keep_folder(contest, folder, place, name);
    worker_fail(contest->worker, "not-ready", contest->done > 0 || place->game > 0,
                "%s was not ready to play: %s%s%s; see %s", contest->specs[side], why,
                said[0] ? "; its last line: " : "", said, name);
}

/* The game as side a sees it, which is team1 in game 1. */
static struct pair_game seen_by_a(struct pair_game game, int number)
{
    return number == 0 ? game : pair_game_turned(game);
}

static void opened(const struct host_game *hosted)
{
    (void)hosted;
}

/* Plays one game. False: the job ends. */
static bool play_game(struct contest *contest, const struct host_place *place)
{
    struct host_setting setting = contest->setting;
    struct host_ending ending = {.blamed = -1};
    char folder[PATH_MAX];
    int team_of_a = place->game;
    struct pair_game *played = &contest->results[place->pair].game[place->game];

    snprintf(folder, sizeof folder, "%s/game", contest->job->folder);
    remove_folder(folder); /* of an earlier attempt */
    if (mkdir(folder, 0700) != 0) {
        worker_fail(contest->worker, "disk", true, "%s", strerror(errno));
        return false;
    }
    setting.folder = folder;
    setting.place = place;
    /* Both games of a pair share their luck. */
    setting.seed = (uint64_t)spec_whole(contest->spec, "seed") + (uint64_t)place->pair * SEED_STEP;
    setting.seed &= INT64_MAX;
    setting.player[team_of_a] = contest->player;
    setting.program[team_of_a] = contest->player ? NULL : &contest->program[0];
    setting.program[1 - team_of_a] = &contest->program[1];
    json_t *result = host_run(&setting, opened, &ending);
    const char *why = json_string_value(json_object_get(result, "why"));
    int faulty = ending.blamed < 0 ? -1 : ending.blamed == team_of_a ? 0 : 1;
    bool is_theirs = faulty == 1 || (faulty == 0 && !contest->player), good = true;

    if (ending.end == SESSION_OVER) {
        *played = seen_by_a(ending.game, place->game);
        const char *reason = json_string_value(json_object_get(result, "reason"));
        const char *winner = json_string_value(json_object_get(result, "winner"));
        bool is_late = reason && strcmp(reason, "time_limit") == 0 && winner;
        int loser = is_late ? (strcmp(winner, "team0") == 0) != (team_of_a == 0) ? 0 : 1 : -1;
        if (is_late && !(loser == 0 && contest->player))
            note_fault(contest, loser, "lost on time", folder, place);
    } else if (is_theirs && !ending.has_begun) {
        fail_before_game(contest, faulty, ending.blamed, why ? why : "", folder, place);
        good = false;
    } else if (is_theirs) {
        ending.game.half_points = ending.blamed == 0 ? 0 : 2;
        *played = seen_by_a(ending.game, place->game);
        note_fault(contest, faulty, why ? why : "", folder, place);
    } else {
        good = false;
        if (ending.end != SESSION_STOPPED)
            worker_fail(contest->worker, session_word(ending.end), true, "pair %lld: %s",
                        (long long)place->pair, why ? why : "out of memory");
    }
    json_decref(result);
    remove_folder(folder);
    return good;
}

static bool play_pair(struct contest *contest, struct record_file *file)
{
    const struct record_name name = {0, 1, contest->done};
    char *text = NULL;
    size_t length = 0;
    FILE *lines = open_memstream(&text, &length);
    bool good = lines != NULL;

    for (int game = 0; good && game < 2; game++)
        good = play_game(contest, &(struct host_place){lines, contest->done, game});
    if (good)
        match_record_write_pair(lines, &name, &contest->results[contest->done]);
    if (lines && fclose(lines) == 0 && good && !record_append(file, text, length)) {
        worker_fail(contest->worker, "disk", true, "the records cannot be written: %s",
                    strerror(errno));
        good = false;
    }
    free(text);
    contest->done += good;
    return good;
}

/* Plays what is left. */
static json_t *play(struct contest *contest)
{
    char path[PATH_MAX], why[RECORD_WHY_MAX];
    const struct record_part part = {.players = 2, .most = contest->pairs, .cuts = true};
    char *header = make_header(contest);

    snprintf(path, sizeof path, "%s/" MATCH_RECORDS_FILE, contest->job->folder);
    struct record_file *file =
        header ? record_open(path, header, &part, contest->results, &contest->done, sizeof why, why)
               : NULL;
    free(header);
    if (!file)
        return worker_fail(contest->worker, "disk", true, "the records: %s", why);
    bool good = true;
    while (good && contest->done < contest->pairs) {
        worker_progress(contest->worker, (double)contest->done / (double)contest->pairs, NAN);
        good = play_pair(contest, file);
        worker_partial(contest->worker, result_of(contest));
    }
    if (!record_close(file))
        return worker_fail(contest->worker, "disk", true, "the records cannot be written");
    return good || worker_is_cancelled(contest->worker) ? result_of(contest) : NULL;
}

json_t *job_external(struct worker *worker, const struct wire_job *job)
{
    struct contest *contest = calloc(1, sizeof *contest);
    json_t *result = NULL;

    if (!contest)
        return worker_fail(worker, "no-memory", true, "out of memory");
    *contest = (struct contest){.worker = worker,
                                .job = job,
                                .spec = spec_read(worker, job, job->spec, spec_check_player),
                                .faults = json_array()};
    const bool is_read = contest->spec && read_setting(contest);
    if (is_read && job->is_trial)
        result = json_object();
    if (is_read && !job->is_trial) {
        name_sides(contest);
        contest->pairs = spec_whole(contest->spec, "pairs");
        contest->results = calloc((size_t)contest->pairs, sizeof *contest->results);
        result = contest->results && contest->faults
                     ? play(contest)
                     : worker_fail(worker, "no-memory", true, "out of memory");
    }
    for (int side = 0; side < 2; side++)
        external_free(&contest->program[side]);
    json_decref(contest->spec);
    json_decref(contest->faults);
    free(contest->results);
    free(contest);
    return result;
}

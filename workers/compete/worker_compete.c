/* Jobs of the kind "compete": one game on somebody's server. Its log and its record are in the
 * job's folder. */
#include "api/base/build_json.h"
#include "api/base/next_line.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/recorder.h"
#include "workers/compete/replay.h"
#include "workers/search/job_spec.h"
#include "workers/worker.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECRET_MAX = 256 };
/* Below the folder of data, two above that of a job. Only the administrator writes there. */
#define CREDENTIALS "credentials"

struct competing {
    struct worker *worker;
    struct session session;
    struct recorder *recorder;
    char password[SECRET_MAX], log[64], port[32], host[256];
};

/* ---- reading ---- */

static const char *text_of(const json_t *spec, const char *name)
{
    return json_string_value(json_object_get(spec, name));
}

/* Reads the password of a name; the name must not lead out of the folder. False: the job has
 * failed. */
static bool read_password(struct competing *competing, const struct wire_job *job, const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX];
    FILE *file = NULL;

    if (!name)
        return true;
    if (name[0] != '.' && !strchr(name, '/') &&
        worker_data_path(job, CREDENTIALS, sizeof folder, folder) &&
        snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX)
        file = fopen(path, "re");
    int found = file ? first_line(file, competing->password, SECRET_MAX) : 0;
    if (found < 0) {
        worker_fail(competing->worker, "no-credentials", true,
                    "the file credentials/%s of the data folder cannot be read: %s", name,
                    strerror(errno));
        fclose(file);
        return false;
    }
    if (file)
        fclose(file);
    bool good = found > 0;
    if (!good)
        worker_fail(competing->worker, "no-credentials", false,
                    "/credentials: no file credentials/%s with a first line is in the data folder",
                    name);
    return good;
}

/* HOST:PORT, an IPv6 address in brackets. */
static bool split_server(struct competing *competing, const char *server)
{
    const char *colon = strrchr(server, ':');
    bool has_brackets = server[0] == '[' && colon && colon > server + 1 && colon[-1] == ']';

    if (!colon || colon == server || !colon[1]) {
        worker_fail(competing->worker, "bad-spec", false, "/server: must be HOST:PORT");
        return false;
    }
    snprintf(competing->host, sizeof competing->host, "%.*s",
             (int)(colon - server) - 2 * has_brackets, server + has_brackets);
    snprintf(competing->port, sizeof competing->port, "%s", colon + 1);
    return true;
}

static bool read_spec(struct competing *competing, const struct wire_job *job, const json_t *spec)
{
    static const struct protocol *const protocols[] = {&protocol_dc2, &protocol_dc3, &protocol_dc4};
    struct session *session = &competing->session;
    const char *team = text_of(spec, "team");
    bool has_password = text_of(spec, "credentials") != NULL;

    for (size_t k = 0; k < sizeof protocols / sizeof protocols[0]; k++)
        if (strcmp(text_of(spec, "protocol"), protocols[k]->name) == 0)
            session->protocol = protocols[k];
    session->talk = (struct talk_setting){.name = text_of(spec, "name"),
                                          .team = team && strcmp(team, "team1") == 0,
                                          .match = text_of(spec, "match"),
                                          .user = text_of(spec, "user"),
                                          .password = has_password ? competing->password : NULL,
                                          .games = 1};
    session->thinker.threads = (int)spec_whole(spec, "threads");
    session->thinker.seed = (uint64_t)spec_whole(spec, "seed");
    session->reserve = json_number_value(json_object_get(spec, "reserve"));
    session->silence_s = (double)spec_whole(spec, "silence");
    session->cancel = worker_stop(competing->worker);
    return spec_player(competing->worker, json_object_get(spec, "player"),
                       &session->thinker.player) &&
           read_password(competing, job, text_of(spec, "credentials")) &&
           (session->protocol == &protocol_dc4 || split_server(competing, text_of(spec, "server")));
}

/* ---- playing ---- */

static void add_game(json_t *result, const struct game *game)
{
    if (!game)
        return;
    build_add(result, "end_number", json_integer(game->end + 1));
    build_add(result, "shot", json_integer(game->shot + 1));
    build_add(result, "points",
              json_pack("{s:i, s:i}", "team0", game_total(game, 0), "team1", game_total(game, 1)));
}

static void decided(void *context, const struct talk *talk, const struct decision *decision)
{
    struct competing *competing = context;
    const struct game *game = &talk->situation.game;
    json_t *partial = json_pack("{s:s}", "profile", game->rules->name);

    recorder_decided(competing->recorder, talk, decision);
    build_add(partial, "ends", json_integer(game->ends));
    build_add(partial, "team", json_string(talk->team == 0 ? "team0" : "team1"));
    build_add(partial, "win", build_real(decision->win));
    add_game(partial, game);
    worker_partial(competing->worker, partial);
    double played = game->end + (double)game->shot / game->rules->shots;
    worker_progress(competing->worker, fmin(played / game->ends, 1.0), NAN);
}

static void heard(void *context, const struct talk *talk, const struct heard *heard)
{
    struct competing *competing = context;

    (void)heard;
    recorder_heard(competing->recorder, talk);
}

static struct transport *connect_to(struct competing *competing, const json_t *spec,
                                    char ret_why[TALK_WHY_MAX])
{
    const struct session *session = &competing->session;
    const struct web_setting web = {.url = text_of(spec, "server"),
                                    .user = session->talk.user,
                                    .password = competing->password,
                                    .again_s = 6.0,
                                    .losses_max = 30,
                                    .per_minute = WEB_PER_MINUTE};

    if (session->protocol == &protocol_dc4)
        return web_transport(&web, ret_why);
    return line_transport(competing->host, competing->port, session->protocol == &protocol_dc2,
                          clock_now_s() + (double)spec_whole(spec, "wait"), session->cancel,
                          ret_why);
}

/* What the service keeps of it. */
static json_t *result_of(const struct competing *competing, const struct session_report *report,
                         const struct game *last, const struct pair_game *game, bool is_whole)
{
    const struct session *session = &competing->session;
    char spec[PLAYER_SPEC_MAX], opponent[RECORDER_NAME_MAX];
    int half_points = is_whole ? 2 * game->half_points : -1;
    json_t *result = session_json(report);

    player_write(&session->thinker.player, sizeof spec, spec);
    recorder_opponent(session->protocol, report, opponent);
    json_object_update_new(
        result, json_pack("{s:{s:s}, s:{s:s}, s:s, s:i, s:i, s:I, s:s, s:[i, i, i, i, i], s:s}",
                          "a", "player", spec, "b", "player", opponent, "profile",
                          last ? last->rules->name : session->protocol->profile, "ends",
                          last ? last->ends : 1, "extra_ends", last ? last->extra_ends : 0, "seed",
                          (json_int_t)session->thinker.seed, "noise", "server", "pentanomial",
                          half_points == 0, half_points == 1, half_points == 2, half_points == 3,
                          half_points == 4, "log", competing->log));
    return result;
}

/* The last word about a session that was not broken off by the daemon. */
static json_t *verdict(struct competing *competing, const struct session_report *report,
                       json_t *result)
{
    bool can_go_on = competing->session.protocol == &protocol_dc4;

    if (report->end == SESSION_OVER || report->end == SESSION_LATE ||
        worker_is_cancelled(competing->worker))
        return result;
    json_decref(result);
    if (report->end == SESSION_STOPPED && worker_is_drained(competing->worker))
        return NULL;
    return worker_fail(competing->worker, session_word(report->end),
                       can_go_on &&
                           (report->end == SESSION_CLOSED || report->end == SESSION_FAILED),
                       "%s: %s; see %s", session_text(report->end), report->why, competing->log);
}

static json_t *play(struct competing *competing, const struct wire_job *job, const json_t *spec)
{
    struct session *session = &competing->session;
    const struct session_watcher watcher = {decided, heard, competing};
    char path[PATH_MAX], records[PATH_MAX], player[PLAYER_SPEC_MAX], why[TALK_WHY_MAX] = "";
    struct session_report report = {.end = SESSION_FAILED, .team = -1, .left_s = NAN};
    struct pair_game game = {0};
    struct game last = {.rules = NULL};
    int index;

    snprintf(competing->log, sizeof competing->log, "compete-%lld.jsonl", (long long)job->attempt);
    snprintf(path, sizeof path, "%s/%s", job->folder, competing->log);
    snprintf(records, sizeof records, "%s/" MATCH_RECORDS_FILE, job->folder);
    player_write(&session->thinker.player, sizeof player, player);
    session->journal = journal_open(path);
    competing->recorder = recorder_open(records, player);
    if (!session->journal || !competing->recorder) {
        int error = errno;
        journal_close(session->journal);
        return worker_fail(competing->worker, "disk", true, "the log cannot be read or written: %s",
                           strerror(error));
    }
    session->watcher = &watcher;
    journal_write(session->journal, "started", replay_header(session));
    if (!session->protocol->begin)
        session->greeting_until_s = clock_now_s() + (double)spec_whole(spec, "wait");
    struct transport *transport = connect_to(competing, spec, why);
    if (transport) {
        session_run(session, transport, &report);
        transport->free(transport);
    } else {
        snprintf(report.why, sizeof report.why, "%s", why);
        if (atomic_load(session->cancel))
            report.end = SESSION_STOPPED;
    }
    journal_write(session->journal, "ended", session_json(&report));
    journal_close(session->journal);
    if (recorder_last(competing->recorder))
        last = *recorder_last(competing->recorder);
    bool is_whole = recorder_close(competing->recorder, &report, false, &game, &index);
    json_t *result = result_of(competing, &report, last.rules ? &last : NULL, &game, is_whole);
    return verdict(competing, &report, result);
}

static json_t *job_compete(struct worker *worker, const struct wire_job *job)
{
    struct competing *competing = calloc(1, sizeof *competing);
    json_t *spec = competing ? spec_read(worker, job, job->spec, spec_check_player) : NULL;
    char why[TALK_WHY_MAX];
    json_t *result = NULL;

    if (!competing)
        return worker_fail(worker, "no-memory", true, "out of memory");
    competing->worker = worker;
    if (spec && read_spec(competing, job, spec)) {
        struct session *session = &competing->session;
        if (job->attempt > 1 && session->protocol != &protocol_dc4)
            worker_fail(worker, "interrupted", false,
                        "the game was broken off with its worker; a game of %s cannot go on",
                        session->protocol->name);
        else if (!thinker_prepare(&session->thinker, profile_find(session->protocol->profile),
                                  sizeof why, why))
            worker_fail(worker, "bad-player", false, "%s", why);
        else
            result = job->is_trial ? json_object() : play(competing, job, spec);
    }
    json_decref(spec);
    free(competing);
    return result;
}

int command_worker(int argc, char **argv)
{
    static const struct worker_kind kinds[] = {{"compete", job_compete, true},
                                               {"host", job_host, false},
                                               {"external", job_external, true},
                                               {"import", job_import, true},
                                               {0}};

    return worker_command(argc, argv, RINKD_VERSION, kinds);
}

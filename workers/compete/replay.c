/* A log as a transport and as a memory of decisions. See replay.h. */
#include "workers/compete/replay.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "workers/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line of the log holds a message and what JSON adds to it. */
/* The log has fifteen digits. */
#define NEAR 1e-12
enum { LINE_MAX_BYTES = 2 * TRANSPORT_MESSAGE_MAX, LINES_AT_ONCE = 16 };

struct replay {
    struct transport transport;
    json_t *lines; /* an array */
    size_t heard_at, said_at, thought_at;
    struct replay_result *result;
};

/* ---- reading ---- */

static json_t *read_lines(const char *path, char ret_why[TALK_WHY_MAX])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), count;
    json_t *list = json_array();
    struct line_reader reader;
    struct line line[LINES_AT_ONCE];

    if (fd < 0 || !list || !lines_init(&reader, fd, LINE_MAX_BYTES)) {
        snprintf(ret_why, TALK_WHY_MAX, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        json_decref(list);
        return NULL;
    }
    while ((count = lines_read(&reader, line, LINES_AT_ONCE)) > 0)
        for (int k = 0; k < count; k++) {
            json_t *object =
                line[k].too_long ? NULL : load_json(line[k].text, line[k].length, 0, NULL);
            if (object) /* a process that was killed may leave half a line at the end */
                build_append(list, object);
        }
    lines_free(&reader);
    close(fd);
    return list;
}

/* The next line with this member, from *at on; NULL at the end. */
static json_t *next_line(const struct replay *replay, const char *member, size_t *at)
{
    while (*at < json_array_size(replay->lines)) {
        json_t *line = json_array_get(replay->lines, (*at)++);
        if (json_object_get(line, member))
            return line;
    }
    return NULL;
}

/* ---- differences ---- */

__attribute__((format(printf, 2, 3))) static void differ(struct replay *replay, const char *format,
                                                         ...)
{
    struct replay_result *result = replay->result;
    va_list arguments;

    if (result->different++ > 0)
        return;
    va_start(arguments, format);
    vsnprintf(result->first, sizeof result->first, format, arguments);
    va_end(arguments);
}

static bool say(struct transport *transport, const struct saying *saying)
{
    struct replay *replay = (struct replay *)transport;
    const json_t *line = next_line(replay, "said", &replay->said_at);
    const char *before = json_string_value(json_object_get(line, "said"));
    const char *head = json_string_value(json_object_get(line, "request"));
    const char *now = saying->text ? saying->text : "";

    if (!line)
        differ(replay, "more is said than before: %.200s", now);
    else if ((before && strcmp(before, now) != 0) ||
             (head && (!saying->tag || strcmp(head, saying->head) != 0)))
        differ(replay, "now %.120s, before %.120s", now, before ? before : head ? head : "");
    replay->result->said++;
    return true;
}

static enum transport_event wait_log(struct transport *transport, int fd, double until_s,
                                     struct heard *ret_heard)
{
    struct replay *replay = (struct replay *)transport;

    if (fd >= 0) {
        struct pollfd polled = {.fd = fd, .events = POLLIN};
        double left_s = until_s - clock_now_s();
        bool is_ready = poll(&polled, 1, left_s > 0.0 ? (int)(1000.0 * left_s) : 0) > 0;
        return is_ready ? TRANSPORT_READY : TRANSPORT_QUIET;
    }
    const json_t *line = next_line(replay, "heard", &replay->heard_at);
    const json_t *text = json_object_get(line, "heard");
    if (!line) {
        snprintf(transport->why, TALK_WHY_MAX, "the end of the log");
        return TRANSPORT_CLOSED;
    }
    *ret_heard = (struct heard){
        .tag = json_string_value(json_object_get(line, "as")),
        .status = (int)json_integer_value(json_object_get(line, "status")),
        .text = json_string_value(text),
        .length = json_string_length(text),
        .is_too_long = json_is_true(json_object_get(line, "too_long")),
    };
    replay->result->heard++;
    return TRANSPORT_HEARD;
}

static void free_log(struct transport *transport)
{
    (void)transport;
}

/* ---- decisions ---- */

static void read_decision(const json_t *thought, struct decision *ret_decision)
{
    const json_t *shot = json_object_get(thought, "intended");
    const char *setup = json_string_value(json_object_get(thought, "setup"));
    const char *fallback = json_string_value(json_object_get(thought, "fallback"));
    const json_t *repeat = json_object_get(thought, "repeat");

    *ret_decision = (struct decision){
        .shot = {{json_number_value(json_object_get(shot, "x")),
                  json_number_value(json_object_get(shot, "y"))},
                 json_number_value(json_object_get(shot, "omega"))},
        .concede = json_is_true(json_object_get(thought, "concede")),
        .fallback = fallback,
        .win = json_number_value(json_object_get(thought, "win")),
        .repeat = json_is_integer(repeat) ? json_integer_value(repeat) : -1,
    };
    if (setup)
        (void)setup_find(setup, &ret_decision->setup);
}

static bool next_decision(void *context, const struct situation *situation,
                          struct decision *ret_decision)
{
    struct replay *replay = context;
    const json_t *line;

    while ((line = next_line(replay, "thought", &replay->thought_at)) != NULL) {
        const json_t *thought = json_object_get(line, "thought");
        if (json_integer_value(json_object_get(thought, "end")) != situation->game.end ||
            json_integer_value(json_object_get(thought, "shot")) != situation->game.shot ||
            (json_object_get(thought, "setup") != NULL) != situation->asks_setup)
            continue;
        read_decision(thought, ret_decision);
        return true;
    }
    return false;
}

static void repeated(void *context, const struct decision *before, const struct decision *now,
                     bool was_searched)
{
    struct replay *replay = context;

    if (!was_searched) {
        replay->result->remembered++;
        return;
    }
    replay->result->decisions++;
    if (before->setup != now->setup || before->concede != now->concede ||
        fabs(before->shot.velocity.x - now->shot.velocity.x) > NEAR ||
        fabs(before->shot.velocity.y - now->shot.velocity.y) > NEAR ||
        fabs(before->shot.omega - now->shot.omega) > NEAR)
        differ(replay, "another decision: (%.9g, %.9g) instead of (%.9g, %.9g)",
               now->shot.velocity.x, now->shot.velocity.y, before->shot.velocity.x,
               before->shot.velocity.y);
}

/* ---- the whole ---- */

json_t *replay_header(const struct session *session)
{
    const struct talk_setting *talk = &session->talk;
    char spec[PLAYER_SPEC_MAX], seed[24];

    player_write(&session->thinker.player, sizeof spec, spec);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)session->thinker.seed);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:b, s:i, s:s?, s:s?, s:i}", "protocol",
                     session->protocol->name, "version", RINKD_VERSION, "name", talk->name,
                     "player", spec, "seed", seed, "reserve", session->reserve, "concede",
                     session->thinker.may_concede, "team", talk->team, "match", talk->match, "user",
                     talk->user, "games", talk->games);
}

static bool read_header(const json_t *header, struct session *ret_session,
                        char ret_why[TALK_WHY_MAX])
{
    static const struct protocol *const protocols[] = {&protocol_dc2, &protocol_dc3, &protocol_dc4};
    const char *name = json_string_value(json_object_get(header, "protocol"));
    const char *player = json_string_value(json_object_get(header, "player"));
    const char *seed = json_string_value(json_object_get(header, "seed"));
    char error[PLAYER_ERROR_MAX];

    for (size_t k = 0; name && k < sizeof protocols / sizeof protocols[0]; k++)
        if (strcmp(name, protocols[k]->name) == 0)
            ret_session->protocol = protocols[k];
    if (!ret_session->protocol || !player) {
        snprintf(ret_why, TALK_WHY_MAX,
                 "not a log of rink-compete: it does not begin with started");
        return false;
    }
    if (!player_read(player, &ret_session->thinker.player, sizeof error, error)) {
        snprintf(ret_why, TALK_WHY_MAX, "%.300s", error);
        return false;
    }
    const char *team_name = json_string_value(json_object_get(header, "name"));
    ret_session->thinker.seed = seed ? strtoull(seed, NULL, 10) : 0;
    ret_session->thinker.may_concede = json_is_true(json_object_get(header, "concede"));
    ret_session->talk = (struct talk_setting){
        .name = team_name ? team_name : "",
        .team = (int)json_integer_value(json_object_get(header, "team")),
        .match = json_string_value(json_object_get(header, "match")),
        .user = json_string_value(json_object_get(header, "user")),
        .games = (int)json_integer_value(json_object_get(header, "games")),
    };
    return true;
}

bool replay_run(const char *path, int threads, const atomic_bool *cancel,
                struct replay_result *ret_result, char ret_why[TALK_WHY_MAX])
{
    *ret_result = (struct replay_result){.heard = 0};
    struct replay replay = {.transport = {wait_log, say, free_log, ""},
                            .lines = read_lines(path, ret_why),
                            .result = ret_result};
    const struct session_memory memory = {next_decision, repeated, &replay};
    struct session session = {
        .thinker = {.threads = threads}, .silence_s = 1e9, .cancel = cancel, .memory = &memory};
    struct session_report report;
    size_t at = 0;

    if (!replay.lines)
        return false;
    const json_t *first = next_line(&replay, "started", &at);
    bool good = read_header(json_object_get(first, "started"), &session, ret_why) &&
                thinker_prepare(&session.thinker, profile_find(session.protocol->profile),
                                TALK_WHY_MAX, ret_why);
    if (good) {
        session_run(&session, &replay.transport, &report);
        if (next_line(&replay, "said", &replay.said_at))
            differ(&replay, "less is said than before");
    }
    json_decref(replay.lines);
    return good;
}

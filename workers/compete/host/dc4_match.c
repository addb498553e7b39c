/* A match of Digital Curling 4 from its first request to its result. See dc4.h.
 *
 * Requests change the match at once; between them the loop looks at the clocks. All that happened
 * is in game.dc4.jsonl, from which a match whose process was killed is thrown again, shot by shot
 * with the same luck; then it goes on, and clients that reconnect are told the state. */
#include "workers/compete/host/dc4.h"

#include "api/build_json.h"
#include "api/clock.h"
#include "api/game_json.h"
#include "api/load_json.h"
#include "models/tables/profiles.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 200, VIEWER = 2, OWNERS = 3, PORT_TRIES = 100 };
#define PING   ": ping\n\n"
#define PING_S 15.0
/* After the match, for clients to read the last state. */
#define FAREWELL_S      10.0
#define FAREWELL_PING_S 0.2

/* ---- states ---- */

static enum dc4_period period_of(const struct game *game)
{
    return game->end >= game->ends ? DC4_EXTRA_ENDS : DC4_ENDS;
}

/* The clocks that run now, or ran last, are the ones that others are shown. */
static void show_clocks(struct dc4_match *match)
{
    struct game shown = match->hosted.game;

    shown.end -= shown.result.reason == GAME_WON_BY_SCORE && shown.shot == 0;
    for (int team = 0; team < 2; team++)
        match->hosted.left_s[team] = match->clock_s[period_of(&shown)][team];
}

/* Tells everybody a state. */
static void publish(struct dc4_match *match, const struct dc4_board *board)
{
    json_t *state = dc4_state_json(match, board);
    char *event = state ? dc4_event(state, true) : NULL;

    show_clocks(match);
    if (!event) {
        json_decref(state);
        host_game_end(&match->hosted, SESSION_FAILED, "out of memory");
        return;
    }
    build_append(match->states, state);
    if (!match->is_repeated) {
        host_log_event(&match->hosted.log, "state", json_incref(state));
        host_game_show(&match->hosted);
        for (int owner = 0; owner < OWNERS; owner++)
            web_host_say(match->web, owner, event);
    }
    free(event);
    match->asked_s = clock_now_s();
}

/* Tells where the running game stands. */
static void publish_game(struct dc4_match *match)
{
    const struct game *game = &match->hosted.game;
    bool waits = match->awaits_setup;

    publish(match, &(struct dc4_board){.game = game,
                                       .total = waits ? -1 : game->shot,
                                       .next = waits ? -1 : game_next_team(game),
                                       .winner = game->result.winner});
}

/* An end of mixed doubles begins with a choice; the game has no placed stones yet. */
static void begin_end(struct dc4_match *match)
{
    match->awaits_setup = match->is_mixed;
    publish_game(match);
}

/* Notes in the log what a team did. Takes ownership. */
static void note(struct dc4_match *match, const char *event, json_t *value, int team)
{
    build_add(value, "team", json_string(game_team_name(team)));
    if (match->is_repeated)
        json_decref(value);
    else
        host_log_event(&match->hosted.log, event, value);
}

/* ---- what teams do ---- */

/* Team1 chooses first, then the team that did not score; after a blank end the other one. */
static void change_chooser(struct dc4_match *match, const struct game_turn *turn,
                           const struct game *before)
{
    int sente = 1 - before->hammer_team;

    if (turn->score == 0)
        match->chooser = 1 - match->chooser;
    else
        match->chooser = turn->score > 0 ? 1 - sente : sente;
}

/* The team chooses how the end begins. */
static void set_up(struct dc4_match *match, enum setup setup)
{
    struct game *game = &match->hosted.game;
    json_t *value = json_pack("{s:s}", "request", setup_word(setup));

    note(match, "setup", value, match->chooser);
    *game = situation_set_up(game, match->chooser, setup, match->hosted.setting->pattern);
    if (setup == SETUP_LEFT || setup == SETUP_RIGHT)
        match->power_end[match->chooser] = game->end;
    match->awaits_setup = false;
    publish_game(match);
}

/* The last board of an end, whose score is in the game already. */
static void publish_board(struct dc4_match *match, const struct game *before,
                          const struct game_turn *turn)
{
    struct game shown = match->hosted.game;

    shown.end = before->end;
    shown.hammer_team = before->hammer_team;
    shown.position = turn->board;
    publish(match, &(struct dc4_board){.game = &shown,
                                       .total = before->rules->shots,
                                       .next = -1,
                                       .winner = match->hosted.game.result.winner});
}

static void record(struct dc4_match *match, const struct game *before, const struct host_move *move,
                   const struct game_turn *turn, double elapsed_s)
{
    struct host_game *hosted = &match->hosted;

    hosted->shots++;
    if (turn->end_finished)
        host_game_note_end(hosted, before);
    host_log_record(&hosted->log, before, move, turn, elapsed_s, hosted->names);
}

static void run_out(struct dc4_match *match, int mover)
{
    struct host_game *hosted = &match->hosted;
    const struct game before = hosted->game;
    double *left_s = &match->clock_s[period_of(&before)][mover];
    const struct host_move move = {.late = true};
    const struct game_turn turn = {.offended = -1};
    double elapsed_s = *left_s;

    note(match, "time_out", json_object(), mover);
    *left_s = 0.0;
    hosted->game.result.reason = GAME_WON_BY_TIME;
    hosted->game.result.winner = 1 - mover;
    record(match, &before, &move, &turn, elapsed_s);
    publish(match,
            &(struct dc4_board){
                .game = &hosted->game, .total = before.shot, .next = -1, .winner = 1 - mover});
}

/* The team to move throws, so many seconds after it was asked. */
static void throw_stone(struct dc4_match *match, const struct shot *shot, double elapsed_s)
{
    struct host_game *hosted = &match->hosted;
    const struct game before = hosted->game;
    int mover = game_next_team(&before);
    double *left_s = &match->clock_s[period_of(&before)][mover];
    struct host_move move = {.selected = *shot};
    struct game_turn turn = {.offended = -1};
    json_t *said = dc4_shot_json(shot, true);

    build_add(said, "elapsed_s", json_real(elapsed_s));
    /* The components, too: the angle loses their last bit. */
    build_add(said, "velocity", json_pack("[f, f]", shot->velocity.x, shot->velocity.y));
    note(match, "shot", said, mover);
    *left_s -= elapsed_s;
    if (!host_game_throw(hosted, &move, NULL, &turn))
        return;
    match->last = move.actual;
    match->has_last = true;
    record(match, &before, &move, &turn, elapsed_s);
    if (!turn.end_finished) {
        publish_game(match);
        return;
    }
    publish_board(match, &before, &turn);
    change_chooser(match, &turn, &before);
    if (!host_game_is_over(hosted))
        begin_end(match);
}

/* Both teams have come. */
static void begin_match(struct dc4_match *match)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;

    if (!match->is_repeated)
        host_log_event(&hosted->log, "begin", json_object());
    host_game_name(hosted);
    game_start(&setting->profile->rules, setting->ends, setting->extra_ends, 1, &hosted->game);
    match->is_begun = true;
    begin_end(match);
}

static void take_seat(struct dc4_match *match, int team, const char *user, json_t *config,
                      const char *name)
{
    struct dc4_seat *seat = &match->seats[team];

    note(match, "team", json_pack("{s:s, s:O}", "user", user, "config", config), team);
    seat->is_taken = true;
    snprintf(seat->user, sizeof seat->user, "%s", user);
    seat->config = json_incref(config);
    snprintf(match->hosted.teams[team], HOST_NAME_MAX, "%s",
             match->hosted.setting->player[team]    ? match->hosted.setting->player[team]
             : match->hosted.setting->program[team] ? match->hosted.setting->program[team]->name
                                                    : name);
    if (!match->is_repeated)
        host_game_show(&match->hosted);
}

/* ---- requests ---- */

static void tell(struct web_told *told, int status, const char *detail)
{
    told->status = status;
    told->body = dc4_detail(detail);
}

static void tell_json(struct web_told *told, json_t *value)
{
    told->status = value ? 200 : 500;
    told->body = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
}

static void tell_null(struct web_told *told)
{
    told->status = 200;
    told->body = strdup("null");
}

/* The team for which a request may speak; -1: none. A wrong password is none. */
static int team_of(struct dc4_match *match, const struct web_asked *asked)
{
    if (!asked->user || !asked->password || strlen(asked->user) > HOST_USER_MAX ||
        strlen(asked->password) > HOST_USER_MAX)
        return -1;
    for (int team = 0; team < 2; team++) {
        struct dc4_seat *seat = &match->seats[team];
        if (!seat->is_taken || strcmp(seat->user, asked->user) != 0)
            continue;
        if (!seat->has_password)
            snprintf(seat->password, sizeof seat->password, "%s", asked->password);
        seat->has_password = true;
        if (strcmp(seat->password, asked->password) == 0)
            return team;
    }
    return -1;
}

static bool is_user(const struct dc4_match *match, const char *user)
{
    return (match->seats[0].is_taken && strcmp(match->seats[0].user, user) == 0) ||
           (match->seats[1].is_taken && strcmp(match->seats[1].user, user) == 0);
}

/* The seat for somebody new; -1: none is free. Seats of our players are theirs. */
static int free_seat(const struct dc4_match *match, const struct web_asked *asked, int wanted)
{
    for (int k = 0; k < 2; k++) {
        int team = k == 0 ? wanted : 1 - wanted;
        const struct dc4_seat *seat = &match->seats[team];
        if (seat->is_taken)
            continue;
        if (seat->word[0]
                ? strcmp(asked->user, seat->word) == 0 && strcmp(asked->password, seat->word) == 0
                : true)
            return team;
    }
    return -1;
}

static bool names_match(const struct dc4_match *match, const char *id, struct web_told *told)
{
    if (id && strcmp(id, match->hosted.log.id) == 0)
        return true;
    tell(told, 404, "Match not found.");
    return false;
}

static void answer_team(struct dc4_match *match, const struct web_asked *asked,
                        struct web_told *told)
{
    const char *wanted = web_asked_query(asked, "expected_match_team_name");
    char name[HOST_NAME_MAX], why[HOST_WHY_MAX];
    int number = wanted && strcmp(wanted, "team0") == 0   ? 0
                 : wanted && strcmp(wanted, "team1") == 0 ? 1
                                                          : -1;

    if (!names_match(match, web_asked_query(asked, "match_id"), told))
        return;
    if (!asked->user || !asked->user[0] || !asked->password ||
        strlen(asked->user) > HOST_USER_MAX || strlen(asked->password) > HOST_USER_MAX) {
        tell(told, 401, "A user and a password are needed, of at most 64 bytes each.");
        return;
    }
    if (number < 0) {
        tell(told, 422, "expected_match_team_name must be team0 or team1.");
        return;
    }
    json_t *config = load_json(asked->body, asked->length, 0, NULL);
    int team = team_of(match, asked);
    if (!dc4_read_team(config, name, why)) {
        tell(told, 422, why);
    } else if (team < 0 && is_user(match, asked->user)) {
        tell(told, 401, "The password of this user is another one.");
    } else if (team < 0 && (team = free_seat(match, asked, number)) < 0) {
        tell(told, 409, "Both teams have come.");
    } else {
        struct dc4_seat *seat = &match->seats[team];
        if (!seat->is_taken) {
            take_seat(match, team, asked->user, config, name);
            snprintf(seat->password, sizeof seat->password, "%s", asked->password);
            seat->has_password = true;
        }
        tell_json(told, json_string(game_team_name(team)));
    }
    json_decref(config);
}

/* Replays the current end, the newest state last. */
static void tell_stream(struct dc4_match *match, int owner, struct web_told *told)
{
    struct web_stream *stream = web_stream_open(match->web, owner);
    size_t count = json_array_size(match->states), first = count;
    const json_t *newest = json_array_get(match->states, count - 1);

    if (!stream) {
        tell(told, 500, "Out of memory.");
        return;
    }
    while (first > 0 &&
           json_equal(json_object_get(json_array_get(match->states, first - 1), "end_number"),
                      json_object_get(newest, "end_number")))
        first--;
    for (size_t k = first; k < count; k++) {
        char *event = dc4_event(json_array_get(match->states, k), k == count - 1);
        if (event)
            web_stream_say(stream, event);
        free(event);
    }
    *told = (struct web_told){.status = 200, .stream = stream};
}

/* Whether a team may act now; told otherwise. */
static bool may_act(struct dc4_match *match, const struct web_asked *asked, bool for_setup,
                    struct web_told *told)
{
    const struct host_game *hosted = &match->hosted;
    int team = team_of(match, asked);

    if (team < 0)
        tell(told, 401, "This user is not bound to the match.");
    else if (!match->is_begun)
        tell(told, 409, "The match has not begun.");
    else if (host_game_is_over(hosted))
        tell(told, 409, "The match is over.");
    else if (for_setup && !match->awaits_setup)
        tell(told, 409, "No setup is awaited.");
    else if (!for_setup && match->awaits_setup)
        tell(told, 409, "The setup of the end has not been chosen yet.");
    else if (team != (for_setup ? match->chooser : game_next_team(&hosted->game)))
        tell(told, 409, "Not your turn.");
    else
        return true;
    return false;
}

static void answer_shot(struct dc4_match *match, const struct web_asked *asked,
                        struct web_told *told)
{
    double now_s = clock_now_s();
    char why[HOST_WHY_MAX];
    struct shot shot;

    if (!names_match(match, web_asked_query(asked, "match_id"), told) ||
        !may_act(match, asked, false, told))
        return;
    const struct game *game = &match->hosted.game;
    int mover = game_next_team(game);
    json_t *body = load_json(asked->body, asked->length, 0, NULL);
    bool good = dc4_read_shot(body, &shot, why);
    json_decref(body);
    if (!good) {
        tell(told, 422, why);
        return;
    }
    double elapsed_s = now_s - match->asked_s;
    if (elapsed_s >= match->clock_s[period_of(game)][mover])
        run_out(match, mover);
    else
        throw_stone(match, &shot, elapsed_s);
    tell_null(told);
}

static void answer_setup(struct dc4_match *match, const struct web_asked *asked,
                         struct web_told *told)
{
    const char *word = web_asked_query(asked, "request");
    int setup = 0;

    if (!may_act(match, asked, true, told))
        return;
    while (setup < SETUP_COUNT && (!word || strcmp(word, setup_word((enum setup)setup)) != 0))
        setup++;
    if (setup == SETUP_COUNT) {
        tell(told, 422, "request must be center_guard, center_house, pp_left or pp_right.");
        return;
    }
    /* A power play that there is not any more does not hold up the match: clients ask again and
     * again. */
    if (setup_is_power((enum setup)setup) && (match->power_end[match->chooser] >= 0 ||
                                              match->hosted.game.end >= match->hosted.game.ends))
        setup = SETUP_HOUSE;
    set_up(match, (enum setup)setup);
    tell_null(told);
}

/* A member of the newest state. */
static void tell_newest(const struct dc4_match *match, const char *member, struct web_told *told)
{
    json_t *state = json_array_get(match->states, json_array_size(match->states) - 1);
    json_t *value = member ? json_object_get(state, member) : state;

    if (value)
        tell_json(told, json_incref(value));
    else
        tell(told, 404, "There is no state yet.");
}

static void tell_end(const struct dc4_match *match, const char *number, struct web_told *told)
{
    json_t *list = json_array(), *state;
    size_t k;

    json_array_foreach(match->states, k, state)
    {
        if (json_integer_value(json_object_get(state, "end_number")) == strtol(number, NULL, 10))
            json_array_append(list, state);
    }
    tell_json(told, list);
}

/* GET /matches/ID and below; `rest` begins behind the id. */
static void answer_match(struct dc4_match *match, const struct web_asked *asked, const char *rest,
                         struct web_told *told)
{
    char number[8];
    bool is_get = strcmp(asked->method, "GET") == 0;

    if (!is_get && strcmp(rest, "/end-setup") == 0 && strcmp(asked->method, "POST") == 0)
        answer_setup(match, asked, told);
    else if (!is_get)
        tell(told, 405, "Method Not Allowed");
    else if (rest[0] == '\0')
        tell_json(told, dc4_match_json(match));
    else if (strcmp(rest, "/stream") == 0) {
        int team = team_of(match, asked);
        if (team < 0)
            tell(told, 401, "This user is not bound to the match.");
        else
            tell_stream(match, team, told);
    } else if (strcmp(rest, "/viewer") == 0)
        tell_stream(match, VIEWER, told);
    else if (strcmp(rest, "/latest-state") == 0)
        tell_newest(match, NULL, told);
    else if (strcmp(rest, "/score") == 0)
        tell_newest(match, "score", told);
    else if (strcmp(rest, "/stone-coordinate/latest") == 0)
        tell_newest(match, "stone_coordinate", told);
    else if (strcmp(rest, "/shots/latest") == 0)
        tell_newest(match, "last_move", told);
    else if (sscanf(rest, "/ends/%7[0-9]/states", number) == 1 &&
             strcmp(rest + strlen("/ends/") + strlen(number), "/states") == 0)
        tell_end(match, number, told);
    else
        tell(told, 404, "Not Found");
}

static void answer(void *context, const struct web_asked *asked, struct web_told *told)
{
    static const char below[] = "/matches/";
    struct dc4_match *match = context;
    const char *path = asked->path, *id = path + strlen(below);
    size_t length = strlen(match->hosted.log.id);
    bool is_get = strcmp(asked->method, "GET") == 0, is_post = strcmp(asked->method, "POST") == 0;

    if (strcmp(path, "/shots") == 0 && is_post)
        answer_shot(match, asked, told);
    else if (strcmp(path, "/store-team-config") == 0 && is_post)
        answer_team(match, asked, told);
    else if (strcmp(path, "/matches") == 0 && is_get)
        tell_json(told, json_pack("[o]", dc4_match_json(match)));
    else if (strcmp(path, "/matches") == 0 && is_post)
        tell(told, 409, "This host has one match, which GET /matches names.");
    else if (strncmp(path, below, strlen(below)) != 0)
        tell(told, 404, "Not Found");
    else if (strncmp(id, match->hosted.log.id, length) != 0 ||
             (id[length] != '\0' && id[length] != '/'))
        tell(told, 404, "Match not found.");
    else
        answer_match(match, asked, id + length, told);
}

/* ---- players of ours ---- */

static bool write_password(const char *path, const char *word)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = file && fputs(word, file) >= 0;

    if (file)
        good = fclose(file) == 0 && good;
    else if (fd >= 0)
        close(fd);
    return good;
}

/* Where a player of ours connects to. */
static void own_url(const struct dc4_match *match, char ret_url[128])
{
    const char *listen = match->hosted.setting->listen;
    bool is_any = strcmp(listen, "0.0.0.0") == 0 || strcmp(listen, "::") == 0;
    bool is_v6 = strchr(listen, ':') != NULL && !is_any;

    snprintf(ret_url, 128, "http://%s%.80s%s:%d", is_v6 ? "[" : "", is_any ? "127.0.0.1" : listen,
             is_v6 ? "]" : "", match->hosted.ports[0]);
}

static bool start_player(struct dc4_match *match, int team)
{
    const struct host_setting *setting = match->hosted.setting;
    struct dc4_seat *seat = &match->seats[team];
    char url[128], name[16], threads[16], seed[24], log[PATH_MAX], file[PATH_MAX],
        why[HOST_WHY_MAX];

    own_url(match, url);
    snprintf(name, sizeof name, "team%d", team);
    snprintf(threads, sizeof threads, "%d", setting->threads);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)setting->seed);
    snprintf(log, sizeof log, "%s/team%d-%d.jsonl", setting->folder, team, (int)getpid());
    snprintf(file, sizeof file, "%s/team%d.password", setting->folder, team);
    if (!write_password(file, seat->word))
        return host_game_end(&match->hosted, SESSION_FAILED, "%.200s: %s", file, strerror(errno));
    if (setting->program[team]) {
        const struct external_seat place = {.folder = setting->folder,
                                            .team = team,
                                            .port = match->hosted.ports[0],
                                            .host = "127.0.0.1",
                                            .url = url,
                                            .match = match->hosted.log.id,
                                            .user = seat->word,
                                            .password = seat->word,
                                            .password_file = file,
                                            .seed = setting->seed};
        seat->player = external_start(setting->program[team], &place, why);
        return seat->player > 0 || host_game_blame(&match->hosted, team, SESSION_FAILED, "%s", why);
    }
    const char *const argv[] = {"rink-compete",
                                "dc4",
                                url,
                                "--match",
                                match->hosted.log.id,
                                "--team",
                                name,
                                "--user",
                                seat->word,
                                "--password-file",
                                file,
                                "--player",
                                setting->player[team],
                                "--name",
                                name,
                                "--threads",
                                threads,
                                "--seed",
                                seed,
                                "--log",
                                log,
                                "--reconnect",
                                "1",
                                "--rate",
                                "0",
                                NULL};
    seat->player = seat_spawn(argv, team, why);
    return seat->player > 0 || host_game_end(&match->hosted, SESSION_FAILED, "%s", why);
}

static bool start_players(struct dc4_match *match)
{
    bool good = true;

    for (int team = 0; good && team < 2; team++) {
        struct dc4_seat *seat = &match->seats[team];
        if (!match->hosted.setting->player[team] && !match->hosted.setting->program[team])
            continue;
        /* After a restart the name in the log is the one that its requests bring. */
        if (seat->is_taken)
            memcpy(seat->word, seat->user, sizeof seat->word - 1);
        else
            host_make_id(seat->word);
        good = start_player(match, team);
    }
    return good;
}

/* Before the match a player of ours that has ended is told; later its clock runs out. */
static void look_after_players(struct dc4_match *match)
{
    for (int team = 0; team < 2; team++) {
        struct dc4_seat *seat = &match->seats[team];
        if (seat->player <= 0 || waitpid(seat->player, NULL, WNOHANG) != seat->player)
            continue;
        seat->player = 0;
        if (!match->is_begun)
            host_game_blame(&match->hosted, team, SESSION_FAILED,
                            "the player of team%d ended before the match", team);
        else if (match->hosted.setting->program[team] && !host_game_is_over(&match->hosted))
            host_game_blame(&match->hosted, team, SESSION_CLOSED,
                            "the program of team%d ended during the match", team);
    }
}

static void end_players(struct dc4_match *match)
{
    char file[PATH_MAX];

    for (int team = 0; team < 2; team++) {
        struct dc4_seat *seat = &match->seats[team];
        seat_kill(&seat->player);
        snprintf(file, sizeof file, "%s/team%d.password", match->hosted.setting->folder, team);
        unlink(file);
        json_decref(seat->config);
    }
}

/* ---- a match that was broken off ---- */

static bool repeat_line(struct dc4_match *match, const json_t *line)
{
    const char *event = json_string_value(json_object_get(line, "event"));
    json_t *value = json_object_get(line, event ? event : "");
    const char *team_name = json_string_value(json_object_get(value, "team"));
    int team = team_name && strcmp(team_name, "team1") == 0;
    struct host_game *hosted = &match->hosted;

    if (!event || (!match->is_begun && (strcmp(event, "setup") == 0 || strcmp(event, "shot") == 0)))
        return false;
    if (strcmp(event, "match") == 0) {
        const char *id = json_string_value(json_object_get(value, "match_id"));
        const char *when = json_string_value(json_object_get(value, "created_at"));
        snprintf(hosted->log.id, sizeof hosted->log.id, "%s", id ? id : "");
        snprintf(hosted->log.when, sizeof hosted->log.when, "%s", when ? when : "");
        hosted->ports[0] = (int)json_integer_value(json_object_get(value, "port"));
        /* The seed may have been drawn. */
        match->setting.seed = (uint64_t)json_integer_value(json_object_get(value, "seed"));
        return id && id[0];
    }
    if (strcmp(event, "team") == 0) {
        json_t *config = json_object_get(value, "config");
        const char *user = json_string_value(json_object_get(value, "user"));
        char name[HOST_NAME_MAX], why[HOST_WHY_MAX];
        if (!user || !config || !dc4_read_team(config, name, why))
            return false;
        take_seat(match, team, user, config, name);
    } else if (strcmp(event, "begin") == 0) {
        begin_match(match);
    } else if (strcmp(event, "setup") == 0) {
        const char *word = json_string_value(json_object_get(value, "request"));
        for (int setup = 0; setup < SETUP_COUNT; setup++)
            if (word && strcmp(word, setup_word((enum setup)setup)) == 0)
                set_up(match, (enum setup)setup);
    } else if (strcmp(event, "shot") == 0) {
        const json_t *velocity = json_object_get(value, "velocity");
        const struct shot shot = {
            {json_number_value(json_array_get(velocity, 0)),
             json_number_value(json_array_get(velocity, 1))},
            0.0 - json_number_value(json_object_get(value, "angular_velocity"))};
        throw_stone(match, &shot, json_number_value(json_object_get(value, "elapsed_s")));
    } else if (strcmp(event, "time_out") == 0) {
        run_out(match, team);
    }
    return true;
}

/* Opens the log: a new one, or that of a match which is thrown again to where it was. */
static bool open_log(struct dc4_match *match)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    json_t *lines, *line;
    size_t k;

    if (host_log_open(&hosted->log, setting))
        return true;
    if (errno != EEXIST || !host_log_reopen(&hosted->log, setting->folder, &lines))
        return host_game_end(hosted, SESSION_FAILED, "%.200s: %s", setting->folder,
                             strerror(errno));
    match->is_repeated = true;
    bool good = json_array_size(lines) > 0;
    json_array_foreach(lines, k, line) good = good && repeat_line(match, line);
    match->is_repeated = false;
    json_decref(lines);
    return (good && !hosted->why[0]) ||
           host_game_end(hosted, SESSION_FAILED, "%.200s: the log of the match cannot be repeated",
                         setting->folder);
}

/* ---- the course ---- */

static bool open_match(struct dc4_match *match, bool *ret_goes_on)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    char why[HOST_WHY_MAX];

    for (int period = 0; period < DC4_PERIODS; period++)
        for (int team = 0; team < 2; team++)
            match->clock_s[period][team] =
                period == DC4_ENDS ? setting->time_s : setting->extra_end_time_s;
    if (!open_log(match))
        return false;
    *ret_goes_on = hosted->ports[0] > 0;
    int port = *ret_goes_on ? hosted->ports[0] : setting->port[0];
    match->web = web_host_open(setting->listen, port, answer, match, why);
    /* The process that was killed may still be about to close it. */
    for (int k = 0; *ret_goes_on && !match->web && k < PORT_TRIES; k++) {
        poll(NULL, 0, TICK_MS);
        match->web = web_host_open(setting->listen, port, answer, match, why);
    }
    if (!match->web)
        return host_game_end(hosted, SESSION_FAILED, "%s", why);
    hosted->ports[0] = web_host_port(match->web);
    if (!*ret_goes_on) {
        json_t *json = dc4_match_json(match);
        build_add(json, "port", json_integer(hosted->ports[0]));
        build_add(json, "seed", json_integer((json_int_t)setting->seed));
        host_log_event(&hosted->log, "match", json);
    }
    host_game_show(hosted);
    return true;
}

/* Looks at the clocks. */
static void look(struct dc4_match *match, double start_s)
{
    struct host_game *hosted = &match->hosted;
    const struct host_setting *setting = hosted->setting;
    double now_s = clock_now_s();

    if (atomic_load(setting->cancel)) {
        host_game_end(hosted, SESSION_STOPPED, "stopped %s",
                      match->is_begun ? "during the match" : "before the match began");
    } else if (!match->is_begun) {
        bool is_here[2];
        for (int team = 0; team < 2; team++)
            is_here[team] = match->seats[team].is_taken && web_host_streams(match->web, team) > 0;
        for (int team = 0; team < 2; team++)
            if (!is_here[team] && now_s >= start_s + host_wait_s(setting, team))
                host_game_blame(hosted, team, SESSION_SILENT, "team%d was not ready within %d s",
                                team, host_wait_s(setting, team));
        if (is_here[0] && is_here[1])
            begin_match(match);
    } else if (match->awaits_setup) {
        if (now_s - match->asked_s >= setting->wait_s) {
            fprintf(stderr, "team%d chose no setup within %d s; it gets %s\n", match->chooser,
                    setting->wait_s, setup_word(SETUP_HOUSE));
            set_up(match, SETUP_HOUSE);
        }
    } else {
        int mover = game_next_team(&hosted->game);
        if (mover >= 0 && now_s - match->asked_s >= match->clock_s[period_of(&hosted->game)][mover])
            run_out(match, mover);
    }
}

/* When look() may have something to do. */
static int wait_ms(const struct dc4_match *match)
{
    const struct game *game = &match->hosted.game;
    int mover = match->is_begun && !match->awaits_setup ? game_next_team(game) : -1;

    if (mover < 0)
        return TICK_MS;
    double left_s = match->asked_s + match->clock_s[period_of(game)][mover] - clock_now_s();
    return left_s * 1000.0 >= TICK_MS ? TICK_MS : left_s <= 0.0 ? 0 : (int)(left_s * 1000.0) + 1;
}

static void ping(struct dc4_match *match, double *last_s, double each_s)
{
    double now_s = clock_now_s();

    if (now_s - *last_s < each_s)
        return;
    *last_s = now_s;
    for (int owner = 0; owner < OWNERS; owner++)
        web_host_say(match->web, owner, PING);
}

static void play(struct dc4_match *match)
{
    double pinged_s = clock_now_s(), start_s = pinged_s;

    match->asked_s = pinged_s; /* after a restart the turn begins anew */
    while (!match->hosted.why[0] && !host_game_is_over(&match->hosted)) {
        web_host_step(match->web, wait_ms(match));
        look_after_players(match);
        if (!host_game_is_over(&match->hosted))
            look(match, start_s);
        ping(match, &pinged_s, PING_S);
    }
}

/* Lets the clients hear the last state, and hang up. */
static void take_leave(struct dc4_match *match)
{
    double until_s = clock_now_s() + FAREWELL_S, pinged_s = 0.0;

    for (;;) {
        bool is_left = match->seats[0].player > 0 || match->seats[1].player > 0;
        for (int team = 0; team < 2; team++)
            is_left = is_left || web_host_streams(match->web, team) > 0;
        if (!is_left || clock_now_s() >= until_s || atomic_load(match->hosted.setting->cancel))
            break;
        ping(match, &pinged_s, FAREWELL_PING_S);
        web_host_step(match->web, (int)(FAREWELL_PING_S * 1000.0));
        look_after_players(match);
    }
}

static void host(struct dc4_match *match, host_opened *opened)
{
    struct host_game *hosted = &match->hosted;
    bool goes_on = false;

    if (!open_match(match, &goes_on) || !start_players(match))
        return;
    opened(hosted);
    if (goes_on)
        fprintf(stderr, "the match goes on at end %d, shot %d\n", hosted->game.end + 1,
                hosted->game.shot + 1);
    play(match);
    if (!host_game_is_over(hosted))
        return;
    host_game_finish(hosted);
    hosted->why[0] = '\0';
    take_leave(match);
}

json_t *host_run_dc4(const struct host_setting *setting, host_opened *opened,
                     struct host_ending *ret_ending)
{
    struct dc4_match *match = calloc(1, sizeof *match);

    if (!match || !(match->states = json_array())) {
        free(match);
        return NULL;
    }
    match->setting = *setting;
    match->hosted =
        (struct host_game){.setting = &match->setting, .end = SESSION_FAILED, .blamed = -1};
    match->is_mixed = setting->profile->rules.preplaced > 0;
    match->chooser = 1;
    match->power_end[0] = match->power_end[1] = -1;
    host_game_name(&match->hosted);
    host(match, opened);
    host_log_close(&match->hosted.log);
    web_host_close(match->web);
    end_players(match);
    json_t *result = host_game_result(&match->hosted);
    *ret_ending =
        (struct host_ending){match->hosted.end, match->hosted.blamed, match->hosted.record};
    json_decref(match->states);
    free(match);
    return result;
}

/* Jobs that host a game: it is kept and shown, and the death of the daemon does not touch it. */
#include "tests/api/jobs.h"
#include "tests/programs/hosted.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>

#define JOB(more)                                                                          \
    "{\"kind\":\"host\",\"spec\":{\"engine\":\"fast\",\"ends\":1,\"team1\":\"ai-simple\"," \
    "\"wait\":200" more "}}"

enum { HOST_TEST_LINE_MAX = 64 << 10 };

/* Whether two values are the same, numbers to the 9 digits of a log. */
static bool is_near(const json_t *a, const json_t *b)
{
    size_t k, count = json_is_array(a) ? json_array_size(a) : 0;
    const char *key;
    json_t *value;
    bool near = a && b && json_typeof(a) == json_typeof(b) && json_array_size(b) == count;

    if (near && json_is_real(a))
        return fabs(json_real_value(a) - json_real_value(b)) < 1e-6;
    for (k = 0; near && k < count; k++)
        near = is_near(json_array_get(a, k), json_array_get(b, k));
    if (near && json_is_object(a)) {
        json_object_foreach((json_t *)(size_t)a, key, value) near =
            is_near(value, json_object_get(b, key)) && near;
    }
    return near && (count > 0 || json_is_object(a) || json_equal(a, b));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* The port of team0, once the job tells it. */
static int port_of(int64_t id)
{
    for (;; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        const json_t *ports = json_object_get(json_object_get(job, "result"), "ports");
        int port = (int)json_integer_value(json_object_get(ports, "team0"));
        json_decref(job);
        if (port > 0)
            return port;
    }
}

/* The job is done: the visitor has lost; its game is among the games. */
static void check_game(int64_t id, const char *reason)
{
    json_t *done = wait_for(id, "done");
    const json_t *result = json_object_get(done, "result");

    assert_string_equal(text_of(result, "end"), "over");
    assert_string_equal(text_of(result, "reason"), reason);
    json_decref(done);
    json_t *matches = get("/v1/matches?job=%lld", (long long)id);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);
    assert_string_equal(text_of(match, "a"), "dc3:visitor");
    assert_string_equal(text_of(match, "b"), "ai-simple");
    json_t *games =
        get("/v1/matches/%lld/games", (long long)json_integer_value(json_object_get(match, "id")));
    const json_t *game = json_array_get(json_object_get(games, "items"), 0);
    char path[96];
    snprintf(path, sizeof path, "/v1/games/%s", text_of(game, "id"));
    struct reply lines = ask("GET", path, NULL, 200);
    assert_non_null(strstr(lines.text, "\"throws_first\":\"dc3:visitor\""));
    reply_free(&lines);
    json_decref(games);
    json_decref(matches);
}

/* Hosts a game for a client that has thrown its first stone. */
static struct peer client_of_new_game(int64_t *ret_id)
{
    *ret_id = add(JOB(""));
    struct peer client = client_of(port_of(*ret_id));

    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, MOVE);
    return client;
}

static void a_game_is_hosted_kept_and_shown(void **state)
{
    int64_t id;
    struct peer client = client_of_new_game(&id);

    (void)state;
    client_concede(&client, "team0");
    check_game(id, "concede");
}

/* The game of a job, as soon as it has so many shots; the caller frees it. */
static struct reply game_with(int64_t id, int shots)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld/game", (long long)id);
    for (;; rest()) {
        struct reply game =
            client_call(daemon_here.port, &(struct client_call){.method = "GET", .path = path});
        int lines = 0;
        for (const char *at = game.text; at && (at = strchr(at, '\n')) != NULL; at++)
            lines++;
        if (game.status == 200 && lines == 1 + shots)
            return game;
        reply_free(&game);
    }
}

/* A team sees what the server shows it: what the other one called is told after the game. */
static void a_game_is_shown_shot_by_shot_without_what_was_called(void **state)
{
    int64_t id;
    struct peer client = client_of_new_game(&id);
    struct reply game = game_with(id, 2);

    (void)state;
    assert_non_null(strstr(game.text, "\"whole\":false"));
    assert_non_null(strstr(game.text, "\"throws_first\":\"dc3:visitor\""));
    assert_non_null(strstr(game.text, "\"executed\""));
    assert_null(strstr(game.text, "\"intended\""));
    reply_free(&game);
    client_concede(&client, "team0");
    json_decref(wait_for(id, "done"));
    game = game_with(id, 3);
    assert_non_null(strstr(game.text, "\"whole\":true"));
    assert_non_null(strstr(game.text, "\"conceded\":true"));
    assert_non_null(strstr(game.text, "\"intended\""));
    reply_free(&game);
}

/* Plays a shot before and a shot after the daemon is killed; the end is played without it, too. */
static void a_game_outlives_the_daemon_and_is_reported_to_the_next(void **state)
{
    int64_t id;
    struct peer client = client_of_new_game(&id);

    (void)state;
    json_decref(client_await_turn(&client, "team0", NULL));
    daemon_end(&daemon_here, SIGKILL);
    peer_say(&client, MOVE);
    client_concede(&client, "team0");
    start_daemon();
    check_game(id, "concede");
}

/* The next daemon finds the game while it still goes on. */
static void a_game_that_goes_on_is_found_by_the_next_daemon(void **state)
{
    int64_t id;
    struct peer client = client_of_new_game(&id);

    (void)state;
    daemon_end(&daemon_here, SIGKILL);
    start_daemon();
    json_decref(wait_for(id, "leased"));
    client_concede(&client, "team0");
    check_game(id, "concede");
}

static void a_cancelled_job_ends_its_game(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));
    char path[96];

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)id);
    expect("POST", path, NULL, 202);
    assert_null(client_await_turn(&client, "team0", NULL));
    peer_hang_up(&client);
    json_decref(wait_for(id, "cancelled"));
}

/* The daemon has one worker, which computes. */
static void games_are_hosted_beside_jobs_that_compute(void **state)
{
    int64_t match = add("{\"kind\":\"match\",\"spec\":{\"a\":\"rink:simulations=1000\",\"b\":"
                        "\"ai-simple\",\"pairs\":100000}}");
    int64_t ids[3];

    (void)state;
    json_decref(wait_for(match, "leased"));
    for (int k = 0; k < 3; k++)
        ids[k] = add(JOB(""));
    for (int k = 0; k < 3; k++) {
        struct peer client = client_of(port_of(ids[k]));
        client_greet(&client);
        client_concede(&client, "team0");
    }
    for (int k = 0; k < 3; k++)
        json_decref(wait_for(ids[k], "done"));
    char path[96];
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)match);
    expect("POST", path, NULL, 202);
    json_decref(wait_for(match, "cancelled"));
}

static void a_game_that_nobody_came_to_can_be_cancelled(void **state)
{
    int64_t id = add(JOB(""));
    char path[96];

    (void)state;
    port_of(id);
    snprintf(path, sizeof path, "/v1/jobs/%lld/cancel", (long long)id);
    expect("POST", path, NULL, 202);
    json_decref(wait_for(id, "cancelled"));
}

static void await_burial(int64_t id, const char *code)
{
    for (bool ended = false; !ended; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        ended = strcmp(text_of(job, "state"), "buried") == 0;
        if (ended)
            assert_string_equal(text_of(json_object_get(job, "error"), "code"), code);
        json_decref(job);
    }
}

static void move_job(int64_t id, const char *verb)
{
    char path[96];

    snprintf(path, sizeof path, "/v1/jobs/%lld/%s", (long long)id, verb);
    expect("POST", path, NULL, 202);
}

/* The game does not wait with its job; who cancels the job means the game. */
static void a_game_ends_with_its_job_that_no_worker_has(void **state)
{
    int64_t id;
    struct peer client = client_of_new_game(&id);

    (void)state;
    move_job(id, "pause");
    json_decref(wait_for(id, "paused"));
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, MOVE);
    json_decref(client_await_turn(&client, "team0", NULL));
    move_job(id, "cancel");
    assert_null(client_await_turn(&client, "team0", NULL));
    peer_hang_up(&client);
    json_decref(wait_for(id, "cancelled"));
}

/* Each of its workers dies; the next try after a kick reports the game. */
static void a_game_goes_on_when_its_job_is_buried(void **state)
{
    int64_t id;
    struct peer client = client_of_new_game(&id);

    (void)state;
    for (bool is_buried = false; !is_buried; rest()) {
        kill_worker();
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        is_buried = strcmp(text_of(job, "state"), "buried") == 0;
        json_decref(job);
    }
    await_burial(id, "worker-died");
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, MOVE);
    client_concede(&client, "team0");
    move_job(id, "kick");
    check_game(id, "concede");
}

static void a_broken_client_fails_the_job_by_name(void **state)
{
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));

    (void)state;
    client_greet(&client);
    json_decref(client_await_turn(&client, "team0", NULL));
    peer_say(&client, "hello");
    assert_null(client_await_turn(&client, "team0", NULL));
    peer_hang_up(&client);
    await_burial(id, "broken");
}

/* ---- Digital Curling 4 ---- */

/* The address of a match, once its job tells it. */
static struct hosted match_of(int64_t id)
{
    struct hosted hosted = {.match = ""};

    for (; !hosted.match[0]; rest()) {
        json_t *job = get("/v1/jobs/%lld", (long long)id);
        const json_t *result = json_object_get(job, "result");
        hosted.ports[0] =
            (int)json_integer_value(json_object_get(json_object_get(result, "ports"), "http"));
        if (hosted.ports[0] > 0)
            snprintf(hosted.match, sizeof hosted.match, "%s", text_of(result, "match"));
        json_decref(job);
    }
    return hosted;
}

/* The next state in which the visitor, team0, is to move; NULL: it has lost or won. */
static json_t *visitor_turn(struct peer *stream)
{
    for (;;) {
        json_t *state = host_state(stream);
        assert_non_null(state);
        if (strcmp(text_of(state, "next_shot_team"), "team0") == 0)
            return state;
        bool is_over = json_is_string(json_object_get(state, "winner_team"));
        json_decref(state);
        if (is_over)
            return NULL;
    }
}

/* The process of a game, which its lock names; 0: none. */
static pid_t host_of(int64_t id)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/jobs/%lld/host.lock", daemon_here.data, (long long)id);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0);
    close(fd);
    return lock.l_type == F_WRLCK ? lock.l_pid : 0;
}

static void kill_host(int64_t id)
{
    pid_t pid = host_of(id);

    assert_true(pid > 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (host_of(id) == pid)
        rest();
}

static void a_match_of_dc4_outlives_the_daemon_and_its_own_process(void **state)
{
    int64_t id = add(JOB(",\"protocol\":\"dc4\",\"seed\":7,\"time\":2000"));
    struct hosted hosted = match_of(id);
    json_t *turn;
    int shots = 0;

    (void)state;
    json_decref(host_ask(&hosted, "me:word", "POST", SEAT0, TEAM_CONFIG, 200));
    struct peer stream = host_stream(&hosted, "me:word");
    while ((turn = visitor_turn(&stream)) != NULL) {
        if (++shots == 2) {
            daemon_end(&daemon_here, SIGKILL);
            start_daemon();
        } else if (shots == 4) {
            json_decref(wait_for(id, "leased"));
            kill_host(id);
            peer_hang_up(&stream);
            while (!host_has_stream(&hosted, "me:word", &stream))
                rest();
            json_t *again = visitor_turn(&stream);
            assert_true(json_equal(again, turn));
            json_decref(again);
        }
        json_decref(turn);
        json_decref(host_ask(&hosted, "me:word", "POST", SHOTS, SHOT, 200));
    }
    peer_hang_up(&stream);
    json_t *done = wait_for(id, "done");
    assert_string_equal(text_of(json_object_get(done, "result"), "reason"), "score");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(done, "result"), "shots")) % 16, 0);
    json_decref(done);
    json_t *matches = get("/v1/matches?job=%lld", (long long)id);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);
    assert_string_equal(text_of(match, "a"), "dc4:visitor");
    json_decref(matches);
}

/* ---- import of what the host wrote ---- */

/* Plays the end, each shot as MOVE, to its end; returns the lines of the host's log. */
static json_t *played_log(int64_t *ret_job)
{
    char path[PATH_MAX], line[HOST_TEST_LINE_MAX];
    int64_t id = add(JOB(""));
    struct peer client = client_of(port_of(id));
    json_t *turn, *lines = json_array();

    client_greet(&client);
    while ((turn = client_await_turn(&client, "team0", NULL)) != NULL) {
        json_decref(turn);
        peer_say(&client, MOVE);
    }
    peer_hang_up(&client);
    json_decref(wait_for(id, "done"));
    snprintf(path, sizeof path, "%s/jobs/%lld/game.dcl2", daemon_here.data, (long long)id);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        assert_int_equal(json_array_append_new(lines, json_loads(line, 0, NULL)), 0);
    fclose(file);
    *ret_job = id;
    return lines;
}

static int64_t import(json_t *lines)
{
    json_t *body = json_pack("{s:s, s:{s:O}}", "kind", "import", "spec", "log", lines);
    char *text = json_dumps(body, JSON_COMPACT);
    int64_t id = add(text);

    free(text);
    json_decref(body);
    return id;
}

/* The request is refused, as the worker would refuse the job, in one of these words. */
static void refuses_import(json_t *lines, const char *said, const char *or_said)
{
    json_t *body = json_pack("{s:s, s:{s:O}}", "kind", "import", "spec", "log", lines);
    char *text = json_dumps(body, JSON_COMPACT);
    struct reply reply = ask("POST", "/v1/jobs", text, 422);
    const char *detail = text_of(reply.json, "detail");

    if (!strstr(detail, said) && !strstr(detail, or_said))
        fail_msg("%s", detail);
    reply_free(&reply);
    free(text);
    json_decref(body);
}

/* The shots of the only game of a job, in JSON Lines. */
static struct reply shots_of(int64_t id)
{
    char path[96];
    json_t *matches = get("/v1/matches?job=%lld", (long long)id);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);

    assert_non_null(match);
    snprintf(path, sizeof path, "/v1/games/%lld-0-0",
             (long long)json_integer_value(json_object_get(match, "id")));
    json_decref(matches);
    return ask("GET", path, NULL, 200);
}

/* A state in the midst of a game, by its number among the lines from 0. */
static size_t middle_state(const json_t *lines)
{
    size_t k = json_array_size(lines) / 2;

    while (!json_object_get(json_object_get(json_array_get(lines, k), "log"), "last_move"))
        k++;
    return k;
}

/* `lines` of a whole game; takes one out. */
static void check_gap(json_t *lines)
{
    size_t k = middle_state(lines);
    char where[32];

    json_array_remove(lines, k);
    /* The next state comes a line after the move that follows. */
    snprintf(where, sizeof where, "/spec/log: line %zu: ", k + 2);
    refuses_import(lines, where, where);
}

/* Compares the shots of two jobs by these members (NULL at the end); returns their number. */
static int same_shots(int64_t first, int64_t second, const char *const *members)
{
    struct reply before = shots_of(first), after = shots_of(second);
    char *a = strchr(before.text, '\n'), *b = strchr(after.text, '\n');
    int shots = 0;

    for (; a && b && a[1] && b[1]; a = strchr(a + 1, '\n'), b = strchr(b + 1, '\n'), shots++) {
        json_t *was = json_loads(a + 1, JSON_DISABLE_EOF_CHECK, NULL);
        json_t *is = json_loads(b + 1, JSON_DISABLE_EOF_CHECK, NULL);
        for (int k = 0; members[k]; k++)
            if (!is_near(json_object_get(was, members[k]), json_object_get(is, members[k])))
                fail_msg("shot %d: %s differs", shots, members[k]);
        json_decref(was);
        json_decref(is);
    }
    assert_true(a && b && !a[1] && !b[1]);
    reply_free(&before);
    reply_free(&after);
    return shots;
}

/* The board at the end of the only end of a job's game, or NULL; for json_decref(). */
static json_t *board_of(int64_t id)
{
    struct reply shots = shots_of(id);
    char *line = shots.text;

    for (char *next; (next = strchr(line, '\n')) != NULL && next[1];)
        line = next + 1;
    json_t *last = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL);
    json_t *board = json_incref(json_object_get(last, "final"));
    json_decref(last);
    reply_free(&shots);
    return board;
}

/* The file of the last shot knows the board that no state shows. */
static void the_shots_beside_a_log_have_the_last_board(void **state)
{
    char path[PATH_MAX];
    int64_t hosted;
    json_t *lines = played_log(&hosted);

    (void)state;
    int64_t without = import(lines);
    snprintf(path, sizeof path, "%s/jobs/%lld/shot_e000s15.json", daemon_here.data,
             (long long)hosted);
    json_t *shot = json_load_file(path, 0, NULL);
    assert_non_null(shot);
    json_array_insert_new(lines, 0, shot);
    int64_t with = import(lines);
    json_decref(wait_for(without, "done"));
    json_t *done = wait_for(with, "done");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(done, "result"), "shots")),
                     16);
    json_decref(done);
    json_t *kept = board_of(hosted), *read = board_of(with), *unknown = board_of(without);
    assert_non_null(kept);
    assert_null(unknown);
    for (size_t k = 0; k < 16; k++) { /* the file has the digits of float32 */
        const json_t *a = json_array_get(kept, k), *b = json_array_get(read, k);
        assert_int_equal(json_is_null(a), json_is_null(b));
        for (size_t axis = 0; axis < json_array_size(a); axis++)
            assert_true(fabs(json_number_value(json_array_get(a, axis)) -
                             json_number_value(json_array_get(b, axis))) < 1e-4);
    }
    json_decref(kept);
    json_decref(read);
    json_decref(lines);
}

static void the_log_of_a_host_is_imported_as_the_game_that_it_kept_and_not_with_a_gap(void **state)
{
    static const char *const same[] = {"end",    "shot",     "player",   "hammer", "lead",
                                       "stones", "intended", "executed", "foul",   NULL};
    int64_t hosted;
    json_t *lines = played_log(&hosted);
    int64_t imported = import(lines);

    (void)state;
    json_decref(wait_for(imported, "done"));
    assert_int_equal(same_shots(hosted, imported, same), 16);
    check_gap(lines);
    json_decref(lines);
}

/* The lines of a file in the folder of a job. */
static json_t *lines_of(int64_t id, const char *name)
{
    char path[PATH_MAX], *line = NULL;
    json_t *lines = json_array();
    size_t size = 0;

    snprintf(path, sizeof path, "%s/jobs/%lld/%s", daemon_here.data, (long long)id, name);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (getline(&line, &size, file) > 0)
        assert_int_equal(json_array_append_new(lines, json_loads(line, 0, NULL)), 0);
    free(line);
    fclose(file);
    return lines;
}

/* The first file of our player of a team. */
static void find_log(int64_t id, char ret_name[64])
{
    char path[PATH_MAX];
    const struct dirent *entry;

    snprintf(path, sizeof path, "%s/jobs/%lld", daemon_here.data, (long long)id);
    DIR *entries = opendir(path);
    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL)
        if (strncmp(entry->d_name, "team0-", 6) == 0)
            snprintf(ret_name, 64, "%.63s", entry->d_name);
    closedir(entries);
}

/* Prints a value as Python prints it in the log of the official client of dc4. */
static void print_python(const json_t *value, FILE *out)
{
    bool is_table = json_is_object(json_array_get(json_object_get(value, "team0"), 0));
    json_t *each;
    const char *key;
    size_t k;
    int n = 0;

    if (json_is_array(value)) {
        putc('[', out);
        json_array_foreach(value, k, each)
        {
            fputs(k ? ", " : "", out);
            print_python(each, out);
        }
        putc(']', out);
    } else if (json_is_object(value)) {
        fputs(is_table ? "{" : "ScoreSchema(", out);
        json_object_foreach((json_t *)(size_t)value, key, each)
        {
            fprintf(out, is_table ? "%s'%s': " : "%s%s=", n++ ? ", " : "", key);
            print_python(each, out);
        }
        putc(is_table ? '}' : ')', out);
    } else if (json_is_string(value)) {
        fprintf(out, "'%s'", json_string_value(value));
    } else if (json_is_real(value)) {
        fprintf(out, "%.17g", json_real_value(value));
    } else if (json_is_integer(value)) {
        fprintf(out, "%d", (int)json_integer_value(value));
    } else {
        fputs(json_is_null(value) ? "None" : json_is_true(value) ? "True" : "False", out);
    }
}

/* The states as the official Python client keeps them, which has no names. */
static json_t *kept_by_python(const json_t *states)
{
    static const char *const heads[] = {"latest_state_data:", "state_data:"};
    static const char *const left_out[] = {"first_team_name", "second_team_name",
                                           "mixed_doubles_settings"};
    json_t *lines = json_array(), *state, *value;
    const char *key;
    size_t k;

    json_array_append_new(lines, json_pack("{s:s, s:s}", "level", "INFO", "message", "SSE loop"));
    json_array_foreach(states, k, state)
    {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        fputs(heads[k % 2], out);
        json_object_foreach(state, key, value)
        {
            bool is_out = false;
            for (size_t j = 0; j < sizeof left_out / sizeof left_out[0]; j++)
                is_out = is_out || strcmp(key, left_out[j]) == 0;
            if (is_out)
                continue;
            fprintf(out, " %s=", key);
            print_python(value, out);
        }
        assert_int_equal(fclose(out), 0);
        json_array_append_new(lines, json_pack("{s:s, s:s, s:s}", "logger", "DC_Client", "level",
                                               "INFO", "message", text));
        free(text);
    }
    return lines;
}

/* What the host wrote, what a client heard, what the official client keeps, and the bare states
 * give the same game. */
static void check_imports(const char *job, int shots_an_end)
{
    static const char *const all[] = {"end",    "shot",     "player",   "hammer", "lead",
                                      "stones", "intended", "executed", "foul",   NULL};
    static const char *const seen[] = {"end",    "shot",     "player", "hammer", "lead",
                                       "stones", "executed", "foul",   NULL};
    char name[64] = "";
    int64_t hosted = add(job);
    json_t *states = json_array(), *line;
    size_t k;

    json_decref(wait_for(hosted, "done"));
    json_t *log = lines_of(hosted, "game.dc4.jsonl");
    int64_t imported = import(log);
    json_t *done = wait_for(imported, "done");
    const json_t *result = json_object_get(done, "result");
    int shots = same_shots(hosted, imported, all);
    assert_true(shots > 0 && shots % shots_an_end == 0);
    assert_int_equal(json_integer_value(json_object_get(result, "shots")), shots);
    assert_string_equal(text_of(result, "reason"), "score");
    json_decref(done);
    find_log(hosted, name);
    json_t *heard = lines_of(hosted, name);
    imported = import(heard);
    json_decref(wait_for(imported, "done"));
    assert_int_equal(same_shots(hosted, imported, seen), shots);
    json_decref(heard);
    json_array_foreach(log, k, line)
    {
        json_t *told = json_object_get(line, "state");
        bool led_here = json_integer_value(json_object_get(told, "total_shot_number")) > 0;
        if (!told)
            continue;
        json_array_append(states, told);
        /* The official server tells a shot with the state that it led to, not with the next end. */
        assert_int_equal(json_is_object(json_object_get(told, "last_move")), led_here);
    }
    json_t *printed = kept_by_python(states);
    imported = import(printed);
    json_decref(wait_for(imported, "done"));
    assert_int_equal(same_shots(hosted, imported, seen), shots);
    json_decref(printed);
    json_array_remove(states, json_array_size(states) / 2);
    refuses_import(states, "does not follow", "the scores do not fit");
    json_decref(states);
    json_decref(log);
}

/* The lines as a file that begins with these. */
static char *file_of(const json_t *lines, const char *before)
{
    const json_t *line;
    size_t k, size = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    fputs(before, out);
    json_array_foreach(lines, k, line)
    {
        fputs("data: ", out);
        json_dumpf(line, out, JSON_COMPACT);
        putc('\n', out);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Sends a file, which is refused with these words. */
static void refuses_file(const char *text, const char *said)
{
    struct reply sent = ask("POST", "/v1/games", text, 422);

    if (!strstr(text_of(sent.json, "detail"), said))
        fail_msg("'%s' is not in '%s'", said, sent.text);
    reply_free(&sent);
}

/* A file as bytes: what cannot be read is told, and the same bytes are one game. */
static void a_file_is_imported_once_and_bad_lines_are_told(void **state)
{
    static const char bad[] = "[1]\nnothing\n\n";
    int64_t hosted;
    json_t *lines = played_log(&hosted);
    char *text = file_of(lines, bad);

    (void)state;
    struct reply first = ask("POST", "/v1/games", text, 202);
    const json_t *skipped = json_object_get(first.json, "skipped");
    assert_int_equal(json_array_size(skipped), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(skipped, 1), "line")), 2);
    int64_t id = json_integer_value(json_object_get(first.json, "job"));
    json_decref(wait_for(id, "done"));
    struct reply again = ask("POST", "/v1/games", text, 200);
    assert_int_equal(json_integer_value(json_object_get(again.json, "job")), id);
    const char *game = json_string_value(json_array_get(json_object_get(again.json, "games"), 0));
    char path[96];
    snprintf(path, sizeof path, "/v1/games/%s", game ? game : "-");
    expect("GET", path, NULL, 200);
    expect("POST", "/v1/games", bad, 422);
    reply_free(&first);
    reply_free(&again);
    free(text);
    json_decref(lines);
}

static void a_refusal_names_the_line_of_the_file(void **state)
{
    int64_t hosted;
    json_t *lines = played_log(&hosted);
    const size_t k = middle_state(lines);
    char where[32];

    (void)state;
    json_array_remove(lines, k);
    char *text = file_of(lines, "[1]\nnothing\n\n");
    snprintf(where, sizeof where, "/log: line %zu: ", 3 + k + 2);
    refuses_file(text, where);
    free(text);
    json_decref(lines);
}

/* ---- our own records ---- */

/* Sends a record; returns the id of the game that it has become. */
static void send_record(const char *record, char ret_game[64])
{
    struct reply first = ask("POST", "/v1/games", record, 202);
    int64_t id = json_integer_value(json_object_get(first.json, "job"));

    json_decref(wait_for(id, "done"));
    struct reply again = ask("POST", "/v1/games", record, 200);
    const json_t *games = json_object_get(again.json, "games");
    assert_int_equal(json_integer_value(json_object_get(again.json, "job")), id);
    assert_int_equal(json_array_size(games), 1);
    snprintf(ret_game, 64, "%s", json_string_value(json_array_get(games, 0)));
    reply_free(&first);
    reply_free(&again);
}

/* Compares the record of a game with that of its import; `game`: 0 or 1, of its pair. */
static void check_record(const char *before, const char *after, int game)
{
    static const char *const same[] = {"profile",      "ends",        "extra_ends",
                                       "throws_first", "throws_last", "result"};
    json_t *was = json_loads(before, JSON_DISABLE_EOF_CHECK, NULL);
    json_t *is = json_loads(after, JSON_DISABLE_EOF_CHECK, NULL);
    const char *a = strchr(before, '\n'), *b = strchr(after, '\n');

    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        if (!json_equal(json_object_get(was, same[k]), json_object_get(is, same[k])))
            fail_msg("%s differs: %.300s", same[k], after);
    for (; a && b && a[1] && b[1]; a = strchr(a + 1, '\n'), b = strchr(b + 1, '\n')) {
        json_t *shot = json_loads(a + 1, JSON_DISABLE_EOF_CHECK, NULL);
        json_t *kept = json_loads(b + 1, JSON_DISABLE_EOF_CHECK, NULL);
        json_t *const holders[] = {shot, json_object_get(shot, "setup")};
        /* The player that throws first is player 0 of the import, and its game is game 0. */
        for (size_t k = 0; k < 2 && game == 1; k++) {
            json_t *player = json_object_get(holders[k], "player");
            json_object_set_new(holders[k], "player", json_integer(1 - json_integer_value(player)));
        }
        json_object_set_new(shot, "game", json_integer(0));
        if (!json_equal(shot, kept))
            fail_msg("%.900s\nis not\n%.900s", a + 1, b + 1);
        json_decref(shot);
        json_decref(kept);
    }
    assert_true(a && b && !a[1] && !b[1]);
    json_decref(was);
    json_decref(is);
}

/* Sends the record without its line `line` (from 1), or with the first result changed, which is
 * refused with these words. */
static void refuses_record(const char *record, int line, const char *from, const char *to,
                           const char *said)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    const char *changed = from ? strstr(record, from) : NULL;
    int number = 1;

    assert_true(!from || changed);
    for (const char *at = record; *at; number++) {
        const char *end = strchr(at, '\n') + 1;
        for (; at < end; at++) {
            bool is_changed = changed && at >= changed && at < changed + strlen(from);
            if (at == changed)
                fputs(to, out);
            if (number != line && !is_changed)
                putc(*at, out);
        }
    }
    assert_int_equal(fclose(out), 0);
    refuses_file(text, said);
    free(text);
}

/* The records of both games of a match of one pair. */
static void records_of(const char *spec, struct reply ret_games[2])
{
    char body[512], path[96];

    snprintf(body, sizeof body, "{\"kind\":\"match\",\"spec\":{\"pairs\":1,%s}}", spec);
    int64_t id = add(body);
    json_decref(wait_for(id, "done"));
    json_t *matches = get("/v1/matches?job=%lld", (long long)id);
    const json_t *match = json_array_get(json_object_get(matches, "items"), 0);
    for (int game = 0; game < 2; game++) {
        snprintf(path, sizeof path, "/v1/games/%lld-0-%d",
                 (long long)json_integer_value(json_object_get(match, "id")), game);
        ret_games[game] = ask("GET", path, NULL, 200);
    }
    json_decref(matches);
}

static void records_of_ours_come_back_as_they_were(void **state)
{
    static const char *const specs[] = {
        "\"a\":\"ai-simple\",\"b\":\"rink:simulations=50\",\"ends\":2,\"extra_ends\":3,"
        "\"luck\":4,\"seed\":4",
        "\"a\":\"doubles-simple\",\"b\":\"ai-simple\",\"ends\":2,\"seed\":5,"
        "\"profile\":\"dc4-modified\""};
    char id[64], path[96];

    (void)state;
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        struct reply games[2];
        records_of(specs[k], games);
        for (int game = 0; game < 2; game++) {
            send_record(games[game].text, id);
            snprintf(path, sizeof path, "/v1/games/%s", id);
            struct reply kept = ask("GET", path, NULL, 200);
            check_record(games[game].text, kept.text, game);
            reply_free(&kept);
        }
        for (int game = 0; game < 2; game++)
            reply_free(&games[game]);
    }
}

static void a_record_that_is_no_whole_game_is_refused_by_its_line(void **state)
{
    struct reply games[2];

    (void)state;
    records_of("\"a\":\"ai-simple\",\"b\":\"random\",\"ends\":2,\"seed\":6", games);
    const char *record = games[0].text;
    refuses_record(record, 6, NULL, NULL, "line 6: shot: does not follow the shot before it");
    refuses_record(record, 18, NULL, NULL, "line 18: shots are missing before it");
    refuses_record(record, 2, NULL, NULL, "does not begin with the first shot");
    refuses_record(record, 33, NULL, NULL, "result: does not fit the shots");
    refuses_record(record, 0, "\"hammer\":false", "\"hammer\":true", "does not fit the shots");
    refuses_record(record, 0, "\"half_points\"", "\"points\"", "result: not that of a game");
    refuses_record(record, 0, "\"game\":0", "\"game\":1", "line 3: of another game");
    refuses_record(record, 0, "\"record\":\"game\"", "\"record\":\"header\"",
                   "line 1: the records of a match hold many games");
    refuses_record(record, 6, "{\"record\":\"game\"", "nothing\n\n{\"record\":\"game\"",
                   "line 8: shot: does not follow the shot before it");
    for (int game = 0; game < 2; game++)
        reply_free(&games[game]);
}

static void logs_of_dc4_are_imported(void **state)
{
    (void)state;
    check_imports(JOB(",\"protocol\":\"dc4\",\"seed\":5,\"team0\":\"ai-simple\""), 16);
    check_imports(JOB(",\"protocol\":\"dc4\",\"seed\":5,\"team0\":\"ai-simple\","
                      "\"profile\":\"dc4-modified\""),
                  10);
}

static void bad_specs_are_refused_by_the_name_of_the_field(void **state)
{
    (void)state;
    refuses_field("/v1/jobs", JOB(",\"port0\":65536"), "/spec/port0");
    refuses_field("/v1/jobs", JOB(",\"time\":0"), "/spec/time");
    refuses_field("/v1/jobs", JOB(",\"profile\":\"dc4\""), "/spec/profile");
    refuses_field("/v1/jobs", JOB(",\"profile\":\"dc2\""), "/spec/profile");
    refuses_field("/v1/jobs", JOB(",\"protocol\":\"dc2\""), "/spec/protocol");
    refuses_field("/v1/jobs", JOB(",\"pattern\":6"), "/spec/pattern");
    refuses_field("/v1/jobs", JOB(",\"team0\":\"nobody\""), "/spec/team0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_game_is_hosted_kept_and_shown),
        cmocka_unit_test(a_game_is_shown_shot_by_shot_without_what_was_called),
        cmocka_unit_test(a_game_outlives_the_daemon_and_is_reported_to_the_next),
        cmocka_unit_test(a_game_that_goes_on_is_found_by_the_next_daemon),
        cmocka_unit_test(a_cancelled_job_ends_its_game),
        cmocka_unit_test(games_are_hosted_beside_jobs_that_compute),
        cmocka_unit_test(a_game_that_nobody_came_to_can_be_cancelled),
        cmocka_unit_test(a_game_ends_with_its_job_that_no_worker_has),
        cmocka_unit_test(a_game_goes_on_when_its_job_is_buried),
        cmocka_unit_test(a_broken_client_fails_the_job_by_name),
        cmocka_unit_test(a_match_of_dc4_outlives_the_daemon_and_its_own_process),
        cmocka_unit_test(the_log_of_a_host_is_imported_as_the_game_that_it_kept_and_not_with_a_gap),
        cmocka_unit_test(the_shots_beside_a_log_have_the_last_board),
        cmocka_unit_test(a_file_is_imported_once_and_bad_lines_are_told),
        cmocka_unit_test(a_refusal_names_the_line_of_the_file),
        cmocka_unit_test(records_of_ours_come_back_as_they_were),
        cmocka_unit_test(a_record_that_is_no_whole_game_is_refused_by_its_line),
        cmocka_unit_test(logs_of_dc4_are_imported),
        cmocka_unit_test(bad_specs_are_refused_by_the_name_of_the_field),
    };
    return cmocka_run_group_tests(tests, set_up, daemon_end_here);
}

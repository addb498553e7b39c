/* Sockets, the program, and a game. See compete_peer.h. */
#include "tests/programs/compete_peer.h"

#include "models/ice/aim.h"
#include "models/ice/throw.h"
#include "models/tables/profiles.h"
#include "tests/patience.h"

#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a connection of messages ---- */

static void listen_anywhere(struct peer *peer)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    peer->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(peer->listener >= 0);
    assert_int_equal(bind(peer->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(peer->listener, 16), 0);
    assert_int_equal(getsockname(peer->listener, (struct sockaddr *)&address, &size), 0);
    peer->port = ntohs(address.sin_port);
}

void peer_listen(struct peer *peer, char end)
{
    *peer = (struct peer){.fd = -1, .end = end};
    listen_anywhere(peer);
}

void peer_start(struct peer *peer, const char *command, const char *folder, const char *const *more)
{
    static int logs;
    char port[16], url[64];
    const char *argv[PEER_ARGUMENTS_MAX + 8] = {RINK_COMPETE, command};
    int count = 2;
    bool is_web = strcmp(command, "dc4") == 0;

    peer_listen(peer, strcmp(command, "dc2") == 0 ? '\0' : '\n');
    snprintf(port, sizeof port, "%d", peer->port);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", peer->port);
    argv[count++] = is_web ? url : "127.0.0.1";
    if (!is_web)
        argv[count++] = port;
    assert_true(asprintf(&peer->log, "%s/log%d.jsonl", folder, logs++) > 0);
    argv[count++] = "--log";
    argv[count++] = peer->log;
    argv[count++] = "--threads=1";
    for (; *more; more++) {
        assert_true(count < (int)(sizeof argv / sizeof argv[0]) - 1);
        argv[count++] = *more;
    }
    peer->program = program_start(argv);
}

/* Waits until the descriptor is readable. */
static void await(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLIN};

    assert_int_equal(poll(&polled, 1, PATIENCE_MS), 1);
}

void peer_accept(struct peer *peer)
{
    await(peer->listener);
    peer->fd = accept4(peer->listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(peer->fd >= 0);
}

void peer_send(struct peer *peer, const char *text, size_t piece)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t now = piece > 0 && piece < left ? piece : left;
        ssize_t sent = send(peer->fd, text, now, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* the program has hung up; the test sees it elsewhere */
        text += sent;
        left -= (size_t)sent;
    }
}

void peer_say(struct peer *peer, const char *text)
{
    peer_send(peer, text, 0);
    (void)!send(peer->fd, &peer->end, 1, MSG_NOSIGNAL);
}

void peer_say_json(struct peer *peer, json_t *document)
{
    char *text = json_dumps(document, JSON_COMPACT);

    assert_non_null(text);
    peer_say(peer, text);
    free(text);
    json_decref(document);
}

char *peer_hear(struct peer *peer)
{
    char text[4096];
    size_t length = 0;

    for (;;) {
        await(peer->fd);
        ssize_t got = recv(peer->fd, text + length, 1, 0);
        if (got <= 0)
            return NULL;
        if (text[length] == peer->end)
            break;
        assert_true(++length < sizeof text);
    }
    text[length] = '\0';
    return strdup(text);
}

json_t *peer_hear_cmd(struct peer *peer, const char *cmd)
{
    char *text = peer_hear(peer);

    assert_non_null(text);
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    assert_string_equal(json_string_value(json_object_get(document, "cmd")), cmd);
    free(text);
    return document;
}

void peer_hang_up(struct peer *peer)
{
    close(peer->fd);
    peer->fd = -1;
}

json_t *peer_end(struct peer *peer, int status, const char *word)
{
    char text[4096] = "";

    assert_non_null(fgets(text, sizeof text, peer->program.from));
    json_t *result = json_loads(text, 0, NULL);
    int ended = program_finish(&peer->program);
    const char *said = json_string_value(json_object_get(result, "end"));
    if (ended != status || !said || strcmp(said, word) != 0)
        fail_msg("ended with %d instead of %d %s: %s", ended, status, word, text);
    if (peer->fd >= 0)
        peer_hang_up(peer);
    close(peer->listener);
    peer_check_log(peer, word);
    return result;
}

void peer_check_log(const struct peer *peer, const char *word)
{
    FILE *file = fopen(peer->log, "re");
    char *line = NULL;
    size_t size = 0;
    json_t *last = NULL;
    int lines = 0;

    assert_non_null(file);
    while (getline(&line, &size, file) > 0) {
        json_decref(last);
        last = json_loads(line, 0, NULL);
        assert_non_null(last);
        assert_non_null(json_object_get(last, "at"));
        if (lines++ == 0)
            assert_non_null(json_object_get(last, "started"));
    }
    assert_string_equal(json_string_value(json_object_get(json_object_get(last, "ended"), "end")),
                        word);
    json_decref(last);
    free(line);
    fclose(file);
}

void peer_check_replay(const struct peer *peer, int decisions)
{
    const char *const argv[] = {RINK_COMPETE, "replay", "--threads=2", peer->log, NULL};
    struct program_run run = program_run(argv, "", 0);
    int heard, said, again, remembered, differences;

    if (sscanf(run.output,
               "%d messages heard, %d said; %d decisions made again, %d taken from the log, "
               "%d differences",
               &heard, &said, &again, &remembered, &differences) != 5 ||
        differences != 0 || again + remembered != decisions || run.status != 0)
        fail_msg("%s%s", run.output, run.errors);
    program_free(&run);
}

/* ---- a game ---- */

struct position peer_throw(struct game *game, const struct ice_profile *ice, struct shot shot)
{
    const struct throw_request request = {.ice = ice,
                                          .before = &game->position,
                                          .stone = game_next_stone(game),
                                          .shot = shot,
                                          .team0_has_hammer = game_team0_has_hammer(game)};
    struct throw_result result;
    struct game_turn turn;

    assert_int_equal(throw_fast(&request, &result), THROW_OK);
    assert_int_equal(game_play(game, &result.after, &turn), GAME_OK);
    return turn.board;
}

struct shot peer_own_shot(const struct game *game, const struct ice_profile *ice)
{
    const double out[] = {0.0, 0.6, -0.6, 1.2, -1.2};
    struct vec2 place = {SHEET_TEE_X + out[game->shot / 2 % 5], SHEET_TEE_Y - 0.3};
    struct shot shot = {{0.0, 0.0}, ice->spin};

    assert_int_equal(aim_draw(ice, place, ice->spin, &shot), AIM_OK);
    return shot;
}

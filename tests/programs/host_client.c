/* See host_client.h. */
#include "tests/programs/host_client.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

struct peer client_of(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)port)};
    struct peer client = {.listener = -1, .end = '\n'};

    client.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(client.fd >= 0);
    assert_int_equal(connect(client.fd, (struct sockaddr *)&address, sizeof address), 0);
    return client;
}

void client_greet(struct peer *client)
{
    json_t *dc = peer_hear_cmd(client, "dc");
    const json_t *version = json_object_get(dc, "version");

    assert_int_equal(json_integer_value(json_object_get(version, "major")), 1);
    json_decref(dc);
    peer_say(client, DC_OK);
    json_t *ready = peer_hear_cmd(client, "is_ready");
    const json_t *game = json_object_get(ready, "game");
    assert_string_equal(json_string_value(json_object_get(game, "rule")), "normal");
    json_decref(ready);
    peer_say(client, READY_OK);
    json_decref(peer_hear_cmd(client, "new_game"));
}

json_t *client_await_turn(struct peer *client, const char *team, json_t **ret_last)
{
    json_t *last = NULL;

    for (;;) {
        char *text = peer_hear(client);
        json_t *message = text ? json_loads(text, 0, NULL) : NULL;
        const char *cmd = json_string_value(json_object_get(message, "cmd"));
        const char *next = json_string_value(json_object_get(message, "next_team"));
        bool is_update = cmd && strcmp(cmd, "update") == 0;
        free(text);
        if (is_update) {
            json_decref(last);
            last = json_incref(message);
        }
        if (!is_update || (next && strcmp(next, team) == 0)) {
            if (ret_last)
                *ret_last = last;
            else
                json_decref(last);
            if (is_update)
                return message;
            json_decref(message);
            return NULL;
        }
        json_decref(message);
    }
}

void client_concede(struct peer *client, const char *team)
{
    json_decref(client_await_turn(client, team, NULL));
    peer_say(client, CONCEDE);
    assert_null(client_await_turn(client, team, NULL));
    peer_hang_up(client);
}

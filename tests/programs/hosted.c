/* See hosted.h. */
#include "tests/programs/hosted.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { ARGUMENTS_MAX = 24, ANSWER_MAX = 256 << 10 };

void host_restart(struct hosted *hosted, const char *const *more)
{
    char folder[160], line[256];
    const char *argv[ARGUMENTS_MAX] = {RINK_COMPETE, "host",     "--engine=fast", "--ends=1",
                                       "--wait=200", "--seed=7", folder};
    int count = 7;

    snprintf(folder, sizeof folder, "--folder=%s", hosted->folder);
    for (; *more; more++)
        argv[count++] = *more;
    hosted->program = program_start(argv);
    assert_non_null(fgets(line, sizeof line, hosted->program.from));
    if (sscanf(line, "{\"listening\":{\"http\":%d},\"match\":\"%63[^\"]", &hosted->ports[0],
               hosted->match) != 2)
        assert_int_equal(sscanf(line, "{\"listening\":{\"team0\":%d,\"team1\":%d}}",
                                &hosted->ports[0], &hosted->ports[1]),
                         2);
}

struct hosted host_start(const char *parent, const char *const *more)
{
    static int hosts;
    struct hosted hosted = {.match = ""};

    snprintf(hosted.folder, sizeof hosted.folder, "%s/host%d", parent, hosts++);
    assert_int_equal(mkdir(hosted.folder, 0700), 0);
    host_restart(&hosted, more);
    return hosted;
}

json_t *host_end(struct hosted *hosted, int status, const char *end, const char *why)
{
    char text[4096] = "", path[192];

    assert_non_null(fgets(text, sizeof text, hosted->program.from));
    int ended = program_finish(&hosted->program);
    snprintf(path, sizeof path, "%s/result.json", hosted->folder);
    json_t *result = json_load_file(path, 0, NULL);
    const char *said = json_string_value(json_object_get(result, "end"));
    const char *said_why = json_string_value(json_object_get(result, "why"));
    if (ended != status || !said || strcmp(said, end) != 0 || !strstr(said_why, why))
        fail_msg("ended with %d instead of %d %s '%s': %s", ended, status, end, why, text);
    return result;
}

json_t *host_last_line(const char *folder, const char *name, int *ret_lines)
{
    char path[192];
    char *line = NULL;
    size_t size = 0;
    json_t *last = NULL;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    for (*ret_lines = 0; getline(&line, &size, file) > 0; ++*ret_lines) {
        json_decref(last);
        last = json_loads(line, 0, NULL);
        assert_non_null(last);
    }
    free(line);
    fclose(file);
    return last;
}

/* ---- requests ---- */

/* Sends a request; the answer ends with the connection. */
static struct peer request(const struct hosted *hosted, const char *user, const char *method,
                           const char *target, const char *body)
{
    static const struct {
        const char *user, *word;
    } words[] = {
        {"me:word", "bWU6d29yZA=="}, {"me:other", "bWU6b3RoZXI="}, {"you:word", "eW91OndvcmQ="}};
    struct peer client = client_of(hosted->ports[0]);
    char path[256], head[512], login[80] = "";

    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strcmp(user, words[k].user) == 0)
            snprintf(login, sizeof login, "Authorization: Basic %s\r\n", words[k].word);
    const char *gap = strstr(target, "%s");
    snprintf(path, sizeof path, "%.*s%s%s", gap ? (int)(gap - target) : (int)strlen(target), target,
             gap ? hosted->match : "", gap ? gap + 2 : "");
    /* HTTP/1.0: no chunks */
    snprintf(head, sizeof head, "%s %s HTTP/1.0\r\n%sContent-Length: %zu\r\n\r\n", method, path,
             login, body ? strlen(body) : 0);
    peer_send(&client, head, 0);
    if (body)
        peer_send(&client, body, 0);
    return client;
}

/* A line without its end; NULL at the end. */
static char *line_of(struct peer *client)
{
    char *line = peer_hear(client);

    if (line && line[0] && line[strlen(line) - 1] == '\r')
        line[strlen(line) - 1] = '\0';
    return line;
}

json_t *host_ask(const struct hosted *hosted, const char *user, const char *method,
                 const char *target, const char *body, int status)
{
    struct peer client = request(hosted, user, method, target, body);
    char *line = line_of(&client);
    char text[ANSWER_MAX];
    size_t used = 0;
    int said = 0;
    ssize_t got;

    assert_true(line && sscanf(line, "HTTP/1.%*c %d", &said) == 1);
    free(line);
    while ((line = line_of(&client)) != NULL && line[0])
        free(line);
    free(line);
    while ((got = recv(client.fd, text + used, sizeof text - used, 0)) > 0)
        used += (size_t)got;
    peer_hang_up(&client);
    json_t *value = json_loadb(text, used, JSON_DECODE_ANY, NULL);
    if ((status > 0 && said != status) || !value)
        fail_msg("%s %s was answered by %d instead of %d: %.*s", method, target, said, status,
                 (int)used, text);
    if (status >= 400)
        assert_true(json_is_string(json_object_get(value, "detail")));
    return value;
}

struct peer host_stream(const struct hosted *hosted, const char *user)
{
    struct peer stream = request(hosted, user, "GET", "/matches/%s/stream", NULL);
    char *line = line_of(&stream);

    if (!line || !strstr(line, " 200 "))
        fail_msg("the stream is answered by %s", line ? line : "nothing");
    free(line);
    return stream;
}

bool host_has_stream(const struct hosted *hosted, const char *user, struct peer *ret_stream)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons((uint16_t)hosted->ports[0])};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char text[16] = "";
    static const char asked[] = "GET /matches HTTP/1.0\r\n\r\n";

    /* A process that is dying may still accept, and says nothing. */
    bool is_there = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
                    send(fd, asked, sizeof asked - 1, MSG_NOSIGNAL) > 0 &&
                    recv(fd, text, sizeof text - 1, MSG_WAITALL) > 0;
    close(fd);
    if (is_there)
        *ret_stream = host_stream(hosted, user);
    return is_there;
}

json_t *host_state(struct peer *stream)
{
    bool is_latest = false;
    char *line;

    while ((line = line_of(stream)) != NULL) {
        if (is_latest && strncmp(line, "data: ", 6) == 0) {
            json_t *state = json_loads(line + 6, 0, NULL);
            assert_non_null(state);
            free(line);
            return state;
        }
        is_latest = strcmp(line, "event: latest_state_update") == 0;
        free(line);
    }
    return NULL;
}

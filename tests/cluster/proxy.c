/* A TCP proxy that spoils what it carries. See cluster.h. */
#include "tests/api/client.h"
#include "tests/cluster/cluster.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { PIECE = 512, DELAY_MS = 20, LOOK_MS = 100 };

struct pass {
    struct cluster_proxy *proxy;
    int client, server;
    uint64_t dice;
};

/* splitmix64 (Steele, Lea and Flood, 2014) */
static uint64_t draw(uint64_t *dice)
{
    uint64_t z = *dice += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool is_bad(struct pass *pass)
{
    return (int)(draw(&pass->dice) % 100) < atomic_load(&pass->proxy->badness);
}

/* Passes a piece on. False: the connection is over, or is cut here. */
static bool pass_piece(struct pass *pass, int from, int to)
{
    char bytes[PIECE];
    ssize_t got = recv(from, bytes, sizeof bytes, 0);

    if (got <= 0)
        return false;
    if (is_bad(pass)) {
        atomic_fetch_add(&pass->proxy->cuts, 1);
        send(to, bytes, (size_t)got / 2, MSG_NOSIGNAL);
        return false;
    }
    if (atomic_load(&pass->proxy->badness) > 0 && draw(&pass->dice) % 4 == 0)
        cluster_sleep_ms((int)(draw(&pass->dice) % DELAY_MS));
    return send(to, bytes, (size_t)got, MSG_NOSIGNAL) == got;
}

static void *run_pass(void *context)
{
    struct pass *pass = context;
    bool good = true;

    while (good && !atomic_load(&pass->proxy->ends)) {
        struct pollfd fds[] = {{.fd = pass->client, .events = POLLIN},
                               {.fd = pass->server, .events = POLLIN}};
        if (poll(fds, 2, LOOK_MS) <= 0)
            continue;
        if (fds[0].revents)
            good = pass_piece(pass, pass->client, pass->server);
        if (good && fds[1].revents)
            good = pass_piece(pass, pass->server, pass->client);
    }
    close(pass->client);
    close(pass->server);
    atomic_fetch_sub(&pass->proxy->open, 1);
    free(pass);
    return NULL;
}

static int connect_to(int port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(fd); /* the daemon is away */
        fd = -1;
    }
    return fd;
}

static void take(struct cluster_proxy *proxy, int client, uint64_t dice)
{
    struct pass *pass = calloc(1, sizeof *pass);
    pthread_t thread;

    if (!pass)
        abort();
    *pass = (struct pass){proxy, client, -1, dice};
    if (!is_bad(pass))
        pass->server = connect_to(proxy->to_port);
    atomic_fetch_add(&proxy->open, 1);
    if (pass->server >= 0 && pthread_create(&thread, NULL, run_pass, pass) == 0) {
        pthread_detach(thread);
        return;
    }
    close(client);
    if (pass->server >= 0)
        close(pass->server);
    atomic_fetch_sub(&proxy->open, 1);
    free(pass);
}

static void *run(void *context)
{
    struct cluster_proxy *proxy = context;
    uint64_t dice = proxy->seed;

    while (!atomic_load(&proxy->ends)) {
        struct pollfd ready = {.fd = proxy->socket, .events = POLLIN};
        if (poll(&ready, 1, LOOK_MS) <= 0)
            continue;
        int client = accept4(proxy->socket, NULL, NULL, SOCK_CLOEXEC);
        if (client >= 0)
            take(proxy, client, draw(&dice));
    }
    return NULL;
}

void cluster_proxy_start(struct cluster_proxy *proxy, int to_port, int badness, uint64_t seed)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;

    memset(proxy, 0, sizeof *proxy);
    proxy->to_port = to_port;
    proxy->seed = seed;
    atomic_store(&proxy->badness, badness);
    proxy->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(proxy->socket >= 0);
    assert_int_equal(bind(proxy->socket, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(proxy->socket, 64), 0);
    assert_int_equal(getsockname(proxy->socket, (struct sockaddr *)&address, &size), 0);
    proxy->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&proxy->thread, NULL, run, proxy), 0);
}

void cluster_proxy_end(struct cluster_proxy *proxy)
{
    atomic_store(&proxy->ends, true);
    pthread_join(proxy->thread, NULL);
    while (atomic_load(&proxy->open) > 0)
        cluster_sleep_ms(10);
    close(proxy->socket);
}

/* Asks rinkd for a shot, with rinkd.h of deploy/clients and nothing but the C library:
 *
 *   cc -I ../clients -o shot shot.c
 *   ./shot 127.0.0.1 8080 <shot.json        (RINKCTL_TOKEN=… where it wants a token)
 *
 * Sends standard input to POST /v1/shots: a query, or an update of a Digital Curling 3 server.
 * Writes the shot, "X Y ROTATION", in m/s across and up the sheet as a Digital Curling 3 server
 * wants it; for dc2 "VX VY SPIN" and for dc4 "SPEED ANGLE TURN", as those servers want it. When
 * something is wrong, says so on standard error and ends with 1. */
#define RINKD_IMPLEMENTATION
#include <rinkd.h>

enum { QUERY_BYTES = 1 << 20 };

static void print(const struct rinkd_shot *shot)
{
    if (shot->native_spin >= 0)
        printf("%.9f %.9f %d\n", shot->native_vx, shot->native_vy, shot->native_spin);
    else if (shot->translational_velocity > 0.0)
        printf("%.9f %.9f %.9f\n", shot->translational_velocity, shot->shot_angle,
               shot->angular_velocity);
    else
        printf("%.9f %.9f %s\n", shot->vx, shot->vy, shot->spin < 0 ? "cw" : "ccw");
}

int main(int argc, char **argv)
{
    static char query[QUERY_BYTES + 1];
    struct rinkd_shot shot;

    if (argc != 3) {
        fprintf(stderr, "usage: shot HOST PORT <query.json\n");
        return 1;
    }
    size_t length = fread(query, 1, QUERY_BYTES, stdin);
    query[length] = '\0';
    if (!feof(stdin) || strlen(query) != length) {
        fprintf(stderr, "shot: a query is a text of less than 1 MiB\n");
        return 1;
    }
    struct rinkd rink = rinkd_at(argv[1], argv[2], getenv("RINKCTL_TOKEN"));
    rink.tries = 1;
    if (!rinkd_shot(&rink, query, &shot)) {
        fprintf(stderr, "shot: %s\n", rink.error);
        return 1;
    }
    print(&shot);
    return fflush(stdout) == 0 ? 0 : 1;
}

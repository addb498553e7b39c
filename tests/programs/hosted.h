/* A host under test, and the requests of a client of Digital Curling 4. */
#ifndef RINKD_TESTS_PROGRAMS_HOSTED_H
#define RINKD_TESTS_PROGRAMS_HOSTED_H

#include "tests/programs/host_client.h"

struct hosted {
    struct program_talk program;
    int ports[2];   /* of dc4 the first alone */
    char match[64]; /* of dc4 */
    char folder[128];
};

/* Starts a host with these options and a folder of its own. */
struct hosted host_start(const char *parent, const char *const *more);
/* Starts it again in the same folder. */
void host_restart(struct hosted *hosted, const char *const *more);
/* Waits for the host, which must end with this status and these words; returns the result. */
json_t *host_end(struct hosted *hosted, int status, const char *end, const char *why);

/* The last of the lines of a file in the folder, all of them JSON. */
json_t *host_last_line(const char *folder, const char *name, int *ret_lines);

/* Asks as a user ("me:word", "me:other", "you:word", "" for none), and returns the JSON of the
 * answer, whose status must be this one (0: any). Targets contain %s where the id of the match
 * stands. */
json_t *host_ask(const struct hosted *hosted, const char *user, const char *method,
                 const char *target, const char *body, int status);
/* Opens the stream of the user's team. */
struct peer host_stream(const struct hosted *hosted, const char *user);
/* The same of a host that may not be there yet; false: it is not. */
bool host_has_stream(const struct hosted *hosted, const char *user, struct peer *ret_stream);
/* The next newest state of a stream; NULL when it has ended. The caller owns it. */
json_t *host_state(struct peer *stream);

#define TEAM_CONFIG "{\"use_default_config\":true,\"team_name\":\"visitor\"}"
#define SEAT0       "/store-team-config?match_id=%s&expected_match_team_name=team0"
#define SHOTS       "/shots?match_id=%s"
#define SHOT_OF(speed, turn, angle) \
    "{\"translational_velocity\":" speed ",\"angular_velocity\":" turn ",\"shot_angle\":" angle "}"
#define SHOT SHOT_OF("2.403", "-1.5707963", "1.5159")

#endif

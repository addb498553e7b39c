/* rink-compete host: one game of Digital Curling 3 or 4, hosted to its end. */
#include "api/jobs/job_kinds.h"
#include "models/tables/profiles.h"
#include "workers/command.h"
#include "workers/compete/compete_commands.h"
#include "workers/compete/host/host.h"
#include "workers/options.h"
#include "workers/search/policy/policy_store.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PORT_MAX = 65535 };

struct options {
    struct host_setting setting;
    const char *engine;
    int64_t seed; /* -1: drawn */
    double stddev_speed, stddev_angle, max_speed;
};

#define AT(field)  offsetof(struct options, field)
#define SET(field) offsetof(struct options, setting.field)

static void read_player(struct argp_state *state, const char *spec, void *field)
{
    struct player player;
    char message[PLAYER_ERROR_MAX];

    if (!player_read(spec, &player, sizeof message, message))
        argp_error(state, "a player: %s", message);
    *(const char **)field = spec;
}

static void read_profile(struct argp_state *state, const char *text, void *field)
{
    const struct profile *profile = profile_find(text);

    if (!profile ||
        (profile->ice != ice_profile_find("dc3") && profile->ice != ice_profile_find("dc4")) ||
        strcmp(text, "dc4-library") == 0)
        argp_error(state, "--profile must be one of the server's, not '%s'", text);
    *(const struct profile **)field = profile;
}

static void read_protocol(struct argp_state *state, const char *text, void *field)
{
    const struct protocol *protocol = strcmp(text, "dc3") == 0   ? &protocol_dc3
                                      : strcmp(text, "dc4") == 0 ? &protocol_dc4
                                                                 : NULL;

    if (!protocol)
        argp_error(state, "--protocol must be dc3 or dc4, not '%s'", text);
    *(const struct protocol **)field = protocol;
}

static void read_trajectory(struct argp_state *state, const char *text, void *field)
{
    if (strcmp(text, "sent") != 0 && strcmp(text, "kept") != 0)
        argp_error(state, "--trajectory must be sent or kept, not '%s'", text);
    *(bool *)field = strcmp(text, "sent") == 0;
}

static void set_models(struct argp_state *state, const char *folder, void *field)
{
    (void)state, (void)field;
    policy_store_folder(folder);
    setenv("RINKD_MODELS", folder, 1); /* for our players */
}

static const struct option_row rows[] = {
    {"models", 'm', "FOLDER", OPTION_READ, 0, .read = set_models,
     .about = "where HASH.safetensors are (default: RINKD_MODELS of the environment); before "
              "players"},
    {"protocol", 'o', "PROTOCOL", OPTION_READ, SET(protocol), .read = read_protocol,
     .about = "what clients speak: dc3 or dc4 (default: dc3)"},
    {"listen", 'l', "ADDRESS", OPTION_TEXT, SET(listen),
     .about = "where clients connect to (default: 127.0.0.1)"},
    {"port0", 'p', "PORT", OPTION_INT, SET(port[0]), .about = NULL},
    {"port1", 'q', "PORT", OPTION_INT, SET(port[1]), .about = NULL},
    {"team0", 'a', "PLAYER", OPTION_READ, SET(player[0]), .read = read_player,
     .about = "a player of ours plays team0, which throws first (default: a client does)"},
    {"team1", 'b', "PLAYER", OPTION_READ, SET(player[1]), .read = read_player,
     .about = "a player of ours plays team1 (default: a client does)"},
    {"profile", 'P', "PROFILE", OPTION_READ, SET(profile), .read = read_profile,
     .about = "rules: dc3, dc3-four-rock, dc4, dc4-no-tick or dc4-modified, which is mixed doubles "
              "(default: as the protocol)"},
    {"pattern", 'N', "N", OPTION_INT, SET(pattern), .about = NULL},
    {"ends", 'e', "N", OPTION_INT, SET(ends), .about = NULL},
    {"time", 't', "SECONDS", OPTION_NUMBER, SET(time_s), .unit = 1.0},
    {"extra-end-time", 'x', "SECONDS", OPTION_NUMBER, SET(extra_end_time_s), .unit = 1.0},
    {"stddev-speed", 'V', "M/S", OPTION_NUMBER, AT(stddev_speed), .unit = 1.0},
    {"stddev-angle", 'A', "RAD", OPTION_NUMBER, AT(stddev_angle), .unit = 1.0},
    {"max-speed", 'M', "M/S", OPTION_NUMBER, AT(max_speed), .unit = 1.0},
    {"engine", 'E', "ENGINE", OPTION_TEXT, AT(engine),
     .about = "box2d, as the official server, or fast (default: box2d)"},
    {"trajectory", 'T', "WHERE", OPTION_READ, SET(sends_trajectory), .read = read_trajectory,
     .about = "sent: to clients, too; kept: in the files alone (default: kept)"},
    {"wait", 'w', "SECONDS", OPTION_INT, SET(wait_s), .about = NULL},
    {"threads", 'j', "N", OPTION_INT, SET(threads), .about = NULL},
    {"seed", 's', "N", OPTION_INT64, AT(seed), .least = 0, .most = INT64_MAX,
     .about = "of the noise (default: drawn)"},
    {"folder", 'f', "FOLDER", OPTION_TEXT, SET(folder),
     .about = "for the logs, made if it is not there (default: host-TIME-PROCESS here)"},
    {0},
};

static void finish(struct argp_state *state, void *target)
{
    struct options *options = target;
    struct host_setting *setting = &options->setting;
    const char *reason = "";

    if (!setting->profile)
        setting->profile = profile_find(setting->protocol->name);
    if (setting->profile->ice != profile_find(setting->protocol->name)->ice)
        argp_error(state, "--profile: %s is not played by %s", setting->profile->name,
                   setting->protocol->name);
    setting->engine = throw_engine_find(options->engine, &reason);
    if (!setting->engine)
        argp_error(state, "--engine: %s", reason);
    setting->noise = noise_default(setting->profile->ice, ICE_NOISE_NORMAL_DIST);
    setting->noise.stddev_speed_mps = options->stddev_speed;
    setting->noise.stddev_angle_rad = options->stddev_angle;
    setting->noise.max_speed_mps = options->max_speed;
    if (options->seed < 0)
        (void)!getrandom(&options->seed, sizeof options->seed, 0);
    options->seed &= INT64_MAX;
    setting->seed = (uint64_t)options->seed;
}

static void opened(const struct host_game *hosted)
{
    if (hosted->setting->protocol == &protocol_dc4)
        printf("{\"listening\":{\"http\":%d},\"match\":\"%s\"}\n", hosted->ports[0],
               hosted->log.id);
    else
        printf("{\"listening\":{\"team0\":%d,\"team1\":%d}}\n", hosted->ports[0], hosted->ports[1]);
    fflush(stdout);
}

/* Hosts, and keeps and prints the result. */
static int host(const char *command, const struct host_setting *setting)
{
    char why[HOST_WHY_MAX];
    struct host_ending ending = {.end = SESSION_FAILED};

    if (!host_lock(setting->folder, why)) {
        command_complain(command, why);
        return EXIT_TROUBLE;
    }
    throw_warm_up(setting->profile->ice);
    json_t *result = host_run(setting, opened, &ending);
    if (result)
        json_dumpf(result, stdout, JSON_COMPACT | JSON_REAL_PRECISION(6));
    putchar('\n');
    if (ending.end != SESSION_OVER && result)
        command_complain(command, json_string_value(json_object_get(result, "why")));
    if (!host_write(setting->folder, HOST_RESULT_FILE, result, true)) {
        command_complain(command, strerror(errno));
        return EXIT_TROUBLE;
    }
    return session_status(ending.end);
}

int command_host(int argc, char **argv)
{
    char folder[64], when[32];
    time_t now = time(NULL);
    struct tm parts;
    struct options options = {.setting = {.listen = "127.0.0.1",
                                          .extra_ends = RULES_ENDS_MAX,
                                          .protocol = &protocol_dc3,
                                          .cancel = &command_cancel},
                              .engine = "box2d",
                              .seed = -1};
    const struct option_parser parser = {
        .about = "Host a game of Digital Curling 3 or 4 between two clients, or players of ours.",
        .tables = {{rows, &options, finish, job_kind_find("host")->fields}}};

    if (!options_parse(&parser, argc, argv))
        return EXIT_TROUBLE;
    strftime(when, sizeof when, "%Y%m%dT%H%M%S", localtime_r(&now, &parts));
    snprintf(folder, sizeof folder, "host-%s-%d", when, (int)getpid());
    const bool is_named = options.setting.folder != NULL;
    if (!is_named)
        options.setting.folder = folder;
    if (mkdir(options.setting.folder, 0777) != 0 && !(is_named && errno == EEXIST)) {
        fprintf(stderr, "%s: --folder %s: %s\n", argv[0], options.setting.folder, strerror(errno));
        return EXIT_TROUBLE;
    }
    if (!is_named)
        fprintf(stderr, "%s: the logs are in %s\n", argv[0], folder);
    return host(argv[0], &options.setting);
}

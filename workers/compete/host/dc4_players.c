/* Players of ours and programs of others that a match of Digital Curling 4 starts. See dc4.h. */
#include "workers/compete/host/dc4.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

bool dc4_start_players(struct dc4_match *match)
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

void dc4_look_after_players(struct dc4_match *match)
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

void dc4_end_players(struct dc4_match *match)
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

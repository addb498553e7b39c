/* rinkd: starts the parts, and stops them on SIGTERM or SIGINT. */
#include "api/base/clock.h"
#include "api/base/load_json.h"
#include "api/base/output.h"
#include "api/fields/player_spec.h"
#include "service/base/callers.h"
#include "service/base/child.h"
#include "service/base/config.h"
#include "service/base/core.h"
#include "service/base/disk.h"
#include "service/base/events.h"
#include "service/base/log.h"
#include "service/base/metrics.h"
#include "service/health_check.h"
#include "service/http/http.h"
#include "service/http/http_tls.h"
#include "service/jobs/estimates.h"
#include "service/jobs/job_folder.h"
#include "service/jobs/supervisor.h"
#include "service/models/model_files.h"
#include "service/models/players.h"
#include "service/nodes/blob_shares.h"
#include "service/nodes/golden.h"
#include "service/nodes/node_claims.h"
#include "service/placement/slurm.h"
#include "service/routes/routes.h"
#include "service/routes/server.h"
#include "service/routes/webhooks.h"
#include "service/shots/shots.h"
#include "service/start_check.h"
#include "service/store/jobs.h"
#include "service/store/moments.h"
#include "service/store/tasks.h"
#include "service/upkeep/exports.h"
#include "service/upkeep/upkeep.h"
#include "service/webhooks/deliveries.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MS = 20 }; /* between two looks while draining */

/* Shutdown passes through these stages in order. */
enum stage {
    RUNS,
    WORKERS_SAVE,   /* workers save their work and give their jobs back */
    QUERIES_END,    /* running shot queries are answered */
    REQUESTS_END,   /* no request starts any more; tasks of the core finish */
    PROCESSES_STOP, /* the warm processes are no longer needed */
};

/* Everything that lives as long as the daemon. */
struct daemon {
    struct config config;
    struct server server;
    struct store *store;
    struct players *players; /* the server's */
    struct http *http;

    int argc;
    char **argv;
    uv_signal_t terminated, interrupted, hung_up;
    uv_timer_t look, look_at_disk;
    enum stage stage;
    double drain_until_s;
};

/* ---- shutdown ---- */

static void next_stage(struct daemon *daemon, enum stage stage)
{
    assert(stage == daemon->stage + 1);
    daemon->stage = stage;
}

static void on_deliveries_stopped(void *context)
{
    struct daemon *daemon = context;

    assert(daemon->stage == PROCESSES_STOP);
    uv_close((uv_handle_t *)&daemon->terminated, NULL);
    uv_close((uv_handle_t *)&daemon->interrupted, NULL);
    uv_close((uv_handle_t *)&daemon->hung_up, NULL);
    uv_close((uv_handle_t *)&daemon->look, NULL);
    uv_close((uv_handle_t *)&daemon->look_at_disk, NULL);
    node_claims_free(daemon->server.node_claims);
    supervisor_free(daemon->server.supervisor);
    slurm_free(daemon->server.slurm);
    core_stop(daemon->server.base.core);
}

static void on_shots_stopped(void *context)
{
    struct daemon *daemon = context;

    deliveries_stop(daemon->server.deliveries, on_deliveries_stopped, daemon);
}

static void on_workers_drained(void *context)
{
    struct daemon *daemon = context;

    next_stage(daemon, QUERIES_END);
}

/* Enters the next stage when the current one is over. */
static void on_look(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    struct server *server = &daemon->server;
    upkeep_stop(server->upkeep);
    bool idle = shots_waiting(server->shots) + shots_thinking(server->shots) == 0;

    if (daemon->stage == QUERIES_END && (idle || clock_now_s() >= daemon->drain_until_s)) {
        http_close(daemon->http);
        next_stage(daemon, REQUESTS_END);
    }
    if (daemon->stage == REQUESTS_END && core_waiting(server->base.core) == 0 &&
        !estimates_are_busy(server->estimates) && !exports_are_busy(server->exports) &&
        !golden_is_busy(server->golden) && !node_claims_are_busy(server->node_claims) &&
        upkeep_has_stopped(server->upkeep) && slurm_has_stopped(server->slurm)) {
        next_stage(daemon, PROCESSES_STOP);
        uv_timer_stop(&daemon->look);
        shots_stop(server->shots, on_shots_stopped, daemon);
    }
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;
    struct server *server = &daemon->server;
    int64_t patience_ms = daemon->config.drain_ms;

    if (daemon->stage == PROCESSES_STOP)
        return; /* nothing is left to hurry */
    if (daemon->stage > RUNS) {
        log_line(LOG_WARNING, "stopping now", log_whole("signal", number));
        patience_ms = 0;
    } else {
        next_stage(daemon, WORKERS_SAVE);
        atomic_store(&server->draining, true);
        log_line(LOG_INFO, "draining", log_whole("signal", number),
                 log_whole("patience_ms", patience_ms));
    }
    http_drain(daemon->http);
    estimates_stop(server->estimates);
    exports_stop(server->exports);
    golden_stop(server->golden);
    node_claims_stop(server->node_claims);
    slurm_stop(server->slurm);
    daemon->drain_until_s = clock_now_s() + (double)patience_ms * 1e-3;
    if (daemon->stage == WORKERS_SAVE)
        supervisor_drain(server->supervisor, patience_ms, on_workers_drained, daemon);
    uv_timer_start(&daemon->look, on_look, 0, LOOK_MS);
}

/* ---- settings that change ---- */

static void set_up_log(const struct config *config)
{
    log_setup(config->log_format == LOG_JSON, (enum log_level)config->log_level);
}

/* SIGHUP: takes new tokens and settings of the log; after an error everything stays. */
static void on_hung_up(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;
    static struct config fresh;

    (void)number;
    if (!config_read_again(daemon->argc, daemon->argv, &daemon->config, &fresh))
        return;
    callers_reload(daemon->server.base.callers, &fresh);
    http_take_certificate(&fresh);
    supervisor_wake(daemon->server.supervisor); /* a limit may leave more cores */
    set_up_log(&fresh);
    log_line(LOG_INFO, "settings read again", log_whole("tokens", fresh.token_count));
}

/* ---- housekeeping ---- */

static void on_look_at_disk(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;

    disk_look(daemon->server.base.disk);
    callers_look(daemon->server.base.callers, core_now_ms(daemon->server.base.core));
}

/* ---- start ---- */

static bool complain(const char *text)
{
    fprintf(stderr, "rinkd: %s\n", text);
    return false;
}

/* Allows as many open files as possible: every connection is one. */
static void raise_limits(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

static bool check_programs(const struct config *config)
{
    static const char *const names[] = {"rink-search", "rink-simulate", "rink-evaluate"};
    char path[CHILD_PATH_MAX];

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (child_program(config->programs, names[k], path))
            continue;
        fprintf(stderr, "rinkd: there is no program %s in %s; say where with --programs\n",
                names[k], config->programs);
        return false;
    }
    return true;
}

static bool open_store(struct daemon *daemon)
{
    const char *data = daemon->config.data;
    char error[STORE_ERROR_MAX];
    int64_t recovered, tasks, now_ms = clock_wall_ms();
    int moved;

    if (mkdir(data, 0700) != 0 && errno != EEXIST) {
        fprintf(stderr, "rinkd: --data %s: %s\n", data,
                errno == ENOENT ? "its parent folder does not exist" : strerror(errno));
        return false;
    }
    daemon->server.base.disk = disk_open(data);
    if (!daemon->server.base.disk)
        return complain("out of memory");
    if (store_open(data, daemon->config.adopts, &daemon->store, error) != API_OK) {
        if (disk_is_full(daemon->server.base.disk))
            fprintf(stderr, "rinkd: %lld bytes are free on the disk of %s; make room\n",
                    (long long)disk_free_bytes(daemon->server.base.disk), data);
        return complain(error);
    }
    if (store_begin(daemon->store) != API_OK ||
        moments_heal(daemon->store, now_ms, daemon->config.node_lease_ms) != API_OK ||
        job_store_recover(daemon->store, now_ms, &recovered) != API_OK ||
        task_store_recover(daemon->store, now_ms, &tasks) != API_OK ||
        webhooks_widen(daemon->store) != API_OK || store_commit(daemon->store) != API_OK)
        return complain("cannot recover the jobs of the last run");
    estimates_tidy(data);
    if (!job_folders_tidy(data, daemon->store, now_ms, &moved))
        return complain(
            "jobs/ cannot be read, or has a folder of no known job that cannot be moved");
    moved += model_files_tidy(data, daemon->store, now_ms);
    disk_look(daemon->server.base.disk); /* it remembers the database */
    log_line(LOG_INFO, "store open", log_text("folder", data),
             log_whole("schema", store_schema_version(daemon->store)),
             log_whole("recovered", recovered), log_whole("tasks", tasks),
             log_whole("moved", moved));
    return true;
}

/* Refuses a bad default player now instead of at the first query. */
static bool check_default_player(const struct daemon *daemon)
{
    const char *player = daemon->config.player;
    char spec[PLAYER_SPEC_MAX], error[PLAYER_ERROR_MAX];

    if (!*player || players_resolve(daemon->players, daemon->store, player, sizeof spec, spec,
                                    error, sizeof error) == API_OK)
        return true;
    fprintf(stderr, "rinkd: --player %s: %s\n", player, error);
    return false;
}

static void start_handles(struct daemon *daemon)
{
    uv_loop_t *loop = core_loop(daemon->server.base.core);

    uv_signal_init(loop, &daemon->terminated);
    uv_signal_init(loop, &daemon->interrupted);
    uv_signal_init(loop, &daemon->hung_up);
    uv_timer_init(loop, &daemon->look);
    uv_timer_init(loop, &daemon->look_at_disk);
    daemon->terminated.data = daemon->interrupted.data = daemon->hung_up.data = daemon;
    daemon->look.data = daemon->look_at_disk.data = daemon;
    uv_signal_start(&daemon->terminated, on_signal, SIGTERM);
    uv_signal_start(&daemon->interrupted, on_signal, SIGINT);
    uv_signal_start(&daemon->hung_up, on_hung_up, SIGHUP);
    uv_timer_start(&daemon->look_at_disk, on_look_at_disk, DISK_LOOK_MS, DISK_LOOK_MS);
}

/* Starts everything up to the loop. After a failure the process ends, so nothing is closed; no
 * request has been accepted yet. */
static bool start(struct daemon *daemon)
{
    struct server *server = &daemon->server;
    char error[STORE_ERROR_MAX], listen[CONFIG_LISTEN_MAX];
    int port;

    server->base.config = &daemon->config;
    server->base.callers = callers_open(&daemon->config);
    server->base.metrics = metrics_open();
    server->base.events = events_open(clock_wall_ms());
    if (!server->base.callers || !server->base.metrics || !server->base.events)
        return complain("out of memory");
    if (!check_programs(&daemon->config) || !open_store(daemon))
        return false;
    if (players_load(&daemon->config, &daemon->players, error) != API_OK)
        return complain(error);
    server->players = daemon->players;
    if (!check_default_player(daemon))
        return false;
    if (core_open(daemon->store, server->base.metrics, &server->base.core) != API_OK)
        return complain("the core thread cannot be set up");
    core_watch(server->base.core, server->base.disk);
    start_handles(daemon);
    bool has_weights = players_have_weights(&daemon->config, error);
    if (!has_weights)
        log_line(LOG_ERROR, "weights missing", log_text("why", error));
    if (supervisor_start(&server->base, &server->supervisor) != API_OK ||
        shots_start(&server->base, &server->shots) != API_OK ||
        estimates_start(&server->base, &server->estimates) != API_OK ||
        exports_start(&server->base, &server->exports) != API_OK ||
        deliveries_start(&server->base, &server->deliveries) != API_OK)
        return complain("the worker processes cannot be started");
    server->golden = golden_new(&server->base);
    server->shares = blob_shares_new();
    if (server->shares)
        server->node_claims = node_claims_start(&server->base, server->supervisor, server->shares);
    if (!server->golden || !server->node_claims ||
        slurm_start(&server->base, SLURM_LOOK_MS, &server->slurm) != API_OK)
        return complain("out of memory");
    if (upkeep_start(&server->base, &upkeep_times, &server->upkeep) != API_OK)
        return complain("the thread for backups and retention cannot be started");
    shots_note_weights(server->shots, has_weights);
    if (http_start(&server->base, routes, server, &daemon->http, &port, error) != API_OK)
        return complain(error);
    config_listen_text(daemon->config.address, port, listen);
    printf("listening on %s://%s\n", daemon->config.tls_certificate[0] ? "https" : "http", listen);
    fflush(stdout);
    if (daemon->config.token_count == 0)
        log_line(LOG_INFO, "no tokens",
                 log_text("why", "everybody on this machine may do everything"));
    return true;
}

/* --check-config: finds what start() would refuse, without changing anything. */
static bool check(struct daemon *daemon)
{
    char error[STORE_ERROR_MAX];

    if (!check_programs(&daemon->config) || !start_check(&daemon->config))
        return false;
    if (store_check(daemon->config.data, daemon->config.adopts, &daemon->store, error) != API_OK ||
        players_load(&daemon->config, &daemon->players, error) != API_OK)
        return complain(error);
    bool is_good = !daemon->store || check_default_player(daemon);
    if (is_good && !players_have_weights(&daemon->config, error))
        is_good = complain(error);
    store_close(daemon->store);
    players_free(daemon->players);
    if (is_good && daemon->config.tls_certificate[0])
        is_good = tls_check(daemon->config.tls_certificate, daemon->config.tls_key, error) ||
                  complain(error);
    if (is_good)
        config_print(&daemon->config);
    return is_good;
}

int main(int argc, char **argv)
{
    static struct daemon daemon;

    umask(077); /* what is kept has secrets of callers */
    output_check_at_exit();
    load_json_begin();
    signal(SIGHUP, SIG_IGN); /* until there is something to read again */
    daemon.argc = argc;
    daemon.argv = argv;
    switch (config_read(argc, argv, &daemon.config)) {
    case CONFIG_DONE:
        return 0;
    case CONFIG_FAILED:
        return 1;
    case CONFIG_CHECK:
        set_up_log(&daemon.config);
        config_log_unknown();
        return check(&daemon) ? 0 : 1;
    case CONFIG_HEALTH_CHECK:
        return health_check(&daemon.config) ? 0 : 1;
    case CONFIG_RUN:
        break;
    }
    set_up_log(&daemon.config);
    config_log_unknown();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* with "ulimit -f" the write then fails, as on a full disk */
    raise_limits();
    if (!start(&daemon))
        return 1;

    core_run(daemon.server.base.core);

    http_stop(daemon.http);
    upkeep_free(daemon.server.upkeep);
    core_close(daemon.server.base.core);
    estimates_free(daemon.server.estimates);
    exports_free(daemon.server.exports);
    golden_free(daemon.server.golden);
    store_close(daemon.store);
    players_free(daemon.players);
    disk_close(daemon.server.base.disk);
    events_close(daemon.server.base.events);
    metrics_close(daemon.server.base.metrics);
    blob_shares_free(daemon.server.shares);
    callers_close(daemon.server.base.callers);
    log_line(LOG_INFO, "stopped", log_text("folder", daemon.config.data));
    return 0;
}

/* A node that forges: it says every line that the protocol has, made from its description in
 * api/jobs/wire.h, of runs, tasks, files and blobs that are its own and that are not. What is not
 * its own never changes, and a line that is refused changes nothing at all.
 *
 *   test_forge [--lines N] [--seed N]
 *
 * By hand with --lines 10000. */
#include "tests/api/contract.h"
#include "tests/cluster/hand.h"
#include "tests/cluster/world.h"
#include "tests/patience.h"

#include <ctype.h>
#include <setjmp.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    int lines;
    uint64_t seed;
} options = {150, 1};

static uint64_t dice_state;

static uint32_t dice(uint32_t sides)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(dice_state >> 33) % sides;
}

/* ---- the scene ---- */

enum { TEXT_MOST = 256, POOL_MOST = 40, OWNERS_MOST = 8 };

/* Texts to choose from; the first `own` of them are the forger's. */
struct pool {
    char text[POOL_MOST][TEXT_MOST];
    int count, own;
};

/* What a forger has in its hands, and what others have. */
struct scene {
    struct hand_task mine, of_other; /* the other node does its task */
    int heard;                       /* lines of mine */
    struct pool runs, files, hashes;
    char owner[OWNERS_MOST][TEXT_MOST]; /* texts of what may change, in lines of the world */
    int owners;
};

static void put_in(struct pool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put_in(struct pool *pool, const char *format, ...)
{
    va_list arguments;

    assert_true(pool->count < POOL_MOST);
    va_start(arguments, format);
    vsnprintf(pool->text[pool->count++], TEXT_MOST, format, arguments);
    va_end(arguments);
}

static void own(struct scene *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void own(struct scene *scene, const char *format, ...)
{
    va_list arguments;

    assert_true(scene->owners < OWNERS_MOST);
    va_start(arguments, format);
    vsnprintf(scene->owner[scene->owners++], TEXT_MOST, format, arguments);
    va_end(arguments);
}

/* A safetensors file of one number. */
static size_t make_weights(float weight, char ret_bytes[256])
{
    static const char header[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    const uint64_t length = sizeof header - 1;

    memcpy(ret_bytes, &length, sizeof length);
    memcpy(ret_bytes + 8, header, sizeof header - 1);
    memcpy(ret_bytes + 8 + sizeof header - 1, &weight, sizeof weight);
    return 8 + sizeof header - 1 + sizeof weight;
}

static void upload(const char *bytes, size_t size, char ret_sha256[CLUSTER_HASH])
{
    cluster_hash(bytes, size, ret_sha256);
    struct reply reply = hand_put(ret_sha256, NULL, bytes, size);
    assert_int_equal(reply.status, 201);
    reply_free(&reply);
}

static void say_well(const struct hand_task *task, int from, int count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void say_well(const struct hand_task *task, int from, int count, const char *format, ...)
{
    char lines[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(lines, sizeof lines, format, arguments);
    va_end(arguments);
    hand_assert_acknowledged(hand_say(task, from, lines), from + count - 1, NULL);
}

static const char *run_of(const struct hand_task *task)
{
    const json_t *spec = json_object_get(json_object_get(task->line, "task"), "spec");

    return json_string_value(json_object_get(spec, "run"));
}

/* Does the task of a run as a worker does it, but for its last word. */
static void report_run(const struct hand_task *task, float weight)
{
    char checkpoint[CLUSTER_HASH], model[CLUSTER_HASH], bytes[256];
    const char *run = run_of(task);

    snprintf(bytes, sizeof bytes, "checkpoint of %s", run);
    upload(bytes, strlen(bytes), checkpoint);
    const size_t size = make_weights(weight, bytes);
    upload(bytes, size, model);
    say_well(
        task, 1, 3,
        "{\"type\":\"metrics\",\"rows\":[{\"run\":\"%s\",\"name\":\"loss\",\"step\":1,"
        "\"value\":0.5}]},"
        "{\"type\":\"checkpoint\",\"run\":\"%s\",\"path\":\"%s-1.checkpoint\",\"sha256\":"
        "\"%s\",\"step\":1},"
        "{\"type\":\"model\",\"run\":\"%s\",\"name\":\"average\",\"path\":\"%s-1.safetensors\","
        "\"sha256\":\"%s\",\"step\":1}",
        run, run, run, checkpoint, run, run, model);
}

#define OUTPUT "{\"type\":\"output\",\"path\":\"task-%lld.out\",\"sha256\":\"%s\"}"
#define DONE   "{\"type\":\"done\",\"result\":{\"pair\":1}}"

/* Does the task of a match, but for its last word. */
static void report_pair(const struct hand_task *task)
{
    char sha256[CLUSTER_HASH];

    upload(task->record, CLUSTER_RECORD, sha256);
    say_well(task, 1, 1, OUTPUT, (long long)task->number, sha256);
}

static int64_t add_training(void)
{
    struct reply reply = client_ask(
        daemon_here.port,
        &(struct client_call){
            .method = "POST",
            .path = "/v1/jobs",
            .body = "{\"kind\":\"train\",\"spec\":{\"seeds\":[6,7],\"iterations\":100}}"},
        202);
    int64_t id = client_whole(reply.json, "id");

    reply_free(&reply);
    return id;
}

/* What no forger has. */
static void put_strange_names(struct scene *scene)
{
    static const char *const names[] = {
        "records.jsonl", "result.json",      "host.lock", ".",          "..",    "",
        "../rinkd.db",   "../../rinkd.db",   "task-0.x",  "/etc/group", "task-", "a\\u0000b",
        "%2e%2e%2fx",    "rinkd.db-journal", ".hidden",   "C:\\\\x"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        put_in(&scene->files, "%s", names[k]);
    put_in(&scene->files, "task-%lld", (long long)scene->mine.number);
    put_in(&scene->files, "task-%lld./../../../rinkd.db", (long long)scene->mine.number);
    put_in(&scene->files, "x/task-%lld.out", (long long)scene->mine.number);
    put_in(&scene->files, "task-%lld.%s.out", (long long)scene->of_other.number,
           scene->of_other.token);
    put_in(&scene->hashes, "%064d", 0);
    put_in(&scene->hashes, "../rinkd.db");
    put_in(&scene->hashes, "ABCDEF");
}

static void put_files(struct scene *scene, const struct hand_task *task)
{
    static const char *const ends[] = {"out", "records", "state", "x.y.z"};

    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        put_in(&scene->files, "task-%lld.%s", (long long)task->number, ends[k]);
    if (run_of(task)) {
        put_in(&scene->files, "%s-1.checkpoint", run_of(task));
        put_in(&scene->files, "%s-1.safetensors", run_of(task));
    }
}

/* Fills in what lines may name: first what is mine, then what is not. */
static void fill_pools(struct scene *scene, const char *foreign_run)
{
    const char *mine = run_of(scene->mine.line ? &scene->mine : NULL);
    char bytes[256], sha256[CLUSTER_HASH];

    if (mine)
        put_in(&scene->runs, "%s", mine);
    scene->runs.own = scene->runs.count;
    put_in(&scene->runs, "%s", foreign_run);
    put_in(&scene->runs, "task-%lld", (long long)scene->of_other.number);
    put_in(&scene->runs, "task-%lld.out", (long long)scene->mine.number);
    put_in(&scene->runs, "..");
    put_in(&scene->runs, "%%");
    put_files(scene, &scene->mine);
    scene->files.own = scene->files.count;
    put_in(&scene->files, "%s-1.checkpoint", foreign_run);
    put_in(&scene->files, "%.31s-1.checkpoint", mine ? mine : foreign_run);
    if (scene->of_other.number != scene->mine.number)
        put_files(scene, &scene->of_other);
    upload("forged", 6, sha256);
    put_in(&scene->hashes, "%s", sha256);
    upload(bytes, make_weights(666.0f, bytes), sha256);
    put_in(&scene->hashes, "%s", sha256);
    own(scene, "models/%s", sha256);
    scene->hashes.own = scene->hashes.count;
    put_in(&scene->hashes, "%s", scene->of_other.sha256);
    put_strange_names(scene);

    const long long job = (long long)scene->mine.job, number = (long long)scene->mine.number;
    own(scene, "file jobs/%lld/task-%lld.", job, number);
    own(scene, "row task|job=%lld|number=%lld|", job, number);
    own(scene, "row task_try|job=%lld|number=%lld|", job, number);
    if (mine)
        own(scene, "%s", mine);
}

/* ---- lines from the description ---- */

struct maker {
    const struct scene *scene;
    FILE *to;
    bool is_modest; /* a line as it should be, but for … */
    int greedy_at;  /* … this choice, counted from 0; -1: none */
    int choices;
    bool all_own; /* nothing in the line is somebody else's */
};

static void write_text(struct maker *maker, const char *text)
{
    fprintf(maker->to, "\"%s\"", text);
}

static void choose(struct maker *maker, const struct pool *pool)
{
    const bool is_greedy = maker->choices++ == maker->greedy_at;
    const int from = is_greedy ? pool->own : 0;
    const int end = maker->is_modest && !is_greedy && pool->own > 0 ? pool->own : pool->count;
    const int at = from + (int)dice((uint32_t)(end - from));

    maker->all_own = maker->all_own && at < pool->own;
    write_text(maker, pool->text[at]);
}

static void choose_number(struct maker *maker)
{
    static const char *const numbers[] = {
        "0",   "1",   "2", "3", "-1", "1e3", "9223372036854775807", "18446744073709551616",
        "0.5", "null"};

    fputs(numbers[dice(maker->is_modest ? 4 : sizeof numbers / sizeof *numbers)], maker->to);
}

static void choose_word(struct maker *maker)
{
    static const char *const words[] = {"average", "response", "loss", "no-file", "x", ""};

    write_text(maker, words[dice(maker->is_modest ? 3 : sizeof words / sizeof *words)]);
}

/* The value of a placeholder of the description. */
static void make_value(struct maker *maker, const char *key, const char *word)
{
    if (strcmp(word, "ID") == 0)
        choose(maker, &maker->scene->runs);
    else if (strcmp(word, "HEX") == 0)
        choose(maker, &maker->scene->hashes);
    else if (strcmp(word, "NAME") == 0 && strcmp(key, "path") == 0)
        choose(maker, &maker->scene->files);
    else if (strcmp(word, "BOOL") == 0)
        fputs(dice(2) ? "true" : "false", maker->to);
    else if (strcmp(word, "N") == 0 || strcmp(word, "V") == 0 || strcmp(word, "S") == 0 ||
             isdigit((unsigned char)*word))
        choose_number(maker);
    else
        choose_word(maker);
}

static void make(struct maker *maker, const char *key, const char **at);

static void skip_spaces(const char **at)
{
    *at += strspn(*at, " \n*");
}

/* Goes over a value of the description without writing it. */
static void skip_value(const char **at)
{
    char *nothing = NULL;
    size_t size = 0;
    struct scene empty = {.runs.count = 1, .files.count = 1, .hashes.count = 1};
    struct maker maker = {&empty, open_memstream(&nothing, &size), true, -1, 0, true};
    const uint64_t before = dice_state;

    assert_non_null(maker.to);
    make(&maker, "", at);
    fclose(maker.to);
    free(nothing);
    dice_state = before;
}

static void make_object(struct maker *maker, const char **at)
{
    bool is_first = true;
    char key[32];
    int length;

    fputc('{', maker->to);
    if (strncmp(*at, "…", 3) == 0)
        *at += 3; /* any members */
    while (**at != '}') {
        assert_int_equal(sscanf(*at, " \"%31[^\"]\":%n", key, &length), 1);
        *at += length;
        skip_spaces(at);
        /* Those with "?" may be missing, and now and then others are, too. */
        const char *value = *at;
        skip_value(at);
        const bool may_miss = **at == '?';
        *at += may_miss;
        if (!(may_miss ? dice(2) == 0 : !maker->is_modest && dice(20) == 0)) {
            fprintf(maker->to, "%s\"%s\":", is_first ? "" : ",", key);
            make(maker, key, &value);
            is_first = false;
        }
        skip_spaces(at);
        *at += **at == ',';
        skip_spaces(at);
    }
    (*at)++;
    if (!maker->is_modest && dice(30) == 0)
        fprintf(maker->to, "%s\"more\":1", is_first ? "" : ",");
    fputc('}', maker->to);
}

static void make_list(struct maker *maker, const char **at)
{
    const char *element = *at;
    const uint32_t count = 1 + dice(2);

    fputc('[', maker->to);
    for (uint32_t k = 0; k < count; k++) {
        const char *again = element;
        fputs(k ? "," : "", maker->to);
        make(maker, "", &again);
    }
    skip_value(at);
    *at += strcspn(*at, "]") + 1; /* ",…" */
    fputc(']', maker->to);
}

/* Writes a value as the description at *at says it, and moves on. */
static void make(struct maker *maker, const char *key, const char **at)
{
    char word[32];

    if (**at == '{') {
        (*at)++;
        make_object(maker, at);
    } else if (**at == '[') {
        (*at)++;
        make_list(maker, at);
    } else if (**at == '"') {
        const size_t length = 2 + strcspn(*at + 1, "\"");
        fprintf(maker->to, "%.*s", (int)length, *at);
        *at += length;
    } else {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(*at, "?|,}] "), *at);
        *at += strcspn(*at, "?,}] ");
        make_value(maker, key, word);
    }
    if (strncmp(*at, "|null", 5) == 0)
        *at += 5;
}

enum { TYPES_MOST = 32 };
static struct {
    const char *at; /* in `text` */
    char name[24];
} types[TYPES_MOST];
static int type_count;
static char *description;

/* Finds the messages of both directions in the head of wire.h. */
static void read_description(void)
{
    FILE *file = fopen(WIRE_H, "re");
    size_t room = 0;

    assert_non_null(file);
    assert_true(getdelim(&description, &room, 0, file) > 0);
    fclose(file);
    const char *end = strstr(description, "#ifndef");
    assert_non_null(end);
    for (const char *at = description; (at = strstr(at, "{\"type\":\"")) != NULL && at < end;
         at++) {
        assert_true(type_count < TYPES_MOST);
        types[type_count].at = at;
        sscanf(at, "{\"type\":\"%23[^\"]", types[type_count].name);
        type_count++;
    }
    /* job, task ×4, hands, cancel, drain; hello and all that workers say */
    assert_int_equal(type_count, 22);
}

/* What the worker of a task says before its last word. */
static bool is_of_files(const char *type)
{
    return strcmp(type, "metrics") == 0 || strcmp(type, "checkpoint") == 0 ||
           strcmp(type, "model") == 0 || strcmp(type, "output") == 0;
}

/* Line number `index`, malloc'ed: first one of each type, then any. */
static char *make_line(const struct scene *scene, int index, const char **ret_type,
                       bool *ret_all_own)
{
    int type = index < type_count ? index : (int)dice((uint32_t)type_count);
    while (index >= type_count && dice(4) > 0 && !is_of_files(types[type].name))
        type = (int)dice((uint32_t)type_count);
    const char *at = types[type].at;
    char *line = NULL;
    size_t size = 0;
    const uint32_t mood = dice(5);
    struct maker maker = {scene, open_memstream(&line, &size), mood < 4, -1, 0, true};

    if (mood > 0 && mood < 4)
        maker.greedy_at = (int)dice(2);

    assert_non_null(maker.to);
    make(&maker, "", &at);
    fclose(maker.to);
    *ret_type = types[type].name;
    *ret_all_own = maker.all_own;
    return line;
}

/* ---- forging ---- */

static bool ends_it(const char *type)
{
    return strcmp(type, "done") == 0 || strcmp(type, "failed") == 0 ||
           strcmp(type, "released") == 0;
}

/* Whose task the line is told to be of: mostly mine, else one of others, or of nobody. */
static struct hand_task choose_holder(const struct scene *scene, bool is_last_word)
{
    struct hand_task holder = scene->mine;

    if (!is_last_word && dice(8) > 0)
        return holder;
    switch (dice(4)) {
    case 0:
        holder.number = scene->of_other.number + (scene->of_other.number == holder.number);
        break;
    case 1:
        holder.job += dice(2) ? 1 : -holder.job + 1 + (holder.job == 1);
        break;
    case 2:
        memset(holder.token, '0', 32);
        break;
    default:
        holder.number = scene->of_other.number;
        holder.job = scene->of_other.job;
    }
    return holder;
}

/* Compares with the world before, which is then that of now. */
static void assert_same(struct world **world, const char *const *except, const char *what,
                        const char *line, const char *answer)
{
    struct world *after = world_take(&daemon_here);
    struct world_difference difference;

    if (world_differs(*world, after, except, &difference))
        fail_msg("%s: %s\n  was answered: %s\n  before: %s\n  after: %s", what, line, answer,
                 difference.before, difference.after);
    world_free(*world);
    *world = after;
}

/* Says one forged line. Returns whether it was taken. */
static bool forge(struct scene *scene, int index, struct world **world)
{
    static const char *const nothing[] = {NULL};
    const char *mine[OWNERS_MOST + 1] = {NULL}, *type;
    bool all_own;
    char *line = make_line(scene, index, &type, &all_own);
    const struct hand_task holder = choose_holder(scene, ends_it(type));
    const bool is_mine = strcmp(holder.token, scene->mine.token) == 0 &&
                         holder.job == scene->mine.job && holder.number == scene->mine.number;
    struct reply reply = hand_say(&holder, scene->heard + 1, line);
    const json_t *told = json_array_get(json_object_get(reply.json, "tasks"), 0);
    const bool is_taken = reply.status == 200 && is_mine &&
                          json_integer_value(json_object_get(told, "acknowledged")) > scene->heard;

    for (int k = 0; k < scene->owners; k++)
        mine[k] = scene->owner[k];
    if (is_taken) {
        if (!all_own && strcmp(type, "output") != 0)
            fail_msg("what is not its own was taken: %s", line);
        scene->heard++;
        assert_same(world, mine, "something of others has changed", line, reply.text);
    } else {
        assert_same(world, nothing, "a refused line has changed something", line, reply.text);
    }
    reply_free(&reply);
    free(line);
    return is_taken;
}

static void forge_all(struct scene *scene, const char *what)
{
    struct world *world = world_take(&daemon_here);
    int taken = 0;

    for (int k = 0; k < options.lines; k++)
        taken += forge(scene, k, &world);
    world_free(world);
    assert_true(options.lines >= type_count);
    printf("forge: %d lines of %s, %d of them its own and taken, nothing of others changed\n",
           options.lines, what, taken);
}

static int start(void **state)
{
    static const char *const flags[] = {"--workers", "0", "--check-percent", "0", "--node-lease-ms",
                                        "3600000",   NULL};

    *state = &daemon_here;
    cluster_prepare(&daemon_here);
    cluster_start_daemon(&daemon_here, flags);
    dice_state = options.seed;
    return 0;
}

static int end(void **state)
{
    (void)state;
    return daemon_end_well(&daemon_here) ? 0 : -1;
}

static void wait_merged(int64_t job, const char *words)
{
    char path[64];

    snprintf(path, sizeof path, "/v1/jobs/%lld/tasks", (long long)job);
    for (double end_s = 0;; cluster_sleep_ms(20)) {
        struct reply reply = client_get(daemon_here.port, path);
        const bool is_there = strstr(reply.text, words) != NULL;
        reply_free(&reply);
        if (is_there)
            return;
        assert_true(patience_left(&end_s));
    }
}

/* The other run has ended; its curve, checkpoint and model are there. */
static void a_run_is_safe_from_the_node_of_another(void **state)
{
    char other[HAND_SESSION], mine[HAND_SESSION];
    struct scene scene = {.heard = 0};

    (void)state;
    add_training();
    hand_register("first", "[\"train\"]", other);
    scene.of_other = hand_claim("first", other);
    report_run(&scene.of_other, 1.0f);
    say_well(&scene.of_other, 4, 1, "{\"type\":\"done\",\"result\":{\"runs\":[{\"seed\":6}]}}");
    hand_register("forger", "[\"train\"]", mine);
    scene.mine = hand_claim("forger", mine);
    fill_pools(&scene, run_of(&scene.of_other));
    forge_all(&scene, "a training");
    hand_assert_acknowledged(hand_say(&scene.mine, scene.heard + 1,
                                      "{\"type\":\"done\",\"result\":{\"runs\":[{\"seed\":7}]}}"),
                             scene.heard + 1, NULL);
    cluster_wait_state(&daemon_here, scene.mine.job, "done");
    json_decref(scene.of_other.line);
    json_decref(scene.mine.line);
}

/* Records are merged, another output waits for its last word. */
static void a_match_is_safe_from_the_node_of_a_task(void **state)
{
    char other[HAND_SESSION], mine[HAND_SESSION];
    struct scene scene = {.heard = 0};

    (void)state;
    int64_t job = cluster_add(&daemon_here, 3, 7);
    hand_register("peer", "[\"match\"]", other);
    struct hand_task merged = hand_claim("peer", other);
    report_pair(&merged);
    say_well(&merged, 2, 1, DONE);
    wait_merged(job, "\"merged\":true");
    hand_register("other", "[\"match\"]", other);
    scene.of_other = hand_claim("other", other);
    report_pair(&scene.of_other);
    hand_register("forger", "[\"match\"]", mine);
    scene.mine = hand_claim("forger", mine);
    fill_pools(&scene, "0123456789abcdef0123456789abcdef");
    forge_all(&scene, "a match");

    say_well(&scene.of_other, 2, 1, DONE);
    json_decref(merged.line);
    json_decref(scene.of_other.line);
    json_decref(scene.mine.line);
}

/* ---- nodes that forge with sound lines ---- */

/* The run has the points and the weights that a stand-in finds for its seed. */
static void assert_run_is_sound(const char *run, int seed)
{
    char path[96], bytes[256], sha256[CLUSTER_HASH];

    snprintf(path, sizeof path, "/v1/runs/%s", run);
    struct reply reply = client_get(daemon_here.port, path);
    const json_t *values = json_object_get(reply.json, "last_values"),
                 *policy = json_array_get(json_object_get(reply.json, "policies"), 0);
    assert_int_equal(client_whole(reply.json, "seed"), seed);
    assert_true(json_number_value(json_object_get(values, "loss")) == 2.0 * seed);
    cluster_hash(bytes, make_weights((float)seed, bytes), sha256);
    assert_string_equal(json_string_value(json_object_get(policy, "sha256")), sha256);
    assert_int_equal(client_whole(reply.json, "checkpoints"), 2);
    reply_free(&reply);
}

static void assert_training_is_sound(int64_t id)
{
    cluster_wait_state(&daemon_here, id, "done");
    json_t *job = cluster_job(&daemon_here, id);
    const json_t *runs = json_object_get(job, "runs");

    assert_int_equal(json_array_size(runs), 2);
    for (int k = 0; k < 2; k++)
        assert_run_is_sound(json_string_value(json_array_get(runs, (size_t)k)), 6 + k);
    json_decref(job);
}

static void wait_until_said(const struct cluster_node *node, const char *words)
{
    for (double end_s = 0; !cluster_node_says(node, words); cluster_sleep_ms(20))
        assert_true(patience_left(&end_s));
}

/* Both runs are in the hands of the thief, who says of the second what it finds for the first. */
static void a_training_with_a_thief_ends_as_with_an_honest_node(void **state)
{
    static const char *const flags[] = {"--workers", "0", "--check-percent", "0", "--node-lease-ms",
                                        "2000",      NULL};
    struct cluster_node thief, honest;
    char programs[128];

    (void)state;
    cluster_prepare(&daemon_here);
    cluster_programs(&daemon_here, "thief", programs);
    cluster_start_daemon(&daemon_here, flags);
    const struct cluster_settings stolen = {.port = daemon_here.port, .programs = programs},
                                  plain = {.port = daemon_here.port};
    cluster_start_node(&daemon_here, "thief", &stolen, &thief);
    const int64_t job = add_training();
    wait_until_said(&thief, "lines are refused");
    cluster_end_node(&thief, SIGKILL);
    cluster_start_node(&daemon_here, "honest", &plain, &honest);
    assert_training_is_sound(job);
    cluster_end_node(&honest, SIGTERM);
    assert_true(daemon_end_well(&daemon_here));
}

/* What a node changes of what it has found. */
enum lie { NO_LIE, LIE_POINT, LIE_CHECKPOINT, LIE_MODEL };

/* Says of the run of seed 6 what a stand-in says, but for the lie. */
static void report_as_stand_in(const struct hand_task *task, enum lie lie)
{
    const char *run = run_of(task);
    char sha256[CLUSTER_HASH], bytes[256];
    int line = 1;

    for (int step = 1; step <= 2; step++, line += 2) {
        snprintf(bytes, sizeof bytes, "{\"seed\":6,\"step\":%d,\"cpu_s\":%d.5}\n\x80 %s", step,
                 step, lie == LIE_CHECKPOINT ? "other" : "weights");
        upload(bytes, strlen(bytes), sha256);
        say_well(task, line, 2,
                 "{\"type\":\"metrics\",\"rows\":[{\"run\":\"%s\",\"name\":\"loss\",\"step\":%d,"
                 "\"value\":%d.%d},{\"run\":\"%s\",\"name\":\"cpu_s\",\"step\":%d,\"value\":7.5}]},"
                 "{\"type\":\"checkpoint\",\"run\":\"%s\",\"path\":\"%s-%d.checkpoint\","
                 "\"sha256\":\"%s\",\"step\":%d}",
                 run, step, 6 * step, lie == LIE_POINT ? 5 : 0, run, step, run, run, step, sha256,
                 step);
    }
    upload(bytes, make_weights(lie == LIE_MODEL ? 5.0f : 6.0f, bytes), sha256);
    say_well(task, line, 2,
             "{\"type\":\"model\",\"run\":\"%s\",\"name\":\"average\",\"path\":"
             "\"%s-2.safetensors\",\"sha256\":\"%s\",\"step\":2},"
             "{\"type\":\"done\",\"result\":{\"runs\":[{\"run\":\"%s\",\"seed\":6}]}}",
             run, run, sha256, run);
}

static void wait_in_world(const char *table, const char *words)
{
    for (double end_s = 0;; cluster_sleep_ms(100)) {
        struct world *world = world_take(&daemon_here);
        bool found = false;
        for (size_t k = 0; k < world->count; k++)
            found = found || (strstr(world->line[k], table) && strstr(world->line[k], words));
        world_free(world);
        if (found)
            return;
        assert_true(patience_left(&end_s));
    }
}

/* Its result is as it should be. A second node finds what is not, and the run is done again. */
static void find(enum lie lie)
{
    static const char *const flags[] = {"--workers", "0", "--check-percent", "100", NULL};
    char liar[HAND_SESSION], holder[HAND_SESSION];
    struct cluster_node honest;

    cluster_prepare(&daemon_here);
    cluster_start_daemon(&daemon_here, flags);
    const struct cluster_settings plain = {.port = daemon_here.port};
    const int64_t job = add_training();
    hand_register("liar", "[\"train\"]", liar);
    struct hand_task mine = hand_claim("liar", liar);
    hand_register("holder", "[\"train\"]", holder);
    struct hand_task held = hand_claim("holder", holder); /* the job does not end before that */
    report_as_stand_in(&mine, lie);
    cluster_start_node(&daemon_here, "honest", &plain, &honest);
    if (lie == NO_LIE)
        wait_in_world("row task_check|", "|state=agreed|");
    else
        wait_in_world("row node|name=liar|", "|state=suspended|");
    struct reply reply = hand_post("/v1/nodes/holder/leave", "{\"session\":\"%s\"}", holder);
    assert_int_equal(reply.status, 204);
    reply_free(&reply);
    assert_training_is_sound(job);
    cluster_end_node(&honest, SIGTERM);
    json_decref(mine.line);
    json_decref(held.line);
    assert_true(daemon_end_well(&daemon_here));
}

static void an_honest_run_is_confirmed_whatever_its_times(void **state)
{
    (void)state;
    find(NO_LIE);
}

static void a_forged_point_is_found(void **state)
{
    (void)state;
    find(LIE_POINT);
}

static void a_forged_checkpoint_is_found(void **state)
{
    (void)state;
    find(LIE_CHECKPOINT);
}

static void a_forged_model_is_found(void **state)
{
    (void)state;
    find(LIE_MODEL);
}

static void read_options(int argc, char **argv)
{
    for (int k = 1; k + 1 < argc; k += 2)
        if (strcmp(argv[k], "--lines") == 0)
            options.lines = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--seed") == 0)
            options.seed = strtoull(argv[k + 1], NULL, 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_safe_from_the_node_of_another, start, end),
        cmocka_unit_test_setup_teardown(a_match_is_safe_from_the_node_of_a_task, start, end),
        cmocka_unit_test(a_training_with_a_thief_ends_as_with_an_honest_node),
        cmocka_unit_test(an_honest_run_is_confirmed_whatever_its_times),
        cmocka_unit_test(a_forged_point_is_found),
        cmocka_unit_test(a_forged_checkpoint_is_found),
        cmocka_unit_test(a_forged_model_is_found),
    };

    read_options(argc, argv);
    if (sodium_init() < 0)
        return 2;
    contract_load(OPENAPI_YAML);
    read_description();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

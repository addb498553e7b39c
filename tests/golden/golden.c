/* Hashes of the results of the fast engine on a large set of made-up scenes, and of the search on
 * some of them: they must not change unnoticed, and must be the same for every compiler,
 * optimisation and number of threads.
 *
 *   golden [--throws N] HASHES    throws, and compares with the lines of the file HASHES
 *   golden [--throws N] --print   prints the lines, to renew HASHES after an intended change
 *
 * A line is: name, number of throws, hash. Each profile has a line at 2000, 20000 and 200000
 * throws; --throws ends there. NAME-rink also changes with the shipped weights. Scenes and shots
 * are made without libm. Noise and search need it, and libm differs in the last bit between
 * machines: there shots are hashed in nm/s and values in units of 1e-9. */
#include "models/base/fnv1a.h"
#include "models/ice/noise.h"
#include "models/ice/quasi.h"
#include "models/tables/profiles.h"
#include "tests/unit/models/ice/scenes.h"
#include "workers/pool.h"
#include "workers/search/player/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1000, NOISE_SHOTS = 20000, LINE_MAX_LENGTH = 128, LINES_MAX = 64 };

static const long checkpoints[] = {2000, 20000, 200000};

static const int thread_counts[] = {1, 2, 3, 8};

struct hash {
    uint64_t value;
};

static const struct hash hash_start = {FNV1A_START};

static void hash_bits(struct hash *hash, uint64_t bits)
{
    unsigned char bytes[8]; /* the same byte order on every machine */
    for (int k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(bits >> 8 * k);
    hash->value = fnv1a(hash->value, bytes, sizeof bytes);
}

static void hash_double(struct hash *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash_bits(hash, bits);
}

static void hash_result(struct hash *hash, const struct throw_result *result)
{
    for (int k = 0; k < POSITION_STONES; k++) {
        hash_double(hash, result->after.stone[k].x);
        hash_double(hash, result->after.stone[k].y);
    }
    hash_bits(hash, (uint64_t)result->after.in_play << 48 | (uint64_t)result->moved << 32 |
                        (uint64_t)result->removed << 16 | (uint64_t)result->hog_foul);
    hash_bits(hash, (uint64_t)result->collisions);
}

/* Hashes in units of 1e-9. */
static void hash_rounded(struct hash *hash, double value)
{
    hash_bits(hash, (uint64_t)(int64_t)floor(value * 1e9 + 0.5));
}

static void hash_shot(struct hash *hash, const struct shot *shot)
{
    hash_rounded(hash, shot->velocity.x);
    hash_rounded(hash, shot->velocity.y);
    hash_double(hash, shot->omega);
}

/* The expected lines; none: print. */
struct lines {
    char line[LINES_MAX][LINE_MAX_LENGTH];
    int count;
    bool print;
    int failures;
};

static void report(struct lines *lines, const char *what, long throws, const struct hash *hash)
{
    char line[LINE_MAX_LENGTH];
    snprintf(line, sizeof line, "%s %ld %016" PRIx64, what, throws, hash->value);
    puts(line);
    if (lines->print)
        return;
    for (int k = 0; k < lines->count; k++)
        if (strcmp(lines->line[k], line) == 0)
            return;
    fprintf(stderr, "golden: that is not in the file\n");
    lines->failures++;
}

static bool read_lines(const char *path, struct lines *ret_lines)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    ret_lines->count = 0;
    while (ret_lines->count < LINES_MAX &&
           fgets(ret_lines->line[ret_lines->count], LINE_MAX_LENGTH, file)) {
        char *line = ret_lines->line[ret_lines->count++];
        line[strcspn(line, "\n")] = '\0';
    }
    fclose(file);
    return true;
}

struct chunk {
    struct throw_request request[CHUNK];
    struct throw_result result[CHUNK];
};

static void throw_one(void *context, size_t index, int thread)
{
    struct chunk *chunk = context;
    (void)thread;
    (void)throw_fast(&chunk->request[index], &chunk->result[index]); /* already tried */
}

/* Throws one profile chunk by chunk, on one thread and on several. */
static void throw_profile(struct lines *lines, const struct ice_profile *ice, long throws)
{
    static struct scene scenes[CHUNK];
    static struct throw_result single[CHUNK];
    static struct chunk chunk;
    struct dice dice = dice_of_seed(ice->law == ICE_DC2              ? 2
                                    : ice->back == ICE_REMOVE_MOVING ? 3
                                                                     : 4);
    struct hash hash = hash_start;

    for (long done = 0; done < throws; done += CHUNK) {
        memset(single, 0, sizeof single);
        for (int k = 0; k < CHUNK; k++) {
            scene_make(&dice, ice, &scenes[k]);
            chunk.request[k] = scenes[k].request;
            enum throw_status status = throw_fast(&chunk.request[k], &single[k]);
            if (status != THROW_OK) {
                fprintf(stderr, "golden: %s throw %ld: %s\n", ice->name, done + k,
                        throw_status_text(status));
                lines->failures++;
            }
            hash_result(&hash, &single[k]);
        }
        for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
            struct pool *pool = pool_new(thread_counts[t]);
            memset(chunk.result, 0, sizeof chunk.result);
            if (pool)
                pool_run(pool, CHUNK, throw_one, &chunk);
            pool_free(pool);
            if (memcmp(chunk.result, single, sizeof single) != 0) {
                fprintf(stderr, "golden: %s: other results with %d threads\n", ice->name,
                        thread_counts[t]);
                lines->failures++;
            }
        }
        for (size_t c = 0; c < sizeof checkpoints / sizeof checkpoints[0]; c++)
            if (done + CHUNK == checkpoints[c])
                report(lines, ice->name, done + CHUNK, &hash);
    }
}

/* Throws shots with each profile's own noise. */
static void throw_with_noise(struct lines *lines, const struct ice_profile *ice)
{
    const struct noise noise = noise_default(ice, ice->noise);
    const struct random_key key = {.seed = 5, .purpose = RANDOM_EXECUTION};
    struct dice dice = dice_of_seed(6);
    struct hash hash = hash_start;

    for (uint32_t k = 0; k < NOISE_SHOTS; k++) {
        struct normal_pair pair = k % 2 ? random_normal_pair(&key, k) : quasi_normal_pair(&key, k);
        struct shot shot = noise_apply(&noise, ice, scene_shot(&dice, ice), pair);
        hash_shot(&hash, &shot);
    }
    char what[32];
    snprintf(what, sizeof what, "%s-noise", ice->name);
    report(lines, what, NOISE_SHOTS, &hash);
}

static void hash_answer(struct hash *hash, const struct player_answer *answer)
{
    hash_shot(hash, &answer->shot);
    hash_bits(hash, (uint64_t)answer->simulations);
    for (int k = 0; k < OBJECTIVE_SCORES; k++)
        hash_rounded(hash, answer->distribution.p[k]);
    hash_rounded(hash, answer->expected_score);
    hash_rounded(hash, answer->win_probability);
    for (int k = 0; k < answer->candidates; k++) {
        const struct player_candidate *c = &answer->candidate[k];
        hash_shot(hash, &c->candidate.shot);
        hash_bits(hash, (uint64_t)c->candidate.kind);
        hash_bits(hash, (uint64_t)c->visits);
        hash_rounded(hash, c->value);
        hash_rounded(hash, c->lower_bound);
        hash_rounded(hash, c->success);
    }
}

/* Runs player "rink" with default settings, early and late in an end. */
static void search(struct lines *lines, const struct profile *profile)
{
    enum { THROWS = 2000 };
    extern const struct player_class player_rink;
    static const int shots[] = {0, 3, 4, 9, 14, 15};
    static const int threads[] = {1, 3};
    struct dice dice = dice_of_seed(7);
    struct hash hash = hash_start;
    const struct ice_profile *ice = profile->ice;
    const struct noise noise = noise_default(ice, ice->noise);
    struct player player = {.class = &player_rink};
    struct game game;

    for (int k = 0; player_rink.settings[k].name; k++)
        player.setting[k] = player_rink.settings[k].initial;
    for (size_t s = 0; s < sizeof shots / sizeof shots[0]; s++) {
        struct hash of_threads[2] = {hash_start, hash_start};
        if (shots[s] >= profile->rules.shots)
            break;
        game_start(&profile->rules, 8, 1, 1, &game);
        game.shot = shots[s];
        game.position = scene_position(&dice, rules_stone_of_shot(&profile->rules, shots[s]), 0.8);
        if (profile->rules.preplaced > 0 && shots[s] == 0)
            game.position = setup_position(SETUP_LEFT, 3);
        for (int t = 0; t < 2; t++) {
            const struct player_query query = {
                .game = &game,
                .ice = ice,
                .noise = &noise,
                .limits = {.simulations = THROWS, .threads = threads[t]},
                .key = {.seed = 8, .shot = (uint32_t)shots[s]},
                .candidates = PLAYER_CANDIDATES_MAX};
            struct player_answer answer = {.candidates = 0};
            if (player_rink.choose(&player, &query, &answer) != PLAYER_OK) {
                fprintf(stderr, "golden: %s: a search failed\n", profile->name);
                lines->failures++;
            }
            hash_answer(&of_threads[t], &answer);
        }
        if (of_threads[0].value != of_threads[1].value) {
            fprintf(stderr, "golden: %s: other answers with %d threads\n", profile->name,
                    threads[1]);
            lines->failures++;
        }
        hash_bits(&hash, of_threads[0].value);
    }
    char what[32];
    snprintf(what, sizeof what, "%s-rink", profile->name);
    report(lines, what, THROWS, &hash);
}

int main(int argc, char **argv)
{
    static struct lines lines;
    long throws = checkpoints[sizeof checkpoints / sizeof checkpoints[0] - 1];
    const char *path = NULL;

    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--print") == 0)
            lines.print = true;
        else if (strcmp(argv[k], "--throws") == 0 && k + 1 < argc)
            throws = strtol(argv[++k], NULL, 10);
        else
            path = argv[k];
    }
    if (throws < checkpoints[0] || lines.print == (path != NULL)) {
        fprintf(stderr, "usage: golden [--throws N] HASHES | --print     (N >= %ld)\n",
                checkpoints[0]);
        return 2;
    }
    if (path && !read_lines(path, &lines))
        return 2;

    const struct ice_profile *ice;
    for (int k = 0; (ice = ice_profile_at(k)); k++) {
        throw_profile(&lines, ice, throws);
        throw_with_noise(&lines, ice);
        search(&lines, profile_find(ice->name));
    }
    search(&lines, profile_find("dc4-modified"));
    return lines.failures ? 1 : 0;
}

/* Hashes of hold'em: deals, values of hands, strengths, and hands between rule players and networks
 * with made-up weights. They must be the same for every compiler and optimisation.
 *
 *   golden_holdem HASHES     compares with the lines of the file
 *   golden_holdem --print    prints the lines, to renew HASHES after an intended change */
#include "models/base/fnv1a.h"
#include "workers/holdem/network_player.h"
#include "workers/holdem/rule_player.h"
#include "workers/holdem/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEALS = 100000, HANDS = 300, LINE = 64, LINES = 4 };

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    unsigned char bytes[8]; /* the same byte order on every machine */

    for (int k = 0; k < 8; k++)
        bytes[k] = (unsigned char)(number >> 8 * k);
    return fnv1a(hash, bytes, sizeof bytes);
}

static uint64_t hash_deals(void)
{
    const struct strength_tables *tables = strength_tables();
    uint64_t hash = FNV1A_START;

    for (uint64_t k = 0; k < DEALS; k++) {
        const struct holdem_deal deal = holdem_deal(1, k);
        hash = fnv1a(hash, &deal, sizeof deal);
        for (int cards = 3; cards <= HOLDEM_BOARD; cards++) {
            const struct strength_board board = strength_board(tables, deal.board, cards);
            for (int seat = 0; seat < 2; seat++)
                hash = hash_number(
                    hash, (uint64_t)(strength_of(tables, &board, deal.hole[seat]) * 65535.0 + .5));
        }
    }
    for (int kind = 0; kind < STRENGTH_KINDS; kind++)
        hash = hash_number(hash, (uint64_t)(tables->before_flop[kind] * 1e6f));
    return hash;
}

static uint64_t hash_sessions(struct poker_player a)
{
    uint64_t hash = FNV1A_START;

    for (int k = 0; k < POKER_STYLES; k++) {
        const struct poker_session session = {
            .player = {a, poker_rule_player(k)}, .seed = 2, .number = (uint64_t)k, .hands = HANDS};
        struct poker_tally tally = {.pairs = 0};
        void *memory = aligned_alloc(64, poker_session_memory(&session));
        if (!memory)
            exit(1);
        poker_session_play(&session, memory, NULL, &tally);
        free(memory);
        for (size_t n = 0; n < sizeof tally / sizeof(int64_t); n++)
            hash = hash_number(hash, (uint64_t)((const int64_t *)&tally)[n]);
    }
    return hash;
}

static uint64_t hash_network(void)
{
    const struct poker_form form = {20, 100};
    size_t count = poker_weight_count(form);
    float *weights = malloc(count * sizeof *weights);

    if (!weights)
        exit(1);
    for (size_t k = 0; k < count; k++)
        weights[k] = (float)((int)(k * UINT64_C(2654435761) >> 8 & 1023) - 512) / 1024.0f;
    const struct poker_network network = {form, weights};
    uint64_t hash = hash_sessions(poker_network_player(&network));
    free(weights);
    return hash;
}

int main(int argc, char **argv)
{
    char lines[LINES][LINE], line[LINE];
    bool found[LINES] = {false}, good = true;
    FILE *file;

    snprintf(lines[0], LINE, "deals %d %016" PRIx64 "\n", DEALS, hash_deals());
    snprintf(lines[1], LINE, "rules %d %016" PRIx64 "\n", HANDS,
             hash_sessions(poker_rule_player(3)));
    snprintf(lines[2], LINE, "mixed %d %016" PRIx64 "\n", HANDS,
             hash_sessions(poker_rule_player(7)));
    snprintf(lines[3], LINE, "network %d %016" PRIx64 "\n", HANDS, hash_network());
    for (int k = 0; k < LINES; k++)
        fputs(lines[k], stdout);
    if (argc == 2 && strcmp(argv[1], "--print") == 0)
        return 0;
    if (argc != 2 || !(file = fopen(argv[1], "r"))) {
        fprintf(stderr, "usage: golden_holdem HASHES | --print\n");
        return 2;
    }
    while (fgets(line, LINE, file))
        for (int k = 0; k < LINES; k++)
            found[k] |= strcmp(line, lines[k]) == 0;
    fclose(file);
    for (int k = 0; k < LINES; k++)
        if (!found[k]) {
            fprintf(stderr, "golden_holdem: not in the file: %s", lines[k]);
            good = false;
        }
    return good ? 0 : 1;
}

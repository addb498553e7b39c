/* Speed of hold'em on one core: values of hands, hands between rule players, decisions of a
 * network.
 *
 *   bench_holdem [--seconds N] */
#include "tests/bench/bench.h"
#include "workers/holdem/network_player.h"
#include "workers/holdem/rule_player.h"
#include "workers/holdem/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HANDS = 200, RANDOM_HANDS = 1 << 16 };

static double seconds = 1.0;

static double cpu_s(void)
{
    return bench_clock_s(CLOCK_PROCESS_CPUTIME_ID);
}

/* Adds four nested cards to three given ones: like an enumeration of boards. */
static void measure_enumeration(const struct hand_tables *tables)
{
    double start = cpu_s(), done = 0.0;
    uint64_t sum = 0;

    do {
        for (int a = 10; a < CARDS; a++) {
            struct hand three = hand_add(tables, hand_add(tables, HAND_EMPTY, 1), 5);
            three = hand_add(tables, three, a);
            for (int b = 6; b < 10; b++)
                for (int c = 10; c < a; c++) {
                    struct hand five = hand_add(tables, hand_add(tables, three, b), c);
                    for (int d = 10; d < c; d++) {
                        struct hand six = hand_add(tables, five, d);
                        for (int e = 10; e < d; e++, done += 1.0)
                            sum += (uint64_t)hand_value(tables, hand_add(tables, six, e));
                    }
                }
        }
    } while (cpu_s() - start < seconds);
    printf("values of hands, enumerated  %8.1f M/s  (%llu)\n", done / 1e6 / (cpu_s() - start),
           (unsigned long long)sum % 10);
}

static void measure_random(const struct hand_tables *tables)
{
    static struct hand hands[RANDOM_HANDS];
    double done = 0.0;
    uint64_t sum = 0;

    for (int k = 0; k < RANDOM_HANDS; k++) {
        const struct holdem_deal deal = holdem_deal(1, (uint64_t)k);
        hands[k] = hand_add(tables, hand_add(tables, HAND_EMPTY, deal.hole[0][0]), deal.hole[0][1]);
        for (int n = 0; n < HOLDEM_BOARD; n++)
            hands[k] = hand_add(tables, hands[k], deal.board[n]);
    }
    double start = cpu_s();
    do {
        for (int k = 0; k < RANDOM_HANDS; k++)
            sum += (uint64_t)hand_value(tables, hands[k]);
        done += RANDOM_HANDS;
    } while (cpu_s() - start < seconds);
    printf("values of hands, random      %8.1f M/s  (%llu)\n", done / 1e6 / (cpu_s() - start),
           (unsigned long long)sum % 10);
}

/* Plays sessions against all rule players and prints hands or decisions of a. */
static void measure_play(const char *what, struct poker_player a, bool decisions)
{
    struct poker_tally tally = {.pairs = 0};
    struct poker_session session = {.player = {a, poker_rule_player(0)}, .seed = 3, .hands = HANDS};
    size_t size = 0;

    for (int k = 0; k < POKER_STYLES; k++) {
        session.player[1] = poker_rule_player(k);
        size = poker_session_memory(&session) > size ? poker_session_memory(&session) : size;
    }
    void *memory = aligned_alloc(64, size);
    double start = cpu_s();
    do {
        session.player[1] = poker_rule_player((int)(session.number % POKER_STYLES));
        poker_session_play(&session, memory, NULL, &tally);
        session.number++;
    } while (memory && cpu_s() - start < seconds);
    free(memory);
    printf("%-28s %8.3f M/s\n", what,
           (double)(decisions ? tally.decisions[0] : tally.hands[0]) / 1e6 / (cpu_s() - start));
}

int main(int argc, char **argv)
{
    const struct poker_form form = {20, 300};
    size_t count = poker_weight_count(form);
    float *weights = malloc(count * sizeof *weights);

    if ((argc == 3 &&
         (strcmp(argv[1], "--seconds") != 0 || !bench_read_number(argv[2], 1e4, &seconds))) ||
        argc == 2 || argc > 3 || !weights) {
        fprintf(stderr, "usage: bench_holdem [--seconds N]\n");
        return 2;
    }
    for (size_t k = 0; k < count; k++)
        weights[k] = (float)((int)(k * 2654435761u >> 8 & 1023) - 512) / 4096.0f;
    const struct poker_network network = {form, weights};
    (void)strength_tables();
    measure_enumeration(hand_tables());
    measure_random(hand_tables());
    measure_play("hands between rule players", poker_rule_player(3), false);
    measure_play("decisions of a network", poker_network_player(&network), true);
    free(weights);
    return 0;
}

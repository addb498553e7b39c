/* Batches of throws: order, choice of the error, each index exactly once, any number of threads.
 * The engine is a small fake: what comes back says which request went in. */
#include "models/ice/batch.h"

#include "models/ice/quasi.h"
#include "models/ice/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THROWS = 1000 };

static const struct position empty;

/* Counts calls and fails where the shot says so: omega is minus the status to report. */
static atomic_int calls;

static enum throw_status fake_throw(const struct throw_request *request,
                                    struct throw_result *ret_result)
{
    atomic_fetch_add(&calls, 1);
    if (request->shot.omega < 0.0)
        return (enum throw_status)(int)-request->shot.omega;
    if (request->trajectory && !trajectory_add(request->trajectory, 0, 1.0, request->shot.velocity))
        return THROW_NO_MEMORY;
    /* Some throws take a thousand times longer than others. */
    volatile double work = 0.0;
    int rounds = request->stone == 0 ? 5000 : 5;
    for (int k = 0; k < rounds; k++)
        work = work + 1.0;
    memset(ret_result, 0, sizeof *ret_result); /* the padding too: results are compared by bytes */
    position_put(&ret_result->after, request->stone, request->shot.velocity);
    ret_result->collisions = request->stone;
    ret_result->collisions += work < 0.0;
    return THROW_OK;
}

/* Request k throws stone k % 16 with the velocity (k, -k). */
static void make_requests(struct throw_request *requests, size_t count)
{
    for (size_t k = 0; k < count; k++)
        requests[k] = (struct throw_request){
            .ice = ice_profile_find("dc3"),
            .before = &empty,
            .stone = (int)(k % POSITION_STONES),
            .shot = {{(double)k, -(double)k}, 0.0},
        };
}

static void each_result_lies_at_its_requests_index_for_any_number_of_threads(void **state)
{
    (void)state;
    static struct throw_request requests[THROWS];
    static struct throw_result alone[THROWS], together[THROWS];

    make_requests(requests, THROWS);
    memset(alone, 0xff, sizeof alone);
    assert_int_equal(throw_batch(fake_throw, requests, THROWS, 1, alone, NULL), THROW_OK);
    for (size_t k = 0; k < THROWS; k++) {
        int stone = (int)(k % POSITION_STONES);
        assert_true(position_has(&alone[k].after, stone));
        assert_true(alone[k].after.stone[stone].x == (double)k);
    }
    for (int threads = 2; threads <= 8; threads++) {
        memset(together, 0xff, sizeof together);
        atomic_store(&calls, 0);
        assert_int_equal(throw_batch(fake_throw, requests, THROWS, threads, together, NULL),
                         THROW_OK);
        assert_int_equal(atomic_load(&calls), THROWS);
        assert_memory_equal(alone, together, sizeof alone);
    }
}

/* Whatever does not divide evenly: each index thrown once, nothing beyond the end written. */
static void every_count_is_thrown_exactly_once(void **state)
{
    (void)state;
    static struct throw_request requests[THROWS];
    static struct throw_result results[THROWS], untouched;
    const size_t counts[] = {1, 2, 3, 15, 16, 17, 31, 33, 127, 513, 999};

    make_requests(requests, THROWS);
    memset(&untouched, 0xff, sizeof untouched);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (int threads = 1; threads <= 5; threads += 2) {
            memset(results, 0xff, sizeof results);
            atomic_store(&calls, 0);
            assert_int_equal(throw_batch(fake_throw, requests, counts[c], threads, results, NULL),
                             THROW_OK);
            assert_int_equal(atomic_load(&calls), counts[c]);
            for (size_t k = 0; k < counts[c]; k++)
                assert_true(results[k].after.stone[k % POSITION_STONES].x == (double)k);
            assert_memory_equal(&results[counts[c]], &untouched, sizeof untouched);
        }
    }
}

static void the_error_is_that_of_the_lowest_index_and_the_others_are_thrown(void **state)
{
    (void)state;
    static struct throw_request requests[THROWS];
    static struct throw_result results[THROWS], untouched;
    static enum throw_status statuses[THROWS];

    make_requests(requests, THROWS);
    memset(&untouched, 0xff, sizeof untouched);
    requests[300].shot.omega = -(double)THROW_BAD_POSITION;
    requests[301].shot.omega = -(double)THROW_BAD_SHOT;
    requests[7 * 16].shot.omega = -(double)THROW_FAILED; /* stone 0: a slow one */
    requests[999].shot.omega = -(double)THROW_BAD_STONE;
    for (int threads = 1; threads <= 8; threads++) {
        memset(results, 0xff, sizeof results);
        memset(statuses, 0xff, sizeof statuses);
        assert_int_equal(throw_batch(fake_throw, requests, THROWS, threads, results, statuses),
                         THROW_FAILED);
        for (size_t k = 0; k < THROWS; k++) {
            enum throw_status expected = requests[k].shot.omega < 0.0
                                             ? (enum throw_status)(int)-requests[k].shot.omega
                                             : THROW_OK;
            assert_int_equal(statuses[k], expected);
            if (expected == THROW_OK)
                assert_true(results[k].after.stone[k % POSITION_STONES].x == (double)k);
            else
                assert_memory_equal(&results[k], &untouched, sizeof untouched);
        }
    }
}

static void no_requests_are_no_work(void **state)
{
    (void)state;
    atomic_store(&calls, 0);
    assert_int_equal(throw_batch(fake_throw, NULL, 0, 4, NULL, NULL), THROW_OK);
    assert_int_equal(atomic_load(&calls), 0);
}

static void odd_numbers_of_threads_do_no_harm(void **state)
{
    (void)state;
    const int threads[] = {-5, 0, 4, 1000000};
    struct throw_request requests[3];
    struct throw_result results[3];

    make_requests(requests, 3);
    for (int k = 0; k < 4; k++) {
        memset(results, 0xff, sizeof results);
        atomic_store(&calls, 0);
        assert_int_equal(throw_batch(fake_throw, requests, 3, threads[k], results, NULL), THROW_OK);
        assert_int_equal(atomic_load(&calls), 3);
        for (int r = 0; r < 3; r++)
            assert_true(results[r].after.stone[r].x == r);
    }
}

/* Each of four throws waits until the other three have come: one thread alone would never end. */
static pthread_barrier_t meeting;

static enum throw_status meeting_throw(const struct throw_request *request,
                                       struct throw_result *ret_result)
{
    pthread_barrier_wait(&meeting);
    return fake_throw(request, ret_result);
}

static void throws_run_at_the_same_time(void **state)
{
    (void)state;
    struct throw_request requests[4];
    struct throw_result results[4];

    make_requests(requests, 4);
    assert_int_equal(pthread_barrier_init(&meeting, NULL, 4), 0);
    assert_int_equal(throw_batch(meeting_throw, requests, 4, 4, results, NULL), THROW_OK);
    for (int r = 0; r < 4; r++)
        assert_true(results[r].after.stone[r].x == r);
    pthread_barrier_destroy(&meeting);
}

static void each_request_may_record_its_own_trajectory(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    struct throw_request requests[COUNT];
    struct throw_result results[COUNT];
    struct trajectory paths[COUNT];

    make_requests(requests, COUNT);
    for (int k = 0; k < COUNT; k++) {
        trajectory_init(&paths[k], 0.1);
        requests[k].trajectory = &paths[k];
    }
    assert_int_equal(throw_batch(fake_throw, requests, COUNT, 4, results, NULL), THROW_OK);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(paths[k].stone[0].count, 1);
        assert_true(paths[k].stone[0].points[0].at.x == k);
        trajectory_free(&paths[k]);
    }
}

static void noisy_batch_throws_each_request_with_each_pair(void **state)
{
    (void)state;
    enum { REQUESTS = 20, SAMPLES = 16 };
    static struct throw_result alone[REQUESTS * SAMPLES], together[REQUESTS * SAMPLES];
    struct throw_request requests[REQUESTS];
    struct normal_pair pairs[SAMPLES];
    struct random_key key = {.seed = 1, .purpose = RANDOM_PLANNING};
    const struct ice_profile *ice = ice_profile_find("dc3");
    struct noise noise = noise_default(ice, ICE_NOISE_NORMAL_DIST);
    struct trajectory unused;

    trajectory_init(&unused, 0.1);
    make_requests(requests, REQUESTS);
    for (int r = 0; r < REQUESTS; r++) {
        requests[r].shot.velocity = (struct vec2){0.01 * r, 2.4};
        requests[r].trajectory = &unused;
    }
    quasi_normal_pairs(&key, 0, SAMPLES, pairs);
    assert_int_equal(
        throw_batch_noisy(fake_throw, requests, REQUESTS, &noise, pairs, SAMPLES, 1, alone, NULL),
        THROW_OK);
    for (int r = 0; r < REQUESTS; r++) {
        for (int s = 0; s < SAMPLES; s++) {
            struct shot noisy = noise_apply(&noise, ice, requests[r].shot, pairs[s]);
            struct vec2 thrown = alone[r * SAMPLES + s].after.stone[r % POSITION_STONES];
            assert_true(thrown.x == noisy.velocity.x && thrown.y == noisy.velocity.y);
        }
    }
    assert_int_equal(unused.stone[0].count, 0);
    for (int threads = 2; threads <= 8; threads++) {
        memset(together, 0xff, sizeof together);
        assert_int_equal(throw_batch_noisy(fake_throw, requests, REQUESTS, &noise, pairs, SAMPLES,
                                           threads, together, NULL),
                         THROW_OK);
        assert_memory_equal(alone, together, sizeof alone);
    }
}

static void noisy_batch_reports_the_first_sample_of_the_first_bad_request(void **state)
{
    (void)state;
    enum { REQUESTS = 5, SAMPLES = 8 };
    struct throw_request requests[REQUESTS];
    struct throw_result results[REQUESTS * SAMPLES];
    enum throw_status statuses[REQUESTS * SAMPLES];
    struct normal_pair pairs[SAMPLES];
    struct random_key key = {.seed = 1, .purpose = RANDOM_EXECUTION};
    struct noise noise = noise_default(ice_profile_find("dc3"), ICE_NOISE_NORMAL_DIST);

    make_requests(requests, REQUESTS);
    requests[2].shot.omega = -(double)THROW_BAD_POSITION;
    requests[4].shot.omega = -(double)THROW_BAD_STONE;
    random_normal_pairs(&key, 0, SAMPLES, pairs);
    assert_int_equal(throw_batch_noisy(fake_throw, requests, REQUESTS, &noise, pairs, SAMPLES, 3,
                                       results, statuses),
                     THROW_BAD_POSITION);
    for (int k = 0; k < REQUESTS * SAMPLES; k++)
        assert_int_equal(statuses[k], k / SAMPLES == 2   ? THROW_BAD_POSITION
                                      : k / SAMPLES == 4 ? THROW_BAD_STONE
                                                         : THROW_OK);
    assert_int_equal(
        throw_batch_noisy(fake_throw, requests, REQUESTS, &noise, pairs, 0, 3, results, NULL),
        THROW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_result_lies_at_its_requests_index_for_any_number_of_threads),
        cmocka_unit_test(every_count_is_thrown_exactly_once),
        cmocka_unit_test(the_error_is_that_of_the_lowest_index_and_the_others_are_thrown),
        cmocka_unit_test(no_requests_are_no_work),
        cmocka_unit_test(odd_numbers_of_threads_do_no_harm),
        cmocka_unit_test(throws_run_at_the_same_time),
        cmocka_unit_test(each_request_may_record_its_own_trajectory),
        cmocka_unit_test(noisy_batch_throws_each_request_with_each_pair),
        cmocka_unit_test(noisy_batch_reports_the_first_sample_of_the_first_bad_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

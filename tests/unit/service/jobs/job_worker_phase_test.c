/* The phases of a job's worker: the allowed moves, and that a forbidden one aborts where asserts
 * are on. */
#include "tests/unit/service/rig.h"

#include "service/jobs/job_worker.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* All allowed moves, row by row as in the diagram. */
static const enum job_worker_phase allowed[][2] = {
    {WORKER_CLAIMED, WORKER_STARTING},    {WORKER_CLAIMED, WORKER_GIVES_BACK},
    {WORKER_CLAIMED, WORKER_LOST},        {WORKER_STARTING, WORKER_WORKING},
    {WORKER_STARTING, WORKER_GIVES_BACK}, {WORKER_STARTING, WORKER_LOST},
    {WORKER_WORKING, WORKER_DONE},        {WORKER_WORKING, WORKER_GIVES_BACK},
    {WORKER_WORKING, WORKER_LOST},        {WORKER_DONE, WORKER_ENDED},
    {WORKER_DONE, WORKER_GIVES_BACK},     {WORKER_DONE, WORKER_LOST},
    {WORKER_GIVES_BACK, WORKER_ENDED},    {WORKER_GIVES_BACK, WORKER_LOST},
};

static bool is_allowed(enum job_worker_phase from, enum job_worker_phase to)
{
    for (size_t k = 0; k < sizeof allowed / sizeof allowed[0]; k++)
        if (allowed[k][0] == from && allowed[k][1] == to)
            return true;
    return false;
}

static void the_table_matches_the_diagram(void **state)
{
    (void)state;
    for (int from = 0; from < WORKER_PHASES; from++) {
        assert_true(strlen(job_worker_phase_name((enum job_worker_phase)from)) > 0);
        for (int to = 0; to < WORKER_PHASES; to++)
            assert_int_equal(
                job_worker_may_move((enum job_worker_phase)from, (enum job_worker_phase)to),
                is_allowed((enum job_worker_phase)from, (enum job_worker_phase)to));
    }
}

static void final_phases_have_no_moves(void **state)
{
    (void)state;
    for (int to = 0; to < WORKER_PHASES; to++) {
        assert_false(job_worker_may_move(WORKER_ENDED, (enum job_worker_phase)to));
        assert_false(job_worker_may_move(WORKER_LOST, (enum job_worker_phase)to));
    }
}

/* Returns whether the move of a worker with or without a process aborts. */
static bool aborts(enum job_worker_phase from, enum job_worker_phase to, bool has_process)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        static char process;
        struct job_worker worker = {.phase = from};
        if (has_process)
            worker.child = (struct child *)&process; /* never dereferenced */
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        job_worker_move(&worker, to);
        _exit(worker.phase == to ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void forbidden_moves_are_caught(void **state)
{
    (void)state;
#ifdef NDEBUG
    skip();
#endif
    for (int from = 0; from < WORKER_PHASES; from++)
        for (int to = 0; to < WORKER_PHASES; to++)
            assert_int_equal(aborts((enum job_worker_phase)from, (enum job_worker_phase)to,
                                    to == WORKER_STARTING),
                             !is_allowed((enum job_worker_phase)from, (enum job_worker_phase)to));
}

static void moves_assert_their_conditions(void **state)
{
    (void)state;
#ifdef NDEBUG
    skip();
#endif
    /* The next worker would find the folder still in use. */
    assert_true(aborts(WORKER_GIVES_BACK, WORKER_ENDED, true));
    assert_false(aborts(WORKER_DONE, WORKER_ENDED, true));
    assert_true(aborts(WORKER_CLAIMED, WORKER_STARTING, false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_matches_the_diagram),
        cmocka_unit_test(final_phases_have_no_moves),
        cmocka_unit_test(forbidden_moves_are_caught),
        cmocka_unit_test(moves_assert_their_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

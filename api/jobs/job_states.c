/* The table of the states of a job. See job_states.h. */
#include "api/jobs/job_states.h"

#include <string.h>

static const struct {
    const char *name;
    bool has_ended;
} rows[JOB_STATES] = {
#define X(state, name, ended) [state] = {name, ended},
    JOB_STATE_ROWS(X)
#undef X
};

const char *job_state_name(enum job_state state)
{
    return rows[state].name;
}

bool job_state_read(const char *name, enum job_state *ret_state)
{
    for (int k = 0; k < JOB_STATES; k++)
        if (strcmp(name, rows[k].name) == 0) {
            *ret_state = (enum job_state)k;
            return true;
        }
    return false;
}

bool job_has_ended(enum job_state state)
{
    return rows[state].has_ended;
}

const char *const job_if_failed_names[JOB_IF_FAILED + 1] = {
#define X(value, name, about) [value] = name,
    JOB_IF_FAILED_ROWS(X)
#undef X
};

const char *job_if_failed_name(enum job_if_failed what)
{
    return job_if_failed_names[what];
}

/* See job_events.h. */
#include "tests/unit/service/store/job_events.h"

#include "service/store/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

json_t *job_events(struct store *store, int64_t id)
{
    static const char text[] = "SELECT seq, at_ms AS at, kind, detail FROM job_event"
                               " WHERE job = ?1 ORDER BY seq";
    json_t *events;

    assert_int_equal(sql_read_list(store, text, PUT(INT(id)), "itss", &events), API_OK);
    return events;
}

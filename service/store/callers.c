/* Reads the table of callers, which triggers keep. */
#include "service/store/callers.h"

#include "service/store/sql.h"

enum api_error caller_store_use(struct store *store, const char *owner, struct caller_use *ret_use)
{
    static const char text[] =
        "SELECT ready + paused, bytes, leased, cores FROM caller WHERE name = ?1";
    struct caller_use use = {.waiting = 0};
    enum api_error error = sql_read(
        store, text, PUT(TEXT(owner)),
        GET(TO_INT(&use.waiting), TO_INT(&use.bytes), TO_INT(&use.running), TO_INT(&use.cores)));

    if (error != API_OK && error != API_NOT_FOUND)
        return error;
    *ret_use = use;
    return API_OK;
}

enum api_error caller_store_names(struct store *store, json_t **ret_names)
{
    static const char text[] =
        "SELECT name FROM caller WHERE ready + paused + leased > 0 ORDER BY name";
    return sql_read_list(store, text, NULL, NULL, ret_names);
}

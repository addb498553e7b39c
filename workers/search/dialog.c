/* A reader thread fills a queue, the caller's thread empties it. See dialog.h. */
#include "workers/search/dialog.h"

#include "api/base/clock.h"
#include "workers/lines.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum { LINES_AT_ONCE = 16 };

/* A query from its arrival to its answer. */
struct entry {
    struct query query;
    atomic_bool cancel;
    double arrived_s;
    struct entry *next;
};

struct dialog {
    const struct query_host *host;
    FILE *out;
    struct line_reader reader;

    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    struct entry *first, *last; /* the first one is in work */
    int count;
    bool at_end;    /* the input has ended */
    int read_error; /* errno of it, 0: none */
    bool no_memory;
    bool closing; /* the dialog is ending */
};

/* ---- the reader's side ---- */

/* Waits for room and adds the entry, which the dialog then owns. */
static void add_entry(struct dialog *dialog, struct entry *entry)
{
    entry->arrived_s = clock_now_s();
    pthread_mutex_lock(&dialog->lock);
    while (dialog->count >= DIALOG_QUERIES_MAX && !dialog->closing)
        pthread_cond_wait(&dialog->changed, &dialog->lock);
    if (dialog->last)
        dialog->last->next = entry;
    else
        dialog->first = entry;
    dialog->last = entry;
    dialog->count++;
    pthread_cond_broadcast(&dialog->changed);
    pthread_mutex_unlock(&dialog->lock);
}

static void cancel_entries(struct dialog *dialog, const struct strict_id *id)
{
    pthread_mutex_lock(&dialog->lock);
    for (struct entry *entry = dialog->first; entry; entry = entry->next)
        if (strict_id_equal(&entry->query.id, id))
            atomic_store(&entry->cancel, true);
    pthread_mutex_unlock(&dialog->lock);
}

/* Handles {"cancel": ID} at once; a mistake becomes an error of the query. */
static void take_cancel(struct dialog *dialog, json_t *document, struct query *query)
{
    static const char *const keys[] = {"cancel", NULL};
    const struct strict_place root = strict_root(document, &query->errors);
    const struct strict_place cancel = strict_member(&root, "cancel");
    struct strict_id id;

    strict_object(&root, keys);
    if (strict_read_id(&cancel, &id) && query->errors.count == 0)
        cancel_entries(dialog, &id);
}

/* False when memory is short. */
static bool take_line(struct dialog *dialog, const struct line *line)
{
    struct entry *entry = calloc(1, sizeof *entry);
    json_t *document = NULL;

    if (!entry)
        return false;
    struct query *query = &entry->query;
    if (line->too_long)
        strict_refuse_at(&query->errors, "", "too_long", "longer than %d bytes",
                         SHOT_QUERY_BYTES_MAX);
    else
        document = strict_parse(line->text, line->length, SHOT_QUERY_BYTES_MAX,
                                SHOT_QUERY_DEPTH_MAX, &query->errors);
    bool is_cancel = document && json_object_get(document, "cancel");
    if (is_cancel)
        take_cancel(dialog, document, query);
    else if (document)
        query_decode(dialog->host, document, query);
    query->line = line->number;
    json_decref(document);
    if (is_cancel && query->errors.count == 0)
        free(entry);
    else
        add_entry(dialog, entry);
    return true;
}

static void *read_lines(void *context)
{
    struct dialog *dialog = context;
    struct line line[LINES_AT_ONCE];
    bool no_memory = false;
    int count;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    do {
        /* dialog_run() may end this thread here, while it waits for a line and holds no
         * resources. */
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        count = lines_read(&dialog->reader, line, LINES_AT_ONCE);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        int read_error = count < 0 ? errno : 0;

        for (int k = 0; k < count && !no_memory; k++)
            no_memory = !take_line(dialog, &line[k]);
        pthread_mutex_lock(&dialog->lock);
        dialog->at_end = count <= 0 || no_memory || dialog->closing;
        dialog->read_error = read_error;
        dialog->no_memory = no_memory;
        bool at_end = dialog->at_end;
        pthread_cond_broadcast(&dialog->changed);
        pthread_mutex_unlock(&dialog->lock);
        if (at_end)
            break;
    } while (true);
    return NULL;
}

/* ---- the answering side ---- */

static bool write_line(void *context, const char *line)
{
    struct dialog *dialog = context;

    return fputs(line, dialog->out) != EOF && putc('\n', dialog->out) != EOF &&
           fflush(dialog->out) != EOF;
}

/* Returns the oldest query, which stays in the queue while it is answered. NULL at the end. */
static struct entry *next_entry(struct dialog *dialog)
{
    pthread_mutex_lock(&dialog->lock);
    while (!dialog->first && !dialog->at_end)
        pthread_cond_wait(&dialog->changed, &dialog->lock);
    struct entry *entry = dialog->first;
    pthread_mutex_unlock(&dialog->lock);
    return entry;
}

static void drop_entry(struct dialog *dialog)
{
    pthread_mutex_lock(&dialog->lock);
    struct entry *entry = dialog->first;
    assert(entry && dialog->count > 0);
    dialog->first = entry->next;
    if (!dialog->first)
        dialog->last = NULL;
    dialog->count--;
    pthread_cond_broadcast(&dialog->changed);
    pthread_mutex_unlock(&dialog->lock);
    free(entry);
}

/* Answers queries until none are left. */
static enum dialog_status answer_all(struct dialog *dialog, const char **ret_message)
{
    enum dialog_status result = DIALOG_OK;
    struct entry *entry;

    while ((entry = next_entry(dialog)) != NULL) {
        const char *message = NULL;
        enum query_status status =
            query_answer(dialog->host, &entry->query, clock_now_s() - entry->arrived_s,
                         &entry->cancel, write_line, dialog, &message);
        drop_entry(dialog);
        if (status == QUERY_BAD && result == DIALOG_OK)
            result = DIALOG_BAD_LINES;
        if (status == QUERY_UNANSWERED) {
            *ret_message = message;
            result = DIALOG_UNANSWERED;
        }
        if (status == QUERY_FAILED) {
            if (!message)
                return DIALOG_WRITE_FAILED;
            *ret_message = message;
            return DIALOG_FAILED;
        }
    }
    return result;
}

enum dialog_status dialog_run(const struct query_host *host, int fd, FILE *out,
                              const char **ret_message)
{
    struct dialog dialog = {.host = host, .out = out};
    enum dialog_status status;
    pthread_t thread;

    if (!lines_init(&dialog.reader, fd, SHOT_QUERY_BYTES_MAX)) {
        *ret_message = "out of memory";
        return DIALOG_FAILED;
    }
    pthread_mutex_init(&dialog.lock, NULL);
    pthread_cond_init(&dialog.changed, NULL);
    if (pthread_create(&thread, NULL, read_lines, &dialog) == 0) {
        status = answer_all(&dialog, ret_message);
        int write_error = errno;

        pthread_mutex_lock(&dialog.lock);
        dialog.closing = true;
        pthread_cond_broadcast(&dialog.changed);
        pthread_mutex_unlock(&dialog.lock);
        pthread_cancel(thread);
        pthread_join(thread, NULL);

        errno = write_error;
        if (status <= DIALOG_UNANSWERED && dialog.no_memory) {
            *ret_message = "out of memory";
            status = DIALOG_FAILED;
        } else if (status <= DIALOG_UNANSWERED && dialog.read_error) {
            errno = dialog.read_error;
            status = DIALOG_READ_FAILED;
        }
    } else {
        *ret_message = "no thread to read with";
        status = DIALOG_FAILED;
    }
    while (dialog.first)
        drop_entry(&dialog);
    pthread_cond_destroy(&dialog.changed);
    pthread_mutex_destroy(&dialog.lock);
    lines_free(&dialog.reader);
    return status;
}

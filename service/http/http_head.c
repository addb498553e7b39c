/* Looks for heads that a proxy could read in another way than libmicrohttpd: what one of them takes
 * for the body is a second request to the other one (RFC 9112, 11.2). */
#include "service/http/http_exchange.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A head as far as it is read. libmicrohttpd parses it in place: name and value of a header and
 * the next name follow each other in memory, with the characters between them replaced by 0. */
struct head {
    const char *end; /* of the last value; NULL: no header yet */
    int hosts, lengths;
    const char *coding; /* NULL: no Transfer-Encoding */
    const char *wrong;  /* NULL: nothing yet */
};

/* Characters of a name (RFC 9110, 5.6.2). */
static bool is_token(const char *text, size_t length)
{
    size_t k = 0;

    while (k < length && (isalnum((unsigned char)text[k]) || strchr("!#$%&'*+-.^_`|~", text[k])))
        k++;
    return length > 0 && k == length;
}

/* Whether there is nothing but blanks and ends of lines between two places of the head. */
static bool is_gap(const char *from, const char *to)
{
    if (to <= from || to - from > HTTP_POOL_BYTES)
        return false;
    for (; from < to; from++)
        if (*from && !strchr(" \t\r\n", *from))
            return false;
    return true;
}

static enum MHD_Result read_header(void *context, enum MHD_ValueKind kind, const char *name,
                                   size_t name_length, const char *value, size_t value_length)
{
    struct head *head = context;

    (void)kind;
    if (!is_token(name, name_length) || !value)
        head->wrong = "the name of a header has other characters than letters, digits and -";
    else if (!is_gap(name + name_length, value))
        head->wrong = "a header continues on a second line";
    else if (head->end && !is_gap(head->end, name))
        head->wrong = "the value of a header has a byte 0";
    else if (memchr(value, '\r', value_length) || memchr(value, '\n', value_length))
        head->wrong = "the value of a header has a CR or LF of its own"; /* RFC 9112, 2.2 */
    if (head->wrong)
        return MHD_NO;
    head->end = value + value_length;
    head->hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        head->lengths++;
        head->coding = value;
    }
    head->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    return MHD_YES;
}

enum api_error exchange_check_head(struct exchange *x, const char *version, const char **ret_wrong)
{
    struct head head = {.end = NULL};

    MHD_get_connection_values_n(x->connection, MHD_HEADER_KIND, read_header, &head);
    /* The end of the last line and the empty line are 0, too. */
    if (!head.wrong && head.end && !is_gap(head.end, head.end + 2))
        head.wrong = "the value of a header has a byte 0";
    else if (!head.wrong && head.hosts > 1)
        head.wrong = "Host is given twice";
    else if (!head.wrong && head.lengths > 1)
        head.wrong = "the length of the body is given twice";
    else if (!head.wrong && head.coding && strcmp(version, MHD_HTTP_VERSION_1_1) != 0)
        head.wrong = "Transfer-Encoding needs HTTP/1.1"; /* RFC 9112, 6.1 */
    *ret_wrong = head.wrong;
    if (head.wrong)
        return API_BAD_PARAMETER;
    if (!head.coding || strcasecmp(head.coding, "chunked") == 0)
        return API_OK;
    *ret_wrong = "Transfer-Encoding can be chunked only";
    return API_NOT_IMPLEMENTED;
}

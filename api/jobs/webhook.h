/* What rinkd and rink-post agree on: which addresses a webhook may have, and the lines between
 * them.
 *
 *   to rink-post:  {"id":7,"url":"https://…","headers":["webhook-id: msg_…",…],"body":"{…}"}
 *   from it:       {"id":7,"status":204,"reason":null,"retry_after_s":0} */
#ifndef RINKD_API_JOBS_WEBHOOK_H
#define RINKD_API_JOBS_WEBHOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum {
    WEBHOOK_CONNECT_S = 5,      /* to connect */
    WEBHOOK_TIMEOUT_S = 15,     /* from the start to the end of the answer */
    WEBHOOK_ANSWER_MAX = 65536, /* bytes of an answer that are read, and thrown away */
    WEBHOOK_LINE_MAX = 65536,   /* bytes */
    WEBHOOK_WHY_MAX = 256       /* bytes of a reason, with 0 */
};

/* Where messages may go. Private addresses are those of this machine, of the local network and of
 * special use; all others are public. */
enum webhook_addresses { WEBHOOK_PUBLIC, WEBHOOK_PRIVATE, WEBHOOK_ANY, WEBHOOK_ADDRESSES };
/* "public", "private", "any"; NULL at the end. */
extern const char *const webhook_addresses_names[WEBHOOK_ADDRESSES + 1];

/* Whether the rule allows the address; only IPv4 and IPv6 are known. Otherwise writes a sentence to
 * ret_why, "the address 127.0.0.1 is private, …". */
bool webhook_address_is_allowed(enum webhook_addresses rule, const struct sockaddr *address,
                                char ret_why[WEBHOOK_WHY_MAX]);

/* True for "http://HOST[:PORT][/PATH][?QUERY]" or https, without blanks, user and fragment,
 * and not an IP address that the rule forbids. Names are looked up only when a message is sent.
 * Otherwise writes the rest of a sentence to ret_why, "must …". */
bool webhook_url_is_good(enum webhook_addresses rule, const char *url,
                         char ret_why[WEBHOOK_WHY_MAX]);

#endif

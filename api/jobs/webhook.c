/* The addresses of webhooks. */
#include "api/jobs/webhook.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const webhook_addresses_names[WEBHOOK_ADDRESSES + 1] = {
    [WEBHOOK_PUBLIC] = "public", [WEBHOOK_PRIVATE] = "private", [WEBHOOK_ANY] = "any"};

/* ---- IP addresses ---- */

/* IPv4 ranges that are not public: those of the IANA registry of special purposes that are not
 * globally reachable (RFC 6890 and later), and multicast. */
static bool is_private_4(uint32_t address)
{
    static const struct {
        uint32_t first;
        int bits;
    } ranges[] = {
        {0x00000000, 8},  /* 0.0.0.0/8: this network */
        {0x0a000000, 8},  /* 10.0.0.0/8: private */
        {0x64400000, 10}, /* 100.64.0.0/10: shared by a provider */
        {0x7f000000, 8},  /* 127.0.0.0/8: loopback */
        {0xa9fe0000, 16}, /* 169.254.0.0/16: link */
        {0xac100000, 12}, /* 172.16.0.0/12: private */
        {0xc0000000, 24}, /* 192.0.0.0/24: protocols */
        {0xc0000200, 24}, /* 192.0.2.0/24: documentation */
        {0xc0586300, 24}, /* 192.88.99.0/24: relays of 6to4, given up */
        {0xc0a80000, 16}, /* 192.168.0.0/16: private */
        {0xc6120000, 15}, /* 198.18.0.0/15: measurements */
        {0xc6336400, 24}, /* 198.51.100.0/24: documentation */
        {0xcb007100, 24}, /* 203.0.113.0/24: documentation */
        {0xe0000000, 3}   /* 224.0.0.0/4: multicast, 240.0.0.0/4: reserved */
    };

    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if ((address ^ ranges[k].first) >> (32 - ranges[k].bits) == 0)
            return true;
    return false;
}

static uint32_t word_of(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Public are 2000::/3 but for tunnels, which hide an IPv4 address, protocols and documentation. */
static bool is_private_6(const struct in6_addr *address)
{
    static const struct {
        uint32_t first;
        int bits;
    } ranges[] = {
        {0x20010000, 23}, /* 2001::/23: protocols, Teredo among them */
        {0x20010db8, 32}, /* 2001:db8::/32: documentation */
        {0x20020000, 16}, /* 2002::/16: 6to4 */
        {0x3fff0000, 20}  /* 3fff::/20: documentation */
    };
    const unsigned char *bytes = address->s6_addr;
    uint32_t first = word_of(bytes);

    if (IN6_IS_ADDR_V4MAPPED(address))
        return is_private_4(word_of(bytes + 12));
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if ((first ^ ranges[k].first) >> (32 - ranges[k].bits) == 0)
            return true;
    return first >> 29 != 1;
}

bool webhook_address_is_allowed(enum webhook_addresses rule, const struct sockaddr *address,
                                char ret_why[WEBHOOK_WHY_MAX])
{
    const struct sockaddr_in *in4 = (const void *)address;
    const struct sockaddr_in6 *in6 = (const void *)address;
    char text[INET6_ADDRSTRLEN] = "";
    bool is_private;

    if (address->sa_family == AF_INET) {
        is_private = is_private_4(ntohl(in4->sin_addr.s_addr));
        inet_ntop(AF_INET, &in4->sin_addr, text, sizeof text);
    } else if (address->sa_family == AF_INET6) {
        is_private = is_private_6(&in6->sin6_addr);
        inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof text);
    } else {
        snprintf(ret_why, WEBHOOK_WHY_MAX, "the address is none of IPv4 or IPv6");
        return false;
    }
    if (rule == WEBHOOK_ANY || is_private == (rule == WEBHOOK_PRIVATE))
        return true;
    snprintf(ret_why, WEBHOOK_WHY_MAX,
             "the address %s is %s, and rinkd's setting webhook_addresses is %s", text,
             is_private ? "private" : "public", webhook_addresses_names[rule]);
    return false;
}

/* ---- URLs ---- */

static bool refuse(char ret_why[WEBHOOK_WHY_MAX], const char *why)
{
    snprintf(ret_why, WEBHOOK_WHY_MAX, "%s", why);
    return false;
}

/* Reads an IP address as a host, "192.0.2.1" or "2001:db8::1"; false: it is a name. */
static bool read_address(const char *host, struct sockaddr_storage *ret_address)
{
    struct sockaddr_in *in4 = (void *)ret_address;
    struct sockaddr_in6 *in6 = (void *)ret_address;

    *ret_address = (struct sockaddr_storage){.ss_family = AF_INET};
    if (inet_pton(AF_INET, host, &in4->sin_addr) == 1)
        return true;
    ret_address->ss_family = AF_INET6;
    return inet_pton(AF_INET6, host, &in6->sin6_addr) == 1;
}

static bool port_is_good(const char *port)
{
    size_t length = strspn(port, "0123456789");

    return length > 0 && length <= 5 && port[length] == '\0' && atoi(port) > 0 &&
           atoi(port) <= 65535;
}

bool webhook_url_is_good(enum webhook_addresses rule, const char *url,
                         char ret_why[WEBHOOK_WHY_MAX])
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    char authority[256], *host = authority, *port = NULL;
    struct sockaddr_storage address;
    size_t scheme = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
    size_t length = strcspn(url + scheme, "/?");

    if (scheme == 0)
        return refuse(ret_why, "must begin with http:// or https://");
    for (const char *at = url; *at; at++)
        if (*at <= ' ' || *at > '~' || *at == '#' || *at == '\\')
            return refuse(ret_why, "must be ASCII without blanks, '#' and '\\'");
    if (length == 0 || length >= sizeof authority || memchr(url + scheme, '@', length))
        return refuse(ret_why, "must have a host, and no user");
    memcpy(authority, url + scheme, length);
    authority[length] = '\0';
    if (*host == '[') {
        char *end = strchr(++host, ']');
        if (!end || (end[1] != '\0' && end[1] != ':') ||
            (*end = '\0', !read_address(host, &address) || address.ss_family != AF_INET6))
            return refuse(ret_why, "must have an IPv6 address between '[' and ']'");
        port = end[1] ? end + 2 : NULL;
    } else {
        port = strchr(host, ':');
        if (port)
            *port++ = '\0';
        if (*host == '\0' || strspn(host, name) != strlen(host))
            return refuse(ret_why, "must have a host of letters, digits, '-', '_' and '.'");
    }
    if (port && !port_is_good(port))
        return refuse(ret_why, "must have a port from 1 to 65535");
    char why[WEBHOOK_WHY_MAX - 16];
    if (!read_address(host, &address) ||
        webhook_address_is_allowed(rule, (const struct sockaddr *)&address, ret_why))
        return true;
    snprintf(why, sizeof why, "%s", ret_why);
    snprintf(ret_why, WEBHOOK_WHY_MAX, "is refused: %s", why);
    return false;
}

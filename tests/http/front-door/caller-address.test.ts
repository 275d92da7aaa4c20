import { describe, expect, test } from "bun:test";
import { createCall } from "../../../src/http/call.ts";
import { addressGroup, callerAddress, callerOwner } from "../../../src/http/front-door/caller-address.ts";
import { readTrustedProxies } from "../../../src/http/front-door/trusted-proxies.ts";
import { silentLogger } from "../../../src/kit/log.ts";

const nobody: readonly string[] = [];
const ours = ["10.0.0.0/8", "2001:db8:aaaa::/48"];

interface Given {
  peer: string | null;
  trusted: readonly string[];
  headers: HeadersInit;
}

/** Returns the address that counts for a request with these headers over a connection from `peer`, and the owner of such calls. */
function countedBy({ peer, trusted, headers }: Given): { address: string; owner: string } {
  const { proxies, faults } = readTrustedProxies(trusted);
  expect(faults).toEqual([]);
  const connection = {
    timeout() {},
    requestIP: () => (peer === null ? null : { address: peer }),
    upgrade: () => false,
  };
  const call = createCall({
    requestId: "r",
    peer: "network",
    trusted: false,
    isOwner: false,
    log: silentLogger,
    connection,
    trustedProxies: proxies,
  });
  const request = new Request("http://localhost/", { headers });
  return { address: callerAddress(call, request), owner: callerOwner(call, request) };
}

const addressOf = (given: Given): string => countedBy(given).address;

const list = (value: string): HeadersInit => ({ "x-forwarded-for": value });
const standard = (value: string): HeadersInit => ({ forwarded: value });

describe("a caller is counted by", () => {
  const table: [by: string, peer: string | null, trusted: readonly string[], HeadersInit, address: string][] =
    [
      ["the connection, when nobody is trusted", "10.0.0.1", nobody, list("192.0.2.1"), "10.0.0.1"],
      ["the connection, when that is nobody trusted", "203.0.113.9", ours, list("192.0.2.1"), "203.0.113.9"],
      ["the other door", null, ours, list("192.0.2.1"), "network"],
      ["a proxy that says nothing", "10.0.0.1", ours, {}, "10.0.0.1"],
      ["what a proxy says", "10.0.0.1", ours, list("192.0.2.1"), "192.0.2.1"],
      ["what a proxy says by the standard", "10.0.0.1", ours, standard("for=192.0.2.1"), "192.0.2.1"],
      ["a proxy in the form of IPv6", "::ffff:10.0.0.1", ours, list("192.0.2.1"), "192.0.2.1"],
      ["a proxy over IPv6", "2001:db8:aaaa::1", ours, list("2001:DB8:1::0:7"), "2001:db8:1::7"],
      ["the caller's IPv4 address", "10.0.0.1", ours, list("::ffff:192.0.2.1"), "192.0.2.1"],
      ["an address with a port", "10.0.0.1", ours, list("192.0.2.1:4711"), "192.0.2.1"],
      ["an IPv6 address with a port", "10.0.0.1", ours, list("[2001:db8:1::7]:4711"), "2001:db8:1::7"],
      [
        "the nearest that is not a proxy",
        "10.0.0.1",
        ours,
        list("6.6.6.6, 192.0.2.1, 10.0.0.2"),
        "192.0.2.1",
      ],
      ["a machine beside the proxies", "10.0.0.1", ours, list("10.9.9.9, 10.0.0.2"), "10.9.9.9"],
      ["the proxy before one unknown", "10.0.0.1", ours, list("6.6.6.6, unknown, 10.0.0.2"), "10.0.0.2"],
      ["the proxy itself for one unknown", "10.0.0.1", ours, list("6.6.6.6, unknown"), "10.0.0.1"],
      ["the proxy itself for an empty entry", "10.0.0.1", ours, list("6.6.6.6,"), "10.0.0.1"],
      ["the proxy itself for a short spelling", "10.0.0.1", ours, list("127.1"), "10.0.0.1"],
      ["the proxy itself for octal", "10.0.0.1", ours, list("0300.0.2.1"), "10.0.0.1"],
      ["the proxy itself for a zone", "10.0.0.1", ours, list("fe80::1%eth0"), "10.0.0.1"],
      [
        "lines that were sent apart",
        "10.0.0.1",
        ours,
        [
          ["X-Forwarded-For", "6.6.6.6"],
          ["X-Forwarded-For", "192.0.2.1"],
        ],
        "192.0.2.1",
      ],
      [
        "the nearest of a standard header",
        "10.0.0.1",
        ours,
        standard('for=6.6.6.6;proto=https, For="[2001:db8:1::7]:4711";by=_x, for=10.0.0.2'),
        "2001:db8:1::7",
      ],
      ["a name of the proxy's own", "10.0.0.1", ours, standard("for=6.6.6.6, for=_hidden"), "10.0.0.1"],
      ["an element without an address", "10.0.0.1", ours, standard("for=6.6.6.6, proto=https"), "10.0.0.1"],
      ["both headers that say the same", "10.0.0.1", ours, bothOf("192.0.2.1", "for=192.0.2.1"), "192.0.2.1"],
    ];
  test.each(table)("%s (%#)", (_, peer, trusted, headers, address) => {
    expect(addressOf({ peer, trusted, headers })).toBe(address);
  });
});

function bothOf(listed: string, forwarded: string): HeadersInit {
  return { "x-forwarded-for": listed, forwarded };
}

describe("a caller that behind a proxy lies about itself is counted by that proxy", () => {
  const table: [lie: string, headers: HeadersInit][] = [
    ["in the header that the proxy doesn't write", bothOf("6.6.6.6", "for=192.0.2.1")],
    ["in the other one", bothOf("192.0.2.1", "for=6.6.6.6")],
    ["with a quotation mark that stays open", standard('for=6.6.6.6;x=", for=192.0.2.1')],
    [
      "with one that the next proxy closes",
      standard('for=6.6.6.6;x=", for=192.0.2.1, for="[2001:db8:aaaa::1]"'),
    ],
    ["with one before the other header", bothOf("6.6.6.6", 'x=", for=192.0.2.1')],
    ["with two addresses in one element", standard("for=6.6.6.6;for=192.0.2.1")],
    ["with what is not a list", standard("for=6.6.6.6 for=192.0.2.1")],
    ["with a comma at the end", standard("for=6.6.6.6,")],
  ];
  test.each(table)("%s", (_, headers) => {
    expect(addressOf({ peer: "10.0.0.1", trusted: ours, headers })).toBe("10.0.0.1");
  });
});

test("a very long header is read in one pass", () => {
  for (const value of ["6.6.6.6,".repeat(20_000), "for=".repeat(20_000), `for="${"\\a".repeat(20_000)}`]) {
    const headers = bothOf(`${value}192.0.2.1`, value);
    expect(addressOf({ peer: "10.0.0.1", trusted: ours, headers })).toBe("10.0.0.1");
  }
});

test("callers without an account are owners by address: IPv6 by its /64, behind a trusted proxy the caller's", () => {
  const owners = [
    { peer: "192.0.2.7", trusted: nobody, headers: {} },
    { peer: "::ffff:192.0.2.7", trusted: nobody, headers: {} },
    { peer: "2001:db8:1:2::7", trusted: nobody, headers: {} },
    { peer: "2001:db8:1:2:ffff::8", trusted: nobody, headers: {} },
    { peer: "2001:db8:1:3::7", trusted: nobody, headers: {} },
    { peer: "10.0.0.1", trusted: ours, headers: list("2001:db8:1:2::9") },
    // Nobody vouches for what strangers write.
    { peer: "198.51.100.1", trusted: ours, headers: list("2001:db8:1:2::9") },
  ].map((given) => countedBy(given).owner);
  expect(owners).toEqual([
    "192.0.2.7",
    "192.0.2.7",
    "2001:db8:1:2::/64",
    "2001:db8:1:2::/64",
    "2001:db8:1:3::/64",
    "2001:db8:1:2::/64",
    "198.51.100.1",
  ]);
  expect(addressGroup("control")).toBe("control");
});

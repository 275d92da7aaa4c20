import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { NetworkRequest } from "../../../../src/engine/tools/network/guarded-network.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { answering, closed, echoServer, rawServer } from "../../../support/network-servers.ts";
import { refusal } from "../../../support/refusal.ts";
import { type TestNetworkOptions, testNetwork, testRequest } from "../../../support/test-network.ts";

const { seen, at, redirect, stop } = echoServer();
beforeEach(() => void seen.splice(0));
afterAll(stop);

const ask = (url: string, more: Partial<NetworkRequest> = {}, options: TestNetworkOptions = {}) =>
  testNetwork(options).request(testRequest(url, more));
const textOf = (body: Uint8Array | undefined) => new TextDecoder().decode(body);

describe("a body", () => {
  const packed: [coding: string, pack: (bytes: Uint8Array) => Uint8Array][] = [
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["DEFLATE", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["gzip, br", (bytes) => brotliCompressSync(gzipSync(bytes))],
  ];
  const plain = new TextEncoder().encode("hello ".repeat(1000));

  test.each(packed)("in %s is unpacked", async (coding, pack) => {
    using raw = await answering(`200 OK\r\nContent-Encoding: ${coding}`, pack(plain));
    expect(textOf((await ask(raw.url)).body)).toBe(textOf(plain));
  });

  test.each(packed)("in %s counts as long as it is unpacked", async (coding, pack) => {
    using raw = await answering(`200 OK\r\nContent-Encoding: ${coding}`, pack(plain));
    const exact = await ask(raw.url, { bodyBytesMax: 6000 });
    expect([exact.body.length, exact.wasCut]).toEqual([6000, false]);
    expect(await refusal(ask(raw.url, { bodyBytesMax: 5999 }))).toMatchObject({
      code: "network_body_too_large",
      message: "The answer has more than 5999 bytes; ask for a smaller part of it.",
    });
    const cut = await ask(raw.url, { bodyBytesMax: 7, whenLonger: "cut" });
    expect([textOf(cut.body), cut.wasCut]).toEqual(["hello h", true]);
  });

  test("of no bytes is empty in any coding", async () => {
    using raw = await answering("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0");
    expect((await ask(raw.url)).body).toHaveLength(0);
  });

  test("is read to its bound and not further", async () => {
    using endless = await rawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const more = () => {
        while (!socket.destroyed && socket.write("x".repeat(16_384)));
      };
      socket.on("drain", more);
      more();
    });
    const answer = await ask(endless.url, { whenLonger: "cut" });
    expect([answer.body.length, answer.wasCut]).toEqual([100_000, true]);
    expect(await refusal(ask(endless.url))).toMatchObject({ code: "network_body_too_large" });
  });

  test("whose head says it is too long is not read at all", async () => {
    using raw = await rawServer((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n"),
    );
    expect(await refusal(ask(raw.url))).toMatchObject({ code: "network_body_too_large" });
  });

  test("in codings inside codings inside codings is refused", async () => {
    using raw = await answering("200 OK\r\nContent-Encoding: gzip, gzip, gzip, gzip", gzipSync(plain));
    expect(await refusal(ask(raw.url))).toMatchObject({ code: "network_failed" });
  });

  test.each(["none", "utf-8", "constructor", "aws-chunked"])(
    "in %s, which is not a coding, stays as it is",
    async (coding) => {
      using raw = await answering(`200 OK\r\nContent-Encoding: ${coding}`, "as it is");
      expect(textOf((await ask(raw.url)).body)).toBe("as it is");
    },
  );

  test.each<[what: string, head: string, body: string | Uint8Array]>([
    ["cut off", "200 OK\r\nContent-Length: 100", "abc"],
    ["that is not gzip", "200 OK\r\nContent-Encoding: gzip", "no gzip at all"],
    ["of half a gzip", "200 OK\r\nContent-Encoding: gzip", gzipSync(plain).subarray(0, 30)],
  ])("%s is a failure", async (_, head, body) => {
    using raw = await answering(head, body);
    expect(await refusal(ask(raw.url))).toMatchObject({ code: "network_failed" });
  });
});

describe("a server that is none", () => {
  test.each<[what: string, words: string]>([
    ["speaks another protocol", "220 mail.example ESMTP\r\n"],
    ["sends 10,000 headers", `HTTP/1.1 200 OK\r\n${"X-A: 1\r\n".repeat(10_000)}\r\n`],
    ["sends one header without end", `HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(8_000_000)}`],
    [
      "wants to change the protocol",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    ],
    ["tells two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["says nothing", ""],
  ])("%s", async (_, words) => {
    using raw = await rawServer((socket) => socket.end(words));
    const error = await refusal(ask(raw.url));
    expect(error.code).toBe("network_failed");
    expect(error.message).toMatch(
      /^The server's answer is not readable HTTP\.$|^The server closed the connection/,
    );
    expect(error.cause).toBeUndefined();
  });

  test("https where only http is spoken", async () => {
    const error = await refusal(ask(at("a.test").replace("http:", "https:")));
    expect(error.code).toBe("network_failed");
    expect(error.message).not.toMatch(/\d{2}/);
  });
});

describe("time", () => {
  test("is one for everything: lookup, redirects and a body that drips", async () => {
    const clock = new FakeClock();
    using dripping = await rawServer((socket) =>
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\na"),
    );
    const network = testNetwork({
      clock,
      resolve: async () => {
        await clock.advance(400);
        return ["127.0.0.1"];
      },
    });
    const first = redirect("a.test", 302, dripping.url);
    const refused = refusal(network.request(testRequest(first, { timeoutMs: 1000 })));
    while (dripping.sockets.length === 0) await settle();
    // 200 ms are left after two lookups.
    await clock.advance(199);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await refused).toMatchObject({
      code: "network_timed_out",
      message: "The request took longer than 1 seconds and was stopped.",
    });
  });

  test("ends with the caller's: their reason is thrown, and the connection goes", async () => {
    using silent = await rawServer(() => {});
    const caller = new AbortController();
    const reason = new Error("the caller left");
    const asked = ask(silent.url, { signal: caller.signal }).catch((thrown) => thrown);
    while (silent.sockets.length === 0) await settle();
    caller.abort(reason);
    expect(await asked).toBe(reason);
    await closed(silent.sockets[0]);
    expect(await ask(silent.url, { signal: caller.signal }).catch((thrown) => thrown)).toBe(reason);
  });

  test("leaves no timer behind", async () => {
    const clock = new FakeClock();
    await ask(at("a.test"), {}, { clock });
    await refusal(ask("ftp://a.test/", {}, { clock }));
    expect(clock.pending).toBe(0);
  });
});

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { NetworkRequest } from "../../../../src/engine/tools/network/guarded-network.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { echoServer } from "../../../support/network-servers.ts";
import { refusal } from "../../../support/refusal.ts";
import { type TestNetworkOptions, testNetwork, testRequest } from "../../../support/test-network.ts";

const { seen, at, stop } = echoServer();
beforeEach(() => void seen.splice(0));
afterAll(stop);

const ask = (url: string, more: Partial<NetworkRequest> = {}, options: TestNetworkOptions = {}) =>
  testNetwork(options).request(testRequest(url, more));

describe("this machine", () => {
  test.each([
    "localhost",
    "x.localhost",
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "0.0.0.0",
    "[::ffff:127.0.0.1]",
    "LOCALHOST.",
  ])("is reached as %s by callers with the right, and by no others", async (host) => {
    expect((await ask(at(host))).status).toBe(200);
    const error = await refusal(ask(at(host), { allowsLoopback: false }));
    expect(error).toMatchObject({ code: "network_refused" });
    expect(error.message).toBe("This host is not on the public internet and may not be reached from here.");
    expect(seen).toHaveLength(1);
  });

  test.each([
    "169.254.169.254",
    "[fe80::1]",
    "10.0.0.1",
    "192.168.0.1",
    "[fd00::1]",
    "[2002:7f00:1::]",
    "metadata",
  ])("being allowed does not open %s", async (host) => {
    expect(await refusal(ask(`http://${host}/`))).toMatchObject({ code: "network_refused" });
  });

  test("localhost is never looked up", async () => {
    const resolve = () => Promise.reject(new Error("asked"));
    expect((await ask(at("localhost"), {}, { resolve })).status).toBe(200);
  });
});

describe("names", () => {
  const refusedAs = async (addresses: string[], host = "a.test") =>
    (await refusal(ask(`http://${host}/`, { allowsLoopback: false }, { names: { [host]: addresses } }))).code;

  test.each<[what: string, addresses: string[]]>([
    ["one private among public ones", ["1.1.1.1", "10.0.0.1"]],
    ["a mapped private one", ["1.1.1.1", "::ffff:10.0.0.1"]],
    ["this machine", ["127.0.0.1"]],
    ["the unspecified address", ["0.0.0.0"]],
    ["a zone", ["fe80::1%eth0"]],
    ["no address at all", ["not-an-address"]],
    ["more than any honest name has", Array(33).fill("1.1.1.1")],
  ])("that answer with %s are refused", async (_, addresses) => {
    expect(await refusedAs(addresses)).toBe("network_refused");
  });

  test.each(["printer", "a.local", "a.internal", "a.svc", "a.home.arpa", "x.onion", "a.corp"])(
    "of local networks are not even asked for: %s",
    async (host) => {
      let asked = 0;
      const resolve = async () => [`1.1.1.${++asked}`];
      const error = await refusal(ask(`http://${host}/`, {}, { resolve }));
      expect([error.code, asked]).toEqual(["network_refused", 0]);
    },
  );

  test("that are unknown, or whose lookup fails, fail", async () => {
    const unknown = { code: "network_failed", message: "The host's name is not known." };
    expect(await refusal(ask(at("a.test"), {}, { names: { "a.test": [] } }))).toMatchObject(unknown);
    const resolve = () => Promise.reject(new Error("SERVFAIL 10.0.0.53"));
    expect(await refusal(ask(at("a.test"), {}, { resolve }))).toMatchObject(unknown);
  });

  test("are asked for once in 30 seconds, and what they said then is judged for each caller", async () => {
    const clock = new FakeClock();
    let asked = 0;
    const network = testNetwork({ clock, resolve: async () => [`127.0.0.${++asked === 1 ? 1 : 2}`] });
    const request = testRequest(at("a.test"));
    await network.request(request);
    expect(await refusal(network.request({ ...request, allowsLoopback: false }))).toMatchObject({
      code: "network_refused",
    });
    await clock.advance(29_999);
    await network.request(request);
    expect(asked).toBe(1);
    await clock.advance(1);
    // The server listens only on the first address.
    expect(await refusal(network.request(request))).toMatchObject({
      code: "network_failed",
      message: "The server could not be reached.",
    });
    expect(asked).toBe(2);
    await refusal(network.request(request));
    expect(asked).toBe(3);
  });

  test("are remembered in a bounded number", async () => {
    const asked: string[] = [];
    const resolve = async (host: string) => {
      asked.push(host);
      return ["10.0.0.1"];
    };
    const network = testNetwork({ clock: new FakeClock(), resolve });
    for (let index = 0; index <= 1000; index++) {
      await refusal(network.request(testRequest(`http://n${index}.test/`)));
    }
    await refusal(network.request(testRequest("http://n1000.test/")));
    expect(asked).toHaveLength(1001);
    await refusal(network.request(testRequest("http://n0.test/")));
    expect(asked.at(-1)).toBe("n0.test");
    expect(asked).toHaveLength(1002);
  });

  test("with several addresses are reached at the first that answers", async () => {
    const names = { "a.test": ["127.0.0.9", "127.0.0.8", "127.0.0.1"] };
    expect((await ask(at("a.test"), {}, { names })).status).toBe(200);
    const tooMany = { "a.test": ["127.0.0.9", "127.0.0.8", "127.0.0.7", "127.0.0.1"] };
    expect(await refusal(ask(at("a.test"), {}, { names: tooMany }))).toMatchObject({
      code: "network_failed",
    });
  });

  test("that take too long to look up time out after 5 seconds, before the request does", async () => {
    const clock = new FakeClock();
    const network = testNetwork({ clock, resolve: () => new Promise(() => {}) });
    const refused = refusal(network.request(testRequest(at("a.test"))));
    await clock.advance(5000);
    expect(await refused).toMatchObject({
      code: "network_failed",
      message: "The host's name could not be looked up in time.",
    });
    expect(clock.pending).toBe(0);
  });
});

describe("what the operator opens", () => {
  test.each<[allow: string[], host: string, addresses: string[], isOpen: boolean]>([
    [["127.0.0.0/8"], "a.test", ["127.0.0.1"], true],
    [["127.0.0.0/8"], "localhost", [], true],
    [["127.0.0.1"], "a.local", ["127.0.0.1"], true],
    [["127.0.0.1"], "a.test", ["127.0.0.1", "10.0.0.1"], false],
    [["10.0.0.0/8"], "a.test", ["127.0.0.1"], false],
    // A local name leads only to opened addresses, never outside.
    [["127.0.0.1"], "a.local", ["127.0.0.1", "1.1.1.1"], false],
    [["169.0.0.0/8"], "a.test", ["169.254.169.254"], false],
    [["a.local"], "a.local", ["169.254.169.254"], false],
  ])("%j, %s at %j: %p", async (allow, host, addresses, isOpen) => {
    const asked = ask(at(host), { allowsLoopback: false }, { allow, names: { [host]: addresses } });
    if (isOpen) expect((await asked).status).toBe(200);
    else expect(await refusal(asked)).toMatchObject({ code: "network_refused" });
  });

  test("ports of services that trust their network are open there alone", async () => {
    const port = { code: "network_refused", message: "This port may not be called." };
    const unreachable = { code: "network_failed", message: "The server could not be reached." };
    const url = "http://a.test:11434/";
    expect(await refusal(ask(url))).toMatchObject(port);
    expect(await refusal(ask(url, {}, { allow: ["10.0.0.0/8"] }))).toMatchObject(port);
    expect(
      await refusal(ask(url, {}, { allow: ["127.0.0.8"], names: { "a.test": ["127.0.0.8"] } })),
    ).toMatchObject(unreachable);
    // Ports of services without HTTP.
    for (const closed of [22, 25, 5432, 6379, 2375, 10_250]) {
      expect(await refusal(ask(`http://a.test:${closed}/`, {}, { allow: ["127.0.0.1"] }))).toMatchObject(
        port,
      );
    }
  });
});

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { NetworkRequest } from "../../../../src/engine/tools/network/guarded-network.ts";
import { answering, echoServer } from "../../../support/network-servers.ts";
import { refusal } from "../../../support/refusal.ts";
import { type TestNetworkOptions, testNetwork, testRequest } from "../../../support/test-network.ts";

const { seen, at, redirect, port, stop } = echoServer();
beforeEach(() => void seen.splice(0));
afterAll(stop);

const ask = (url: string, more: Partial<NetworkRequest> = {}, options: TestNetworkOptions = {}) =>
  testNetwork(options).request(testRequest(url, more));
const textOf = (body: Uint8Array | undefined) => new TextDecoder().decode(body);

describe("a request", () => {
  test("goes to the checked address under the name of the URL", async () => {
    const answer = await ask(at("shop.test", "/a/b?c=d%20e#f"), { headers: { "X-Own": "1" } });
    expect(answer).toMatchObject({ status: 200, url: at("shop.test", "/a/b?c=d%20e#f"), wasCut: false });
    expect(textOf(answer.body)).toBe("hello");
    expect(seen[0]).toMatchObject({ method: "GET", host: `shop.test:${port}`, path: "/a/b" });
    expect(seen[0]?.headers.get("x-own")).toBe("1");
    expect(seen[0]?.headers.get("user-agent")).toBe("Argosy");
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("%s sends its body", async (method) => {
    await ask(at("a.test"), { method, body: new TextEncoder().encode("käse") });
    expect(seen[0]).toMatchObject({ method, body: "käse" });
  });

  test("HEAD has no body, however long the one it speaks of is", async () => {
    const answer = await ask(at("a.test", "/?n=5000"), { method: "HEAD", bodyBytesMax: 10 });
    expect([answer.status, answer.body.length, answer.wasCut]).toEqual([200, 0, false]);
  });

  test.each([
    ["GET", { body: "x" }, "GET sends no body"],
    ["TRACE", {}, "The method must be one of GET"],
    ["CONNECT", {}, "The method must be one of GET"],
    ["GET / HTTP/1.1\r\nX: ", {}, "The method must be one of GET"],
  ])("%j is refused", async (method, more, message) => {
    const error = await refusal(ask(at("a.test"), { method, ...more }));
    expect(error).toMatchObject({ code: "network_refused", message: expect.stringContaining(message) });
    expect(seen).toEqual([]);
  });
});

describe("headers", () => {
  test.each([
    ...[
      "Host",
      "Connection",
      "Keep-Alive",
      "Content-Length",
      "Transfer-Encoding",
      "TE",
      "Trailer",
      "Upgrade",
    ],
    ...["Expect", "Accept-Encoding", "Proxy-Authorization", "Proxy-Connection", "Forwarded", "Via"],
    ...[
      "X-Forwarded-For",
      "X-Forwarded-Host",
      "X-Real-IP",
      "Metadata",
      "Metadata-Flavor",
      "X-Google-Metadata-Request",
    ],
    ...[
      "X-aws-ec2-metadata-token",
      "X-aws-ec2-metadata-token-ttl-seconds",
      "X-Metadata-Token",
      "HTTP2-Settings",
    ],
  ])("%s is not the caller's to set", async (name) => {
    await ask(at("a.test"), {
      method: "POST",
      body: "four",
      headers: { [name]: "7", [name.toUpperCase()]: "7" },
    });
    expect(seen[0]).toMatchObject({ body: "four", host: `a.test:${port}` });
    expect(seen[0]?.headers.get(name)).not.toBe("7");
  });

  test.each([
    [{ "X-A": "1\r\nX-B: 2" }, "The header X-A may not hold line breaks"],
    [{ "X-A": "1\n2" }, "The header X-A"],
    [{ "X-A": "1\u00002" }, "The header X-A"],
    [{ "X-A": "€" }, "Latin-1"],
    [{ "X-A: 1\r\nX-B": "2" }, "A header's name"],
    [{ "": "2" }, "A header's name"],
    [{ "X A": "2" }, "A header's name"],
  ])("%j is refused", async (headers, message) => {
    const error = await refusal(ask(at("a.test"), { headers: headers as Record<string, string> }));
    expect(error).toMatchObject({ code: "network_refused", message: expect.stringContaining(message) });
    expect(seen).toEqual([]);
  });
});

describe("redirects", () => {
  test.each<[status: number, method: string, becomes: string]>([
    [301, "GET", "GET"],
    [302, "POST", "GET"],
    [301, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "DELETE", "GET"],
    [302, "PUT", "PUT"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ])("%d makes of %s %s", async (status, method, becomes) => {
    const sent = method === "GET" ? {} : { body: "the body", headers: { "content-type": "text/x" } };
    const answer = await ask(redirect("a.test", status, "/there"), { method, ...sent });
    expect(answer.url).toBe(at("a.test", "/there"));
    expect(seen[1]).toMatchObject({ method: becomes, body: becomes === "GET" ? "" : "the body" });
    expect(seen[1]?.headers.get("content-type")).toBe(becomes === "GET" ? null : "text/x");
  });

  const credentials = {
    Authorization: "Bearer s",
    Cookie: "s=1",
    "X-Api-Key": "s",
    "Private-Token": "s",
    "X-Tenant": "s",
    Accept: "text/plain",
  };

  test("keep credentials within the origin", async () => {
    await ask(redirect("a.test", 302, "/there"), { headers: credentials });
    for (const [name, value] of Object.entries(credentials)) expect(seen[1]?.headers.get(name)).toBe(value);
  });

  test("drop them towards another, and do not bring them back", async () => {
    const back = redirect("b.test", 302, at("a.test", "/back"));
    await ask(redirect("a.test", 302, back), { headers: credentials });
    expect(seen.map(({ host, path }) => [host.split(":")[0], path])).toEqual([
      ["a.test", "/to"],
      ["b.test", "/to"],
      ["a.test", "/back"],
    ]);
    for (const { headers } of seen.slice(1)) {
      expect(headers.get("accept")).toBe("text/plain");
      expect([...headers.values()].filter((value) => /s/.test(value) && value === "s")).toEqual([]);
      for (const name of ["authorization", "cookie", "x-api-key", "private-token", "x-tenant"]) {
        expect(headers.get(name)).toBeNull();
      }
    }
  });

  test("another port is another origin", async () => {
    using other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => new Response(request.headers.get("authorization") ?? "nothing"),
    });
    const to = `http://a.test:${other.port}/`;
    const { body } = await ask(redirect("a.test", 302, to), { headers: credentials });
    expect(textOf(body)).toBe("nothing");
  });

  test.each<[what: string, url: string, more: Partial<NetworkRequest>, message: string]>([
    [
      "a body to another origin",
      redirect("a.test", 307, at("b.test")),
      { method: "POST", body: "x" },
      "redirects the POST",
    ],
    [
      "a deed to another origin",
      redirect("a.test", 308, at("b.test")),
      { method: "DELETE" },
      "redirects the DELETE",
    ],
    ["a file", redirect("a.test", 302, "file:///etc/passwd"), {}, "Only http:// and https://"],
    ["a name and password", redirect("a.test", 302, "http://u:p@a.test/"), {}, "user name"],
    ["link-local", redirect("a.test", 302, "http://169.254.169.254/"), {}, "not on the public internet"],
    ["a closed port", redirect("a.test", 302, "http://a.test:6379/"), {}, "This port may not be called"],
    ["nothing readable", redirect("a.test", 302, "http://[::1/"), {}, "not a URL that can be read"],
  ])("to %s are refused", async (_, url, more, message) => {
    const error = await refusal(ask(url, more));
    expect(error).toMatchObject({ code: "network_refused", message: expect.stringContaining(message) });
    expect(seen).toHaveLength(1);
  });

  test("more than five are refused, and fewer where a caller wants fewer", async () => {
    const chain = (length: number): string =>
      length === 0 ? "/end" : redirect("a.test", 302, chain(length - 1));
    expect((await ask(chain(5))).url).toBe(at("a.test", "/end"));
    const tooMany = { code: "network_refused", message: "The server redirects more often than is followed." };
    expect(await refusal(ask(chain(6), { redirectsMax: 100 }))).toMatchObject(tooMany);
    expect(await refusal(ask(chain(2), { redirectsMax: 1 }))).toMatchObject(tooMany);
  });

  test("are the answer where none is followed, wherever they lead", async () => {
    const answer = await ask(redirect("a.test", 302, "http://169.254.169.254/"), { redirectsMax: 0 });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://169.254.169.254/"]);
  });

  test("a redirect without a place is an answer", async () => {
    using raw = await answering("302 Found\r\nContent-Length: 2", "ok");
    expect(await ask(raw.url)).toMatchObject({ status: 302 });
  });
});

describe("a credential of a base address", () => {
  const credential = { authorization: "Bearer canary", "x-api-key": "canary", accept: "text/plain" };
  const send = (url: string, more: Partial<NetworkRequest> = {}) =>
    ask(url, { headers: credential, credentialBase: at("shop.test", "/api"), redirectsMax: 5, ...more });
  /** An address below the base that redirects. */
  const moved = (status: number, location: string) =>
    redirect("shop.test", status, location).replace("/to?", "/api/to?");

  test("goes to the base and below it, redirects included", async () => {
    await send(moved(302, "/api/v2/orders"));
    expect(seen.map(({ path, headers }) => [path, headers.get("authorization")])).toEqual([
      ["/api/to", "Bearer canary"],
      ["/api/v2/orders", "Bearer canary"],
    ]);
  });

  test.each([301, 302, 303, 307, 308])(
    "stays there after a redirect with %d that leads out",
    async (status) => {
      const ways = ["/admin", "/apix", "../other", "/api/..%2fadmin", at("other.test", "/api/orders")];
      for (const location of ways) {
        seen.splice(0);
        await send(moved(status, location));
        expect(seen).toHaveLength(2);
        expect(seen[0]?.headers.get("x-api-key")).toBe("canary");
        expect(JSON.stringify([...(seen[1]?.headers ?? [])])).not.toContain("canary");
        expect(seen[1]?.headers.get("accept")).toBe("text/plain");
      }
    },
  );

  test("doesn't come back after a way out and in again", async () => {
    const back = `/to?s=302&l=${encodeURIComponent("/api/orders")}`;
    await send(moved(302, back));
    expect(seen.map(({ path, headers }) => [path, headers.has("authorization")])).toEqual([
      ["/api/to", true],
      ["/to", false],
      ["/api/orders", false],
    ]);
  });

  test("a POST that is redirected out of it is refused, and a first address outside is never called", async () => {
    const error = await refusal(send(moved(307, "/admin"), { method: "POST", body: "x" }));
    expect(error).toMatchObject({ code: "network_refused" });
    expect(seen).toHaveLength(1);
    seen.splice(0);
    for (const url of [at("shop.test", "/apix"), at("shop.test", "/api/..%2fx"), at("other.test", "/api")])
      expect(await refusal(send(url))).toMatchObject({ code: "network_refused" });
    expect(seen).toEqual([]);
  });

  test("trust in a private origin ends outside of it", async () => {
    const private_ = {
      allowsLoopback: false,
      trustedOrigin: `http://127.0.0.1:${port}`,
      credentialBase: `http://127.0.0.1:${port}/api`,
    };
    await ask(`http://127.0.0.1:${port}/api/orders`, private_);
    expect(seen).toHaveLength(1);
    const out = `http://127.0.0.1:${port}/api/to?s=302&l=${encodeURIComponent("/admin")}`;
    expect(await refusal(ask(out, { ...private_, redirectsMax: 5 }))).toMatchObject({
      code: "network_refused",
    });
    expect(seen.map(({ path }) => path)).toEqual(["/api/orders", "/api/to"]);
  });
});

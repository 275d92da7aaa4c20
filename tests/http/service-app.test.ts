import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { jsonRoutes } from "../../src/http/route-plugins.ts";
import { recordingLogger, type SampleOptions, sampleService } from "./sample-service.ts";

async function ask(method: string, path: string, init: RequestInit = {}, options: SampleOptions = {}) {
  const { app } = sampleService(options);
  const headers = { host: "localhost", ...(init.headers as Record<string, string> | undefined) };
  return app.handle(new Request(`http://localhost${path}`, { ...init, method, headers }), {
    peer: "network",
  });
}

describe("paths and methods", () => {
  const paths: [string, string[]][] = [
    ["/v1/things", ["GET", "HEAD", "OPTIONS", "POST"]],
    ["/v1/things/some", ["DELETE", "GET", "HEAD", "OPTIONS"]],
    ["/v1/things/fail", ["DELETE", "GET", "HEAD", "OPTIONS", "POST"]],
    ["/v1/hooks/a", ["OPTIONS", "POST"]],
    ["/v1/ws/a", ["GET", "HEAD", "OPTIONS"]],
    ["/healthz", ["GET", "HEAD", "OPTIONS"]],
    ["/docs", ["GET", "HEAD", "OPTIONS"]],
  ];
  const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "LINK"];

  test.each(paths)("%s answers its methods, and others with 405 and Allow", async (path, allowed) => {
    for (const method of methods) {
      for (const spelling of [path, `${path}/`]) {
        const response = await ask(method, spelling);
        if (method === "OPTIONS") {
          expect(response.status).toBe(204);
        } else if (allowed.includes(method)) {
          expect([404, 405]).not.toContain(response.status);
          continue;
        } else {
          expect(response.status).toBe(405);
          expect(await response.json()).toMatchObject({ error: "method_not_allowed" });
        }
        expect(response.headers.get("allow")).toBe(allowed.join(", "));
      }
    }
  });

  test.each(["/", "/nope", "/v1", "/v1/things/a/b", "/v1/hooks"])(
    "%s is 404 with every method",
    async (path) => {
      for (const method of methods) {
        const response = await ask(method, path);
        expect(response.status).toBe(404);
        expect(await response.json()).toMatchObject({
          error: "not_found",
          message: "There is nothing at this path.",
        });
      }
    },
  );

  test("HEAD has the status and headers of GET, and no body", async () => {
    const response = await ask("HEAD", "/v1/things");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(await response.text()).toBe("");
  });

  test("a service known by one letter is found, as by any other host", async () => {
    const { app } = sampleService({ access: { allowedHosts: ["a"] } });
    const request = new Request("http://a/healthz", { headers: { host: "a" } });
    expect((await app.handle(request, { peer: "network" })).status).toBe(200);
  });
});

describe("request ids", () => {
  test.each(["my-id", "01a1fb96-f154-75b5-b353-20156c822b35", "a:b.c_d", "x".repeat(128)])(
    "%s is kept",
    async (id) => {
      const response = await ask("GET", "/v1/things/a", { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toBe(id);
      expect(await response.json()).toMatchObject({ requestId: id });
    },
  );

  test.each(["", "a b", "<script>", 'a"b', "x".repeat(129), "a;b"])(
    "%p is replaced by a new one",
    async (id) => {
      const response = await ask("GET", "/nope", { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test("each line of a request's log has its id", async () => {
    const { log, lines } = recordingLogger();
    await ask("POST", "/v1/things/fail", { headers: { "x-request-id": "the-id" } }, { log });
    await ask("GET", "/nope", { headers: { "x-request-id": "other-id" } }, { log });
    expect(lines.map((line) => line.fields.request_id)).toEqual(["the-id", "other-id"]);
  });
});

describe("errors", () => {
  test("an unexpected error is 500; its cause is logged and not sent", async () => {
    const { log, lines } = recordingLogger();
    const response = await ask("POST", "/v1/things/fail", {}, { log });
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: "internal",
      message: "Something went wrong on our side.",
    });
    expect(lines).toMatchObject([
      { event: "request.failed", fields: { err: new Error("the password is hunter2") } },
    ]);
  });

  test("what fails because its client left is not logged as an error", async () => {
    const { log, lines } = recordingLogger();
    await ask("POST", "/v1/things/fail", { signal: AbortSignal.abort() }, { log });
    expect(lines.map((line) => line.event)).toEqual(["request.abandoned"]);
  });

  test("an AppError sets the status (429), code, hint and Retry-After", async () => {
    const response = await ask("POST", "/v1/things/refuse");
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("2");
    expect(await response.json()).toEqual({ error: "slow_down", message: "Too fast.", hint: "Wait." });
  });

  test("an answer that doesn't match its own schema is 500", async () => {
    const response = await ask("GET", "/v1/things/wrong-answer");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("three");
  });

  test("a service may have its own error body", async () => {
    const errorForm = {
      schema: {} as never,
      render: (error: Error, path: string) => ({ [path]: error.message }),
    };
    const response = await ask("GET", "/nope", {}, { more: { errorForm } });
    expect(await response.json()).toEqual({ "/nope": "There is nothing at this path." });
  });

  test("every answer carries the security headers", async () => {
    for (const path of ["/healthz", "/nope", "/docs", "/v1/things"]) {
      const { headers } = await ask("GET", path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });
});

describe("health", () => {
  test("a service that isn't ready is 503, names what is missing, and is still live", async () => {
    const checks = [
      { name: "storage", ok: true },
      { name: "workers", ok: false, message: "The outbox worker stopped." },
    ];
    const more = { readReadiness: async () => checks };
    const ready = await ask("GET", "/readyz", {}, { more });
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: "not_ready", checks });
    const alive = await ask("GET", "/healthz", {}, { more });
    expect(await alive.json()).toEqual({ status: "ok", service: "sample", version: "1.2.3" });
  });

  test("a readiness that can't be read is 500", async () => {
    const readReadiness = () => Promise.reject(new Error("disk"));
    expect((await ask("GET", "/readyz", {}, { more: { readReadiness } })).status).toBe(500);
  });
});

describe("what is refused when a service is put together", () => {
  const json = () => new Elysia().use(jsonRoutes());

  test.each([
    ["a route that leaves its body to Elysia", () => new Elysia().post("/a", async () => ""), "jsonRoutes()"],
    ["a body that is read twice", () => json().post("/a", async () => "", { parse: "text" }), "just one"],
    [
      "a path in two spellings",
      () =>
        json()
          .get("/a", async () => "")
          .post("/a/", async () => ""),
      "two spellings",
    ],
    [
      "a body that Elysia alone checks",
      () => json().post("/a", async () => "", { body: Type.Object({}) }),
      "jsonBody()",
    ],
    ["a handler that may hide a promise", () => json().get("/a", () => ""), "async"],
  ])("%s", (_what, plugin, message) => {
    expect(() => sampleService({ more: { routes: () => [plugin()] } }).app.prepare()).toThrow(message);
  });
});

describe("routes are built when they are needed", () => {
  function counted() {
    let times = 0;
    const routes = () => {
      times++;
      return [jsonRoutes().get("/v1/one", async () => ({ one: 1 }))];
    };
    const { app } = sampleService({ more: { routes } });
    const get = async (path: string) => {
      const request = new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
      const response = await app.handle(request, { peer: "network" });
      const { "x-request-id": _, ...headers } = Object.fromEntries(response.headers);
      return { status: response.status, headers, body: await response.text() };
    };
    return { app, get, times: () => times };
  }

  test("which /healthz never does, and it answers the same before and after", async () => {
    const { app, get, times } = counted();
    const before = await get("/healthz");
    expect(before).toMatchObject({ status: 200, body: expect.stringContaining('"status":"ok"') });
    expect(times()).toBe(0);
    app.prepare();
    expect(times()).toBe(1);
    expect(await get("/healthz")).toEqual(before);
  });

  test.each(["/v1/one", "/readyz", "/nope", "/healthz?a=1"])("as %s does, once", async (path) => {
    const { app, get, times } = counted();
    await get(path);
    await get("/v1/one");
    app.prepare();
    expect(app.routes()).toContainEqual({ method: "GET", path: "/v1/one" });
    expect(times()).toBe(1);
  });

  test("and /healthz has the same door as all others", async () => {
    const { app } = sampleService();
    const sent = new Request("http://localhost/healthz", { headers: { host: "elsewhere.example" } });
    const refused = await app.handle(sent, { peer: "network" });
    app.prepare();
    const again = await app.handle(new Request(sent), { peer: "network" });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(again.status).toBe(refused.status);
    expect(await refused.text()).toBe(await again.text());
  });
});

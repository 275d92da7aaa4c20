import { expect, test } from "bun:test";
import { request as httpRequest } from "node:http";
import { daemonService } from "../../../../src/compose/daemon/service.ts";
import type { HttpConnection, Origin } from "../../../../src/http/call.ts";
import { listen } from "../../../../src/http/listen.ts";
import type { ServiceApp } from "../../../../src/http/service-app.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import type { ConsoleDeps } from "../../../../src/services/console/deps.ts";
import { createForward } from "../../../../src/services/console/forward/forward.ts";
import { createPersonTokens } from "../../../../src/services/console/sessions/person-tokens.ts";
import { openSessionBook } from "../../../../src/services/console/sessions/session-book.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

type Handle = ServiceApp["handle"];

/** Forwards calls of a visitor's page to a daemon that is `handle`. */
async function forwardTo(handle: Handle) {
  const clock = new FakeClock();
  const sessions = openSessionBook(clock, { read: () => [], write() {} });
  const { id, key } = await sessions.open({ visitor: true });
  const targets = new Map([["daemon", { app: { handle }, console: daemonService.console }]]);
  const deps = { sessions, targets, clock } as unknown as ConsoleDeps;
  const forward = createForward(deps, "daemon", createPersonTokens(deps));
  const headers = (port: number) => ({
    cookie: `argosy_console_${port}=${id}`,
    "x-argosy-console": key,
  });
  return { forward, headers };
}

/** The same behind a server of its own. */
async function serve(handle: Handle) {
  const { forward, headers } = await forwardTo(handle);
  const app: ServiceApp = {
    name: "sample",
    routes: () => [],
    prepare() {},
    handle: (request, origin) => forward(request, origin, new URL(request.url).pathname),
    fail: (thrown) => new Response(String(thrown), { status: 500 }),
  };
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock: systemClock });
  return {
    url: `${listener.url}/console/api/daemon/v1/things`,
    headers: headers(listener.port),
    [Symbol.asyncDispose]: () => listener.stop(0),
  };
}

test("bodies stream both ways: each piece comes through before the next is sent", async () => {
  await using server = await serve(
    (request) =>
      new Response(request.body?.pipeThrough(new TransformStream()), {
        headers: { "content-type": "text/plain" },
      }),
  );
  const sent = httpRequest(server.url, { method: "POST", headers: server.headers });
  const pieces: string[] = [];
  const ended = Promise.withResolvers<void>();
  sent.on("response", (answer) => {
    answer.setEncoding("utf8");
    answer.on("data", (piece) => {
      pieces.push(piece);
      if (pieces.join("") === "one") sent.end("two");
    });
    answer.on("end", ended.resolve);
  });
  sent.on("error", ended.reject);
  sent.write("one");
  await ended.promise;
  expect(pieces.join("")).toBe("onetwo");
});

test("a page that leaves ends the work", async () => {
  const aborted = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  await using server = await serve((request) => {
    request.signal.addEventListener("abort", () => aborted.resolve());
    started.resolve();
    return new Promise<Response>(() => {});
  });
  const leaving = new AbortController();
  const call = fetch(server.url, { headers: server.headers, signal: leaving.signal });
  await started.promise;
  leaving.abort();
  await expect(call).rejects.toThrow();
  await aborted.promise;
});

test("what a service does to its connection is done to the page's own", async () => {
  const done: { to: Request; seconds?: number }[] = [];
  const connection: HttpConnection = {
    timeout: (request, seconds) => void done.push({ to: request, seconds }),
    requestIP(request) {
      done.push({ to: request });
      return { address: "192.0.2.1" };
    },
    upgrade: () => false,
  };
  const retiring = new AbortController().signal;
  let seen: Origin | undefined;
  const { forward, headers } = await forwardTo((request, origin) => {
    seen = origin;
    origin.connection?.timeout(request, 0);
    return Response.json(origin.connection?.requestIP(request));
  });
  const received = new Request("http://localhost:8000/console/api/daemon/v1/things", {
    headers: headers(8000),
  });
  const answer = await forward(
    received,
    { peer: "network", connection, retiring },
    "/console/api/daemon/v1/things",
  );
  expect(await answer.json()).toEqual({ address: "192.0.2.1" });
  expect(done.map(({ seconds }) => seconds)).toEqual([0, undefined]);
  for (const { to } of done) expect(to).toBe(received);
  expect(seen).toMatchObject({ peer: "network", retiring });
});

test("a service gets what a page may say, and no more", async () => {
  const passed = {
    accept: "text/html",
    "content-type": "application/json",
    "idempotency-key": "k",
    "last-event-id": "7",
    "x-tenant-id": "t",
    "x-forwarded-for": "192.0.2.1",
    forwarded: "for=192.0.2.1",
    host: "localhost:8000",
  };
  const held = {
    authorization: "Bearer x",
    "x-api-key": "x",
    "x-operator-token": "x",
    "x-hub-signature-256": "x",
    "x-internal-anything": "x",
    origin: "http://localhost:8000",
    "sec-fetch-site": "same-origin",
    referer: "http://localhost:8000/studio",
    "proxy-authorization": "x",
  };
  let seen: Request | undefined;
  const { forward, headers } = await forwardTo((request) => {
    seen = request;
    return new Response(null, {
      status: 204,
      headers: { "set-cookie": "a=b", "access-control-allow-origin": "*", "clear-site-data": '"cookies"' },
    });
  });
  const path = "/console/api/daemon/v1/things";
  const received = new Request(`http://localhost:8000${path}?a=1&b=%2F`, {
    headers: { ...headers(8000), ...passed, ...held },
  });
  const answer = await forward(received, { peer: "network" }, path);
  expect(seen?.url).toBe("http://localhost:8000/v1/things?a=1&b=%2F");
  expect(Object.fromEntries(seen?.headers ?? [])).toEqual(passed);
  expect(Object.fromEntries(answer.headers)).toEqual({
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
  });
});

import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { jsonBody } from "../../src/http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../src/http/call.ts";
import type { Access } from "../../src/http/front-door/front-door.ts";
import { listen } from "../../src/http/listen.ts";
import { pageLimit } from "../../src/http/paging.ts";
import { jsonRoutes, rawRoutes } from "../../src/http/route-plugins.ts";
import { createServiceApp, type ServiceApp, type ServiceDefinition } from "../../src/http/service-app.ts";
import { eventStream } from "../../src/http/streams/event-stream.ts";
import { createWebSocketSession, upgradeToWebSocket } from "../../src/http/streams/web-socket-session.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { type Clock, systemClock } from "../../src/kit/clock.ts";
import { encodeSse } from "../../src/kit/fetch/sse.ts";
import { newId } from "../../src/kit/id.ts";
import { type LogFields, type Logger, silentLogger } from "../../src/kit/log.ts";

export const openAccess: Access = { exposed: false, allowedHosts: [], guard: "api_token", openPaths: [] };

export interface Sample {
  app: ServiceApp;
  /** Counts of the handlers. */
  seen: { cancelled: number; produced: number; sockets: number };
}

/** Produces the output of a stream or a socket; the test controls amount and time. */
export type Produce = (signal: AbortSignal) => AsyncIterable<object>;

export interface SampleOptions {
  access?: Partial<Access>;
  log?: Logger;
  clock?: Clock;
  produce?: Produce;
  more?: Partial<ServiceDefinition>;
}

/** A service with one route of each kind, for testing everything that services share. */
export function sampleService(options: SampleOptions = {}): Sample {
  const seen = { cancelled: 0, produced: 0, sockets: 0 };
  const clock = options.clock ?? systemClock;
  const produce: Produce = async function* (signal) {
    signal.addEventListener("abort", () => seen.cancelled++, { once: true });
    for await (const item of (options.produce ?? threeWords)(signal)) {
      seen.produced++;
      yield item;
    }
  };
  const app = createServiceApp({
    name: "sample",
    title: "Sample",
    description: "A service for tests; `code` stands in backquotes.",
    version: "1.2.3",
    access: { ...openAccess, ...options.access },
    secure: false,
    readReadiness: async () => [{ name: "storage", ok: true }],
    routes: () => [thingRoutes(), hookRoutes(), streamRoutes(produce, clock, seen)],
    log: options.log ?? silentLogger,
    newId,
    ...options.more,
  });
  return { app, seen };
}

/** Serves the sample on a free loopback port. */
export function serveSample(options: SampleOptions = {}, idleTimeoutSeconds?: number) {
  const sample = sampleService(options);
  const settings = { clock: systemClock, ...(idleTimeoutSeconds !== undefined && { idleTimeoutSeconds }) };
  const listener = listen(sample.app, { host: "127.0.0.1", port: 0 }, settings);
  return { ...sample, ...listener, [Symbol.asyncDispose]: () => listener.stop(0) };
}

/** A logger that keeps its lines. */
export function recordingLogger(lines: { event: string; fields: LogFields }[] = [], base: LogFields = {}) {
  const record = (event: string, fields?: LogFields) =>
    void lines.push({ event, fields: { ...base, ...fields } });
  const log: Logger = {
    debug: record,
    info: record,
    warn: record,
    error: record,
    with: (fields) => recordingLogger(lines, { ...base, ...fields }).log,
  };
  return { log, lines };
}

async function* threeWords() {
  for (const token of ["one ", "two ", "three"]) yield { type: "token", content: token };
}

const Thing = Type.Object(
  {
    n: Type.Optional(Type.Integer({ minimum: 0, description: "How many." })),
    query: Type.Optional(Type.String({ maxLength: 2_000_000 })),
    kind: Type.Optional(Type.Union([Type.Literal("plain"), Type.Literal("fancy")])),
    parts: Type.Optional(Type.Array(Type.Object({ name: Type.String() }, { additionalProperties: false }))),
  },
  { additionalProperties: false },
);

function thingRoutes() {
  return new Elysia({ prefix: "/v1/things" })
    .use(jsonRoutes())
    .get("/", async ({ query }) => ({ limit: query.limit }), {
      query: Type.Object({
        limit: pageLimit({ default: 20, max: 200 }),
        exact: Type.Optional(Type.Number()),
      }),
      detail: { tags: ["Things"], summary: "Lists things" },
    })
    .post(
      "/",
      async ({ body, set }) => {
        set.status = 201;
        return { got: body };
      },
      {
        ...jsonBody(Thing),
        detail: { tags: ["Things"], summary: "Makes a thing", description: "The `n` counts." },
      },
    )
    .get("/:name", async ({ params, call }) => ({
      name: params.name,
      requestId: call.requestId,
      peer: call.peer,
    }))
    .delete("/:name", async ({ params }) => ({ deleted: params.name }))
    .post("/fail", async () => {
      throw new Error("the password is hunter2");
    })
    .post("/refuse", async () => {
      throw new AppError("rate_limited", "slow_down", "Too fast.", {
        details: { retryAfterSeconds: 1.5, hint: "Wait." },
      });
    })
    .get("/wrong-answer", async () => ({ count: "three" }) as unknown as { count: number }, {
      response: Type.Object({ count: Type.Integer() }),
    });
}

function hookRoutes() {
  return new Elysia({ prefix: "/v1/hooks" })
    .use(rawRoutes(4 * 1024 * 1024))
    .post("/:name", async ({ body }) => ({ bytes: (body as Uint8Array | undefined)?.byteLength ?? 0 }));
}

function streamRoutes(produce: Produce, clock: Clock, seen: Sample["seen"]) {
  const stream = async ({ request, call }: { request: Request; call: Call }) =>
    eventStream({
      source: produce,
      encode: (event: object) => encodeSse({ data: JSON.stringify(event) }),
      encodeError: (error) => encodeSse({ event: "error", data: JSON.stringify({ error: error.code }) }),
      call,
      request,
      clock,
    });
  return new Elysia({ prefix: "/v1" })
    .use(jsonRoutes())
    .post("/stream", stream)
    .get("/stream", stream, { detail: { hide: true } })
    .get("/slow", async ({ request, call }) => {
      holdOpen(call, request);
      return { done: true };
    })
    .get(
      "/ws/:name",
      async ({ request, call, params }) => {
        if (params.name === "missing") throw new AppError("not_found", "not_found", "No such thing.");
        seen.sockets++;
        const session = createWebSocketSession({
          answer: async function* (frame, signal) {
            yield { type: "echo", frame };
            yield* produce(signal);
          },
          errorFrame: (error) => ({ type: "error", error: error.code, message: error.message }),
          call,
        });
        upgradeToWebSocket(request, call, session);
      },
      { detail: { hide: true } },
    );
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { controlSocketPath } from "../../../../src/storage/files/data-folder.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import {
  acceptBoth,
  callMessage,
  initializeMessage,
  openRawSession,
  type RawSession,
  rpcEvents,
} from "../../../support/mcp-client.ts";
import type { ModelStep, RecordedRequest } from "../../../support/model-server.ts";
import { openSocket } from "../../../support/raw-http.ts";

let daemon: TestDaemon;
let script: (request: RecordedRequest) => ModelStep;

beforeAll(async () => {
  daemon = await startDaemon({ models: { lab: (request) => script(request) } });
});

afterAll(() => daemon[Symbol.asyncDispose]());

const ping = { jsonrpc: "2.0", id: "ping", method: "ping" };
const pong = { jsonrpc: "2.0", id: "ping", result: {} };
const halfHourMs = 30 * 60 * 1000;
const cancel = (requestId: string | number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, reason: "changed my mind" },
});

const say = (text: string) => {
  script = () => ({ text });
};

/** The model says one word and then nothing more. The promise resolves when a run is at that point. */
function stall(): { asked: Promise<void> } {
  const asked = Promise.withResolvers<void>();
  script = (request) => {
    asked.resolve();
    const never = new Promise(() => {});
    // Streamed if progress is requested, otherwise in one piece.
    return request.body.stream
      ? { text: ["first ", "second"], hold: { afterEvents: 1, until: never } }
      : { text: "never", after: never };
  };
  return { asked: asked.promise };
}

/** Resolves when the run of the last call was cancelled, as seen by the model's server. */
const modelLeft = () => daemon.models.lab.requests.at(-1)?.cut;

const isOpen = async (session: RawSession) => (await session.send(ping)).status === 200;

describe("how long a session lasts", () => {
  test("half an hour after its last use it is 404, like an unknown one", async () => {
    const session = await openRawSession(daemon.url);
    await daemon.clock.advance(halfHourMs - 1);
    expect(await isOpen(session)).toBe(true);
    await daemon.clock.advance(halfHourMs - 1);
    expect(await isOpen(session)).toBe(true);
    await daemon.clock.advance(halfHourMs);
    const answer = await session.send(ping);
    expect(answer.status).toBe(404);
    expect(answer.messages[0].error).toMatchObject({ code: -32_001, data: { code: "session_not_found" } });
  });

  test("an open stream keeps it, and its end lets it go", async () => {
    const session = await openRawSession(daemon.url);
    const leaving = new AbortController();
    const stream = await session.open(undefined, { method: "GET", signal: leaving.signal });
    expect(stream.headers.get("content-type")).toBe("text/event-stream");
    // The stream is read, because the client closes a response without references.
    const read = Array.fromAsync(rpcEvents(stream)).catch(() => undefined);
    await daemon.clock.advance(3 * halfHourMs);
    expect(await isOpen(session)).toBe(true);
    leaving.abort();
    await read;
    // The server notices the closed stream after a delay; half an hour later the session is gone.
    do await daemon.clock.advance(halfHourMs);
    while (await isOpen(session));
  });

  test("DELETE ends it, with its streams and runs; then it is 404", async () => {
    const { asked } = stall();
    const session = await openRawSession(daemon.url);
    const stream = await session.open(undefined, { method: "GET" });
    const call = await session.open(callMessage(1, "helper"));
    await asked;
    expect((await session.send(undefined, { method: "DELETE" })).status).toBe(200);
    await modelLeft();
    expect(await Array.fromAsync(rpcEvents(stream))).toEqual([]);
    expect(await Array.fromAsync(rpcEvents(call))).toEqual([]);
    for (const method of ["POST", "GET", "DELETE"]) {
      const body = method === "POST" ? ping : undefined;
      expect((await session.send(body, { method })).status).toBe(404);
    }
  });

  test("a request that is 406 leaves no session behind", async () => {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const body = JSON.stringify(initializeMessage());
    const answer = await fetch(`${daemon.url}/mcp`, { method: "POST", body, headers });
    expect(answer.status).toBe(406);
    expect(answer.headers.get("mcp-session-id")).toBeNull();
  });
});

describe("who a session belongs to", () => {
  test("its id is long, random and the server's own choice", async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => openRawSession(daemon.url)));
    const ids = sessions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test("a caller with another credential is not its owner: 404", async () => {
    const session = await openRawSession(daemon.url);
    const unix = controlSocketPath(daemon.config.dataFolder);
    const send = (headers: Record<string, string>) =>
      fetch("http://localhost/mcp", {
        method: "POST",
        unix,
        body: JSON.stringify(ping),
        headers: { accept: acceptBoth, "content-type": "application/json", ...headers },
      });
    expect((await send({ "mcp-session-id": session.id })).status).toBe(404);
    const own = await fetch("http://localhost/mcp", {
      method: "POST",
      unix,
      body: JSON.stringify(initializeMessage()),
      headers: { accept: acceptBoth, "content-type": "application/json" },
    });
    const id = own.headers.get("mcp-session-id") ?? "";
    expect((await send({ "mcp-session-id": id })).status).toBe(200);
    expect(await isOpen(session)).toBe(true);
  });

  test("a second stream for notifications is 409", async () => {
    const session = await openRawSession(daemon.url);
    const leaving = new AbortController();
    expect((await session.open(undefined, { method: "GET", signal: leaving.signal })).status).toBe(200);
    expect((await session.send(undefined, { method: "GET" })).status).toBe(409);
    leaving.abort();
  });

  test("HEAD opens no stream: 405", async () => {
    const session = await openRawSession(daemon.url);
    expect((await session.open(undefined, { method: "HEAD" })).status).toBe(405);
    const leaving = new AbortController();
    const opened = await session.open(undefined, { method: "GET", signal: leaving.signal });
    expect(opened.status).toBe(200);
    leaving.abort();
  });

  test("a GET that doesn't take events is 406", async () => {
    const session = await openRawSession(daemon.url);
    const answer = await session.send(undefined, { method: "GET", headers: { accept: "application/json" } });
    expect(answer.status).toBe(406);
  });
});

describe("requests under way", () => {
  test("a second request with an id in use is 400; the first is still answered", async () => {
    const { asked } = stall();
    const session = await openRawSession(daemon.url);
    const first = await session.open(callMessage(1, "helper"));
    await asked;
    const second = await session.send({ ...ping, id: 1 });
    expect(second.status).toBe(400);
    expect(second.messages[0].error).toMatchObject({ code: -32_600 });
    // An id of another type is a different id, and other sessions have ids of their own.
    expect((await session.send({ ...ping, id: "1" })).messages).toEqual([{ ...pong, id: "1" }]);
    const other = await openRawSession(daemon.url);
    expect((await other.send({ ...ping, id: 1 })).messages).toEqual([{ ...pong, id: 1 }]);
    await session.send(cancel(1));
    expect(await Array.fromAsync(rpcEvents(first))).toEqual([]);
  });

  test.each([1, 0, "0", "", -5, "a b"])(
    "the request %p is taken back: no answer, and its stream ends",
    async (id) => {
      const { asked } = stall();
      const session = await openRawSession(daemon.url);
      const stream = await session.open(callMessage(id, "helper", "hi", { progressToken: "p" }));
      await asked;
      expect((await session.send(cancel(id))).status).toBe(202);
      await modelLeft();
      const events = await Array.fromAsync(rpcEvents(stream));
      for (const event of events) expect(event.method).toBe("notifications/progress");
      // Its id is free again.
      say("Fine.");
      const again = await session.send(callMessage(id, "helper"));
      expect(again.messages[0]).toMatchObject({ id, result: { content: [{ text: "Fine." }] } });
    },
  );

  test("no other session can take it back", async () => {
    const { asked } = stall();
    const session = await openRawSession(daemon.url);
    const other = await openRawSession(daemon.url);
    const stream = await session.open(callMessage(1, "helper", "hi", { progressToken: 1 }));
    const events = rpcEvents(stream);
    await asked;
    expect((await events.next()).value).toMatchObject({ method: "notifications/progress" });
    await other.send(cancel(1));
    expect(await runsInFlight()).toBe(1);
    await session.send(cancel(1));
    await modelLeft();
    expect((await events.next()).done).toBe(true);
  });

  test("a client that closes its request cancels the run, and the session stays", async () => {
    const { asked } = stall();
    const session = await openRawSession(daemon.url);
    const leaving = new AbortController();
    await session.open(callMessage(1, "helper"), { signal: leaving.signal });
    await asked;
    leaving.abort();
    await modelLeft();
    say("Fine.");
    const again = await session.send(callMessage(2, "helper"));
    expect(again.messages[0].result.content[0].text).toBe("Fine.");
    expect((await session.send({ ...ping, id: 1 })).messages).toEqual([{ ...pong, id: 1 }]);
  });

  test("a client that reads nothing is disconnected, and its run is cancelled", async () => {
    const piece = "x".repeat(64 * 1024);
    const asked = Promise.withResolvers<void>();
    script = () => {
      asked.resolve();
      return { text: Array.from({ length: 400 }, () => piece) };
    };
    const session = await openRawSession(daemon.url);
    const socket = await openSocket(daemon.port);
    socket.on("error", () => undefined);
    const body = JSON.stringify(callMessage(1, "helper", "hi", { progressToken: 1 }));
    socket.write(
      [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        `Accept: ${acceptBoth}`,
        "Content-Type: application/json",
        `Mcp-Session-Id: ${session.id}`,
        `Content-Length: ${body.length}`,
        "",
        body,
      ].join("\r\n"),
    );
    await asked.promise;
    await modelLeft();
    // The model's server notices slightly before the run has ended.
    while ((await runsInFlight()) > 0);
    expect(await isOpen(session)).toBe(true);
    socket.destroy();
  });

  test("many calls of one session run side by side, each with its own answer", async () => {
    script = ({ body }) => ({ text: `You said ${body.messages.at(-1)?.content}` });
    const session = await openRawSession(daemon.url);
    const ids = Array.from({ length: 60 }, (_, at) => at);
    const answers = await Promise.all(ids.map((id) => session.send(callMessage(id, "helper", `word ${id}`))));
    for (const [id, { messages }] of answers.entries()) {
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatchObject({ id, result: { content: [{ text: `You said word ${id}` }] } });
    }
  });

  test("a call beyond the limit of waiting runs gets an error as its result", async () => {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    await using small = await startDaemon({
      runtime: JSON.stringify({ spec: { limits: { runs_in_flight: 1, runs_waiting: 0 } } }),
      models: {
        lab: () => {
          asked.resolve();
          return { text: "Hello.", after: released.promise };
        },
      },
    });
    const session = await openRawSession(small.url);
    const first = session.send(callMessage(1, "helper"));
    await asked.promise;
    const second = await session.send(callMessage(2, "helper"));
    expect(second.messages[0].result).toMatchObject({
      isError: true,
      content: [{ type: "text", text: expect.stringMatching(/^too_busy: /) }],
      _meta: { "argosy/error": { error: "too_busy", retry_after_seconds: 1 } },
    });
    released.resolve();
    expect((await first).messages[0].result.content[0].text).toBe("Hello.");
  });
});

async function runsInFlight(): Promise<number> {
  const { text } = await daemon.call("GET", "/metrics");
  return Number(/^platform_runs_in_flight (\d+)$/m.exec(text)?.[1]);
}

import { describe, expect, test } from "bun:test";
import { addressOf, meanwhile, patient, stageServers, until } from "../../../../support/mcp-servers.ts";
import { socketTurns } from "../../../../support/socket-turns.ts";
import {
  type Answering,
  eventsOf,
  type HttpServer,
  html,
  result,
  startHttpServer,
  status,
} from "../../../../support/staged-mcp-http.ts";

describe("streams that break", () => {
  /** An event after which the stream can be continued, at once. */
  const place = (id: string) => `retry: 1\nid: ${id}\ndata:\n\n`;
  const gets = (remote: HttpServer, after: string | null) =>
    remote.requests.filter(
      ({ method, headers }) => method === "GET" && headers.get("last-event-id") === after,
    );
  const isNotification = (request: Request) => !request.headers.has("last-event-id");
  const none = () => new Response(null, { status: 405 });
  const busy = status(503);

  test("an answer is continued after its last event, also over connections that bring nothing", async () => {
    const rests = [busy(), eventsOf(": nothing\n\n"), eventsOf(": again nothing\n\n")];
    await using remote = startHttpServer({
      call: () => ({ events: place("7") }),
      get(request) {
        if (isNotification(request)) return none();
        const { id } = remote.messages("tools/call")[0] as { id: number };
        const message = JSON.stringify({ jsonrpc: "2.0", id, result: result("at last") });
        return rests.shift() ?? eventsOf(`data: ${message}\n\n`);
      },
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const call = server.call("echo", {}, patient());
    expect(await meanwhile(stage.clock, call)).toEqual(result("at last"));
    expect(gets(remote, "7")).toHaveLength(4);
    expect(remote.messages("tools/call")).toHaveLength(1);
  });

  test.each<[string, Answering, number]>([
    ["does not keep", none, 1],
    ["answers with a web page", html, 1],
    ["fails to give", busy, 4],
  ])("an answer whose rest the server %s fails; other calls go on", async (_, rest, asked) => {
    let hasLeft = false;
    const left = () => {
      hasLeft = true;
    };
    const answers = [{ events: place("7") }, { events: ": wait\n\n", left }];
    await using remote = startHttpServer({
      call: () => answers.shift() ?? { json: result("fine") },
      get: (request) => (isNotification(request) ? none() : rest(request)),
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const broken = server.call("echo", {}, patient()).catch((thrown: unknown) => thrown);
    await until(() => answers.length === 1);
    const cancel = new AbortController();
    const long = server.call("echo", {}, { signal: cancel.signal, progress: () => {} }).catch(() => "left");
    expect(await meanwhile(stage.clock, broken)).toMatchObject({
      message: expect.stringContaining("ended before the result"),
    });
    expect(gets(remote, "7")).toHaveLength(asked);
    expect(await server.call("echo", {}, patient())).toEqual(result("fine"));
    expect(server.status().state).toBe("ready");
    expect(remote.sessions()).toBe(1);
    expect(hasLeft).toBe(false);
    cancel.abort();
    expect(await long).toBe("left");
  });

  test("a broken answer whose caller has left is not requested again", async () => {
    await using remote = startHttpServer({
      call: () => ({ events: place("7") }),
      get: (request) => (isNotification(request) ? none() : busy()),
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const cancel = new AbortController();
    const call = server.call("echo", {}, { signal: cancel.signal, progress: () => {} });
    await until(() => gets(remote, "7").length === 1);
    cancel.abort("enough");
    await expect(call).rejects.toThrow();
    await meanwhile(stage.clock, socketTurns(300));
    expect(gets(remote, "7")).toHaveLength(1);
  });

  test("calls outlive the stream of notifications; after them a new connection brings it back", async () => {
    const held = Promise.withResolvers<void>();
    let isBroken = false;
    await using remote = startHttpServer({
      async call() {
        await held.promise;
        return { json: result("fine") };
      },
      get(request) {
        if (!isNotification(request)) return busy();
        if (isBroken) return eventsOf(": quiet\n\n", () => {});
        isBroken = true;
        return eventsOf(place("n"));
      },
    });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    const call = server.call("echo", {}, patient());
    await meanwhile(
      stage.clock,
      until(() => gets(remote, "n").length === 4),
    );
    await meanwhile(stage.clock, socketTurns(20));
    expect(server.status().state).toBe("ready");
    held.resolve();
    expect(await call).toEqual(result("fine"));
    await until(() => server.status().state === "down");
    expect(server.status().fault).toBe("its stream of notifications broke off");
    await stage.clock.advance(60_000);
    expect(await server.call("echo", {}, patient())).toEqual(result("fine"));
    expect(remote.sessions()).toBe(2);
  });

  test.each<[string, () => Response, number]>([
    ["ends it each time", () => eventsOf("retry: 1\n\n"), 4],
    ["answers with a web page", html, 1],
    ["fails", busy, 1],
  ])("a server that %s is not asked for notifications again and again", async (_, get, asked) => {
    await using remote = startHttpServer({ call: () => ({ json: result("fine") }), get });
    await using stage = stageServers();
    const server = await stage.started(addressOf(remote.url));
    await meanwhile(
      stage.clock,
      until(() => gets(remote, null).length === asked),
    );
    await meanwhile(stage.clock, socketTurns(600));
    expect(gets(remote, null)).toHaveLength(asked);
    expect(await server.call("echo", {}, patient())).toEqual(result("fine"));
    expect(server.status().state).toBe("ready");
  });

  test.each([0, 1])(
    "a server that wants to be asked every %d ms is asked four times a second",
    async (ms) => {
      let events = 0;
      await using remote = startHttpServer({
        call: () => ({ json: result("fine") }),
        get: () => eventsOf(`retry: ${ms}\nid: ${++events}\ndata:\n\n`),
      });
      await using stage = stageServers();
      await stage.started(addressOf(remote.url));
      for (let asked = 1; asked <= 6; asked++) {
        await until(() => events === asked);
        await socketTurns(20);
        expect(events).toBe(asked);
        await stage.clock.advance(250);
      }
    },
  );
});

import { describe, expect, test } from "bun:test";
import { createPeers } from "../../../src/compose/peers.ts";
import { callService, type ServiceAddress, streamService } from "../../../src/contracts/service-call.ts";
import type { Origin } from "../../../src/http/call.ts";
import { codeAndMessage, errorHeaders } from "../../../src/http/errors/error-answer.ts";
import { listen } from "../../../src/http/listen.ts";
import type { ServiceApp } from "../../../src/http/service-app.ts";
import { AppError, toAppError } from "../../../src/kit/app-error.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { refusal } from "../../support/refusal.ts";

type Handle = (request: Request, origin: Origin) => Response | Promise<Response>;

const transports = ["in process", "over the network"] as const;
type Transport = (typeof transports)[number];

/** A service that answers with `handle`, as another service of the same process, or of another one, reaches it. */
function reach(transport: Transport, handle: Handle): { address: ServiceAddress } & AsyncDisposable {
  const app: ServiceApp = {
    name: "daemon",
    routes: () => [],
    prepare() {},
    handle: async (request, origin) => {
      try {
        return await handle(request, origin);
      } catch (thrown) {
        return app.fail(thrown);
      }
    },
    fail(thrown) {
      const error = toAppError(thrown);
      return Response.json(codeAndMessage.render(error, "/"), {
        status: error.status,
        headers: errorHeaders(error),
      });
    },
  };
  const listener =
    transport === "over the network"
      ? listen(app, { host: "127.0.0.1", port: 0 }, { clock: systemClock })
      : undefined;
  const remote = listener && { url: listener.url, headers: { authorization: "Bearer of the settings" } };
  const address = createPeers(() => app).find("daemon", remote);
  if (address === undefined) throw new Error("There is no such peer.");
  return { address, [Symbol.asyncDispose]: async () => listener?.stop(0) };
}

function streamOf(events: AsyncGenerator<string, void>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

describe.each(transports)("a peer %s", (transport) => {
  test("gets the request and gives its answer back", async () => {
    await using peer = reach(transport, async (request) =>
      Response.json({
        method: request.method,
        path: new URL(request.url).pathname + new URL(request.url).search,
        sent: await request.json(),
        id: request.headers.get("x-request-id"),
      }),
    );
    const answer = await callService(peer.address, "PUT", "/v1/things/a%2Fb?x=1", {
      body: { text: "ñ 😀" },
      headers: { "x-request-id": "of-the-caller" },
    });
    expect(await answer.json()).toEqual({
      method: "PUT",
      path: "/v1/things/a%2Fb?x=1",
      sent: { text: "ñ 😀" },
      id: "of-the-caller",
    });
  });

  test("refuses with its own error", async () => {
    await using peer = reach(transport, () => {
      throw new AppError("rate_limited", "too_many", "Too many calls.", {
        details: { hint: "Wait.", retryAfterSeconds: 7, problems: [{ path: "a.b", message: "is wrong" }] },
      });
    });
    expect(await refusal(callService(peer.address, "GET", "/v1/things"))).toMatchObject({
      kind: "rate_limited",
      code: "too_many",
      message: "Too many calls.",
      details: { hint: "Wait.", retryAfterSeconds: 7, problems: [{ path: "a.b", message: "is wrong" }] },
    });
  });

  test("streams: each event is there before the next one is made", async () => {
    const read = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using peer = reach(transport, () => {
      async function* events() {
        yield 'data: {"n":0}\n\n';
        await read[0]?.promise;
        yield 'data: {"n":1}\n\n';
        await read[1]?.promise;
        yield 'data: {"n":2}\n\n';
      }
      return streamOf(events());
    });
    const seen: number[] = [];
    for await (const { n } of streamService<{ n: number }>(peer.address, "POST", "/v1/run", { body: {} })) {
      seen.push(n);
      read[n]?.resolve();
    }
    expect(seen).toEqual([0, 1, 2]);
  });

  test("learns that the caller aborted", async () => {
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    await using peer = reach(transport, async (request) => {
      request.signal.addEventListener("abort", () => left.resolve());
      entered.resolve();
      await left.promise;
      return new Response();
    });
    const caller = new AbortController();
    const call = callService(peer.address, "GET", "/v1/slow", { signal: caller.signal });
    await entered.promise;
    caller.abort(new Error("no longer needed"));
    await expect(call).rejects.toThrow();
    await left.promise;
  });

  test("learns that the reader of a stream left", async () => {
    const left = Promise.withResolvers<void>();
    await using peer = reach(transport, (request) => {
      request.signal.addEventListener("abort", () => left.resolve());
      async function* events() {
        yield 'data: {"n":0}\n\n';
        await left.promise;
      }
      return streamOf(events());
    });
    for await (const _ of streamService(peer.address, "POST", "/v1/run", { body: {} })) break;
    await left.promise;
  });
});

describe("the way to a peer", () => {
  const whoCalls: Handle = (request, { peer }) =>
    Response.json({ peer, credential: request.headers.get("authorization") });

  test("comes in by the door for this process, and needs no credential", async () => {
    await using peer = reach("in process", whoCalls);
    const answer = await callService(peer.address, "GET", "/v1/things");
    expect(await answer.json()).toEqual({ peer: "local", credential: null });
  });

  test("carries the credential of the settings over the network", async () => {
    await using peer = reach("over the network", whoCalls);
    const answer = await callService(peer.address, "GET", "/v1/things");
    expect(await answer.json()).toEqual({ peer: "network", credential: "Bearer of the settings" });
  });

  test("leads to another process when the settings name one, and else to this one once it is assembled", async () => {
    let assembled: Pick<ServiceApp, "handle"> | undefined;
    const peers = createPeers((name) => (name === "daemon" ? assembled : undefined));
    expect(peers.find("daemon")).toBeUndefined();
    assembled = { handle: () => new Response("here") };
    const here = peers.find("daemon");
    expect(here && (await (await callService(here, "GET", "/")).text())).toBe("here");
    expect(peers.find("platform")).toBeUndefined();
    await using elsewhere = reach("over the network", () => new Response("elsewhere"));
    const named = peers.find("daemon", { url: elsewhere.address.baseUrl, headers: {} });
    expect(named && (await (await callService(named, "GET", "/")).text())).toBe("elsewhere");
  });
});

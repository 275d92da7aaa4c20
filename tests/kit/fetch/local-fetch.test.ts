import { afterEach, describe, expect, test } from "bun:test";
import { type FetchLike, localFetch } from "../../../src/kit/fetch/local-fetch.ts";
import { settle } from "../../support/fake-clock.ts";

type Handle = (request: Request) => Promise<Response>;

const servers: Bun.Server<undefined>[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

/** The same handler, over the network. */
function networkFetch(handle: Handle): FetchLike {
  const server = Bun.serve({ port: 0, fetch: handle });
  servers.push(server);
  return (request) => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(new URL(pathname + search, server.url), request));
  };
}

const transports: [name: string, connect: (handle: Handle) => FetchLike][] = [
  ["in process", (handle) => localFetch(handle)],
  ["over the network", networkFetch],
];

const url = "http://peer.internal/v1/things?a=1";

describe.each(transports)("%s", (_name, connect) => {
  test("method, path, headers, body and status pass unchanged", async () => {
    const call = connect(async (request) => {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers({ "X-Seen": request.headers.get("X-Sent") ?? "" });
      headers.append("Set-Cookie", "a=1");
      headers.append("Set-Cookie", "b=2");
      return new Response(`${request.method} ${pathname}${search} ${await request.text()}`, {
        status: 201,
        headers,
      });
    });
    const response = await call(
      new Request(url, { method: "POST", body: "é", headers: { "X-Sent": "yes" } }),
    );
    expect([response.status, response.headers.get("X-Seen"), await response.text()]).toEqual([
      201,
      "yes",
      "POST /v1/things?a=1 é",
    ]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  test("an answer without a body stays one", async () => {
    const call = connect(async () => new Response(null, { status: 204 }));
    const response = await call(new Request(url));
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  test("an abort rejects the pending call with its reason and reaches the handler", async () => {
    const arrived = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const call = connect(async (request) => {
      request.signal.addEventListener("abort", () => aborted.resolve());
      arrived.resolve();
      await aborted.promise;
      return new Response("too late");
    });
    const controller = new AbortController();
    const pending = call(new Request(url, { signal: controller.signal })).catch((thrown: unknown) => thrown);
    await arrived.promise;
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await pending).toBe(reason);
    await aborted.promise;
  });

  test("an abort before the call never reaches the handler", async () => {
    let calls = 0;
    const call = connect(async () => new Response(String(++calls)));
    const pending = call(new Request(url, { signal: AbortSignal.abort("before") }));
    expect(await pending.catch((thrown: unknown) => thrown)).toBe("before");
    expect(calls).toBe(0);
  });

  test("an abort fails the body that is being read and ends the handler's stream", async () => {
    const { handle, aborted, cancelled } = endlessStream();
    const controller = new AbortController();
    const response = await connect(handle)(new Request(url, { signal: controller.signal }));
    const reader = bodyOf(response).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("tick");
    const pending = readToTheEnd(reader);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await pending).toBe(reason);
    await Promise.all([aborted, cancelled]);
  });

  test("cancelling the body tells the handler that its client is gone", async () => {
    const { handle, aborted, cancelled } = endlessStream();
    const response = await connect(handle)(new Request(url));
    const reader = bodyOf(response).getReader();
    await reader.read();
    await reader.cancel();
    await Promise.all([aborted, cancelled]);
  });
});

describe("in process", () => {
  test("a body that fails in the handler fails for the reader", async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error("broken"));
      },
    });
    const response = await localFetch(async () => new Response(broken))(new Request(url));
    await expect(response.text()).rejects.toThrow("broken");
  });

  test("what the handler throws reaches the caller", async () => {
    const call = localFetch(() => Promise.reject(new Error("thrown")));
    await expect(call(new Request(url))).rejects.toThrow("thrown");
  });

  test("an answer that comes after the abort is cancelled unread", async () => {
    const cancelled = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<Response>();
    const controller = new AbortController();
    const call = localFetch(() => answer.promise);
    const pending = call(new Request(url, { signal: controller.signal })).catch((thrown: unknown) => thrown);
    controller.abort("enough");
    expect(await pending).toBe("enough");
    answer.resolve(new Response(new ReadableStream({ cancel: () => cancelled.resolve() })));
    await cancelled.promise;
  });

  test("an abort after the body has ended changes nothing", async () => {
    let abortedInside = false;
    const controller = new AbortController();
    const call = localFetch(async (request) => {
      request.signal.addEventListener("abort", () => {
        abortedInside = true;
      });
      return new Response("done");
    });
    const response = await call(new Request(url, { signal: controller.signal }));
    expect(await response.text()).toBe("done");
    controller.abort();
    await settle();
    expect(abortedInside).toBeFalse();
  });

  test("a call is refused while the guard says so", async () => {
    let inTransaction = true;
    const call = localFetch(async () => new Response("fine"), { refuseWhen: () => inTransaction });
    await expect(call(new Request(url))).rejects.toMatchObject({
      kind: "internal",
      code: "call_in_transaction",
    });
    inTransaction = false;
    expect(await (await call(new Request(url))).text()).toBe("fine");
  });
});

function endlessStream() {
  const aborted = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const handle: Handle = async (request) => {
    request.signal.addEventListener("abort", () => aborted.resolve());
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("tick"));
        },
        cancel: () => cancelled.resolve(),
      }),
    );
  };
  return { handle, aborted: aborted.promise, cancelled: cancelled.promise };
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (response.body === null) throw new Error("no body");
  return response.body;
}

/** Returns the error that ends the reading, or undefined at the end. */
async function readToTheEnd(reader: { read(): Promise<{ done: boolean }> }): Promise<unknown> {
  try {
    while (!(await reader.read()).done);
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

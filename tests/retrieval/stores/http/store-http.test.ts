import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { createStoreHttp, type StoreHttpOptions } from "../../../../src/retrieval/stores/http/store-http.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

type Answer = Response | Error | ((init: RequestInit) => Promise<Response>);

/** A server with these answers one after the other; the last repeats. */
function staged(answers: readonly Answer[]) {
  const clock = new FakeClock();
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch: StoreHttpOptions["fetch"] = async (url, init) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)];
    calls.push({ url, init });
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? answer(init) : (answer as Response).clone();
  };
  const url = "http://vectors.internal:6333";
  const http = createStoreHttp({
    server: "Qdrant",
    url,
    headers: { "api-key": "a-secret" },
    fetch,
    clock,
    random: () => 0.5,
  });
  return { http, clock, calls };
}

const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown) => thrown,
  );

/** Returns the outcome of a call, while the clock moves. */
async function outcome({ http, clock }: ReturnType<typeof staged>, call = {}) {
  const ended = caught(http({ method: "GET", path: "/x", ...call }));
  await clock.advance(10_000);
  return ended;
}

test("what can't be reached or is busy is tried again, and then a clear error", async () => {
  for (const fault of [
    new Error("ECONNREFUSED vectors.internal"),
    Response.json({}, { status: 503 }),
    Response.json({}, { status: 429 }),
  ]) {
    const recovering = staged([fault, fault, Response.json({ ok: 1 })]);
    const answer = recovering.http({ method: "GET", path: "/x" });
    await recovering.clock.advance(10_000);
    expect(await answer).toEqual({ status: 200, body: { ok: 1 } });
    expect(recovering.calls).toHaveLength(3);

    const down = staged([fault]);
    const thrown = await outcome(down);
    expect(thrown).toMatchObject({ code: "vectors_unavailable", status: 503 });
    expect(thrown.message).not.toMatch(/vectors\.internal|secret/);
    expect(down.calls).toHaveLength(4);
  }
});

test.each<[number, RegExp]>([
  [301, /redirect/],
  [307, /redirect/],
  [400, /did not take the request \(400\)/],
  [401, /api_key_env/],
  [403, /api_key_env/],
  [404, /check `url`/],
  [413, /smaller requests/],
  [500, /failed \(500\)/],
  [507, /no room/],
])("an answer %d is an error at once, without the server's text", async (status, message) => {
  const server = staged([
    new Response("the key a-secret is wrong", { status, headers: { location: "http://evil.example" } }),
  ]);
  const thrown = await outcome(server);
  expect(thrown).toMatchObject({ code: "vectors_unavailable", status: 503 });
  expect(thrown.message).toMatch(message);
  expect(thrown.message).not.toContain("a-secret");
  expect(server.calls).toHaveLength(1);
  expect(server.calls[0]?.init.redirect).toBe("manual");
});

test("an expected status (404) is the caller's to handle; an answer that is not JSON is an error", async () => {
  const server = staged([new Response("nothing", { status: 404 })]);
  expect(await server.http({ method: "GET", path: "/x", expects: [404] })).toEqual({
    status: 404,
    body: undefined,
  });
  expect(await outcome(staged([new Response("<html>")]))).toMatchObject({
    message: expect.stringContaining("not JSON"),
  });
});

test("a server that doesn't answer times out", async () => {
  const silent = (init: RequestInit) =>
    new Promise<Response>((_, reject) =>
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
    );
  const server = staged([silent]);
  const ended = caught(server.http({ method: "GET", path: "/x" }));
  await server.clock.advance(30_000);
  expect(await ended).toMatchObject({
    code: "vectors_unavailable",
    message: expect.stringContaining("in time"),
  });
  expect(server.calls).toHaveLength(1);
});

test("the caller's abort ends waiting and calling with its reason", async () => {
  const reason = new AppError("timed_out", "gone", "The caller went away.");
  const controller = new AbortController();
  const server = staged([new Error("refused")]);
  const ended = caught(server.http({ method: "GET", path: "/x", signal: controller.signal }));
  await server.clock.advance(50);
  controller.abort(reason);
  expect(await ended).toBe(reason);
  expect(server.calls.length).toBeLessThan(4);
});

import { afterEach, describe, expect, test } from "bun:test";
import type { AppError } from "../../../src/kit/app-error.ts";
import { createEmbedders } from "../../../src/retrieval/embedding/create-embedders.ts";
import {
  type EmbeddingServer,
  type EmbeddingStep,
  modelVector,
  startEmbeddingServer,
} from "../../support/embedding-server.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { refusal } from "../../support/refusal.ts";
import { retrievalPorts } from "../../support/retrieval-ports.ts";
import { type StagedEmbedder, stagedKey, stageEmbedder, unitVector } from "../../support/staged-embedder.ts";

const never = new AbortController().signal;

let server: EmbeddingServer;
afterEach(() => server.stop());

async function stage(...how: Parameters<typeof stageEmbedder>): Promise<StagedEmbedder> {
  const staged = await stageEmbedder(...how);
  server = staged.server;
  return staged;
}

const both = ["openai", "ollama"] as const;

/** Everything of an error that may reach a caller or a log. */
const told = (error: AppError) => `${error.message} ${JSON.stringify(error.details)} ${Bun.inspect(error)}`;

describe.each(both)("%s", (provider) => {
  const passing: [string, EmbeddingStep, waitMs: number][] = [
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "7" } }, 7000],
    ["429 with a date", { status: 429, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" } }, 9000],
    ["429 with Retry-After in milliseconds", { status: 429, headers: { "retry-after-ms": "1500" } }, 1500],
    [
      "429 with the limit's own header",
      {
        status: 429,
        headers: { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12.5s" },
      },
      12_500,
    ],
    ["429 that says nothing more", { status: 429 }, 500],
    ["500", { status: 500, body: "oops" }, 500],
    ["502 of a proxy", { status: 502, body: "<html>Bad gateway</html>" }, 500],
    ["503", { status: 503 }, 500],
    ["408", { status: 408 }, 500],
    ["a body that breaks off", { cutAfterBytes: 20 }, 500],
    ["half of a JSON text", { body: '{"data": [{"index": 0, "embe' }, 500],
  ];
  test.each(passing)("%s passes by itself", async (_, step, waitMs) => {
    const { embedder, clock, logged } = await stage(provider, [step]);
    const vectors = await embedder.embed(["word"], "document", never);
    expect([...vectors]).toEqual(unitVector(modelVector("word")));
    expect(server.requests).toHaveLength(2);
    expect(clock.monotonicMs()).toBeCloseTo(waitMs, 0);
    expect(logged.map(({ event }) => event)).toEqual(["vendor.retried"]);
  });

  const lasting: [string, EmbeddingStep, code: string, says: RegExp, requests?: number][] = [
    ["a busy server", { status: 429 }, "embedder_unavailable", /asked too often/, 6],
    ["a broken server", { status: 500 }, "embedder_unavailable", /answered 500/, 6],
    ["bodies that break off", { cutAfterBytes: 3 }, "embedder_failed", /broke off|no whole JSON/, 6],
    [
      "a wait of an hour",
      { status: 429, headers: { "retry-after": "3600" } },
      "embedder_unavailable",
      /asked too often/,
    ],
    [
      "a wrong key",
      { status: 401, body: `{"error": "bad key ${stagedKey}"}` },
      "embedder_failed",
      /key is not accepted/,
    ],
    [
      "an account without credit",
      { status: 429, body: '{"error": {"code": "insufficient_quota"}}' },
      "embedder_failed",
      /no credit/,
    ],
    [
      "a missing model",
      { status: 404, body: '{"error": "model \\"tiny\\" not found, try pulling it first"}' },
      "embedder_failed",
      /no such model/,
    ],
    ["a wrong address", { status: 404, body: "404 page not found" }, "embedder_failed", /no such API/],
    [
      "a text that is too long",
      { status: 400, body: '{"error": {"message": "This model\'s maximum context length is 8192 tokens"}}' },
      "embedder_failed",
      /longer than the model can read/,
    ],
    [
      "a text that is too long, in Ollama's words",
      { status: 400, body: '{"error": "the input length exceeds the context length"}' },
      "embedder_failed",
      /longer than the model can read/,
    ],
    ["413", { status: 413, body: "" }, "embedder_failed", /longer than the model can read/],
    [
      "a dimension it has not got",
      { status: 400, body: '{"error": {"message": "This model does not support specifying dimensions."}}' },
      "embedder_failed",
      /dimension/,
    ],
    ["any other refusal", { status: 422, body: "no" }, "embedder_failed", /does not accept/],
    [
      "a redirect",
      { status: 302, headers: { location: "http://127.0.0.1:1/" } },
      "embedder_failed",
      /leads elsewhere/,
    ],
    ["a web page", { body: "<!doctype html><p>Sign in" }, "embedder_failed", /web page/],
    ["another JSON", { body: '{"ok": true}' }, "embedder_failed", /without embeddings/],
    ["null", { body: "null" }, "embedder_failed", /without embeddings/],
  ];
  test.each(lasting)("%s has its own error", async (_, step, code, says, requests = 1) => {
    const { embedder } = await stage(provider, () => step);
    const error = await refusal(embedder.embed(["word"], "document", never));
    expect(error.code).toBe(code);
    expect(error.status).toBe(code === "embedder_failed" ? 502 : 503);
    expect(error.message).toMatch(says);
    expect(error.message).toContain(`${provider}/tiny`);
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain(stagedKey);
    expect(server.requests).toHaveLength(requests);
  });

  const wrongVectors: [string, unknown[], RegExp][] = [
    ["too few", [[1, 2]], /1 vectors for 2 texts/],
    ["too many", [[1], [2], [3]], /3 vectors for 2 texts/],
    [
      "of different lengths",
      [
        [1, 2],
        [1, 2, 3],
      ],
      /vectors of 2 and of 3 numbers/,
    ],
    ["empty", [[], []], /not a vector/],
    [
      "with a null for what was no number",
      [
        [1, null],
        [1, 2],
      ],
      /finite numbers/,
    ],
    [
      "with a text",
      [
        [1, "2"],
        [1, 2],
      ],
      /finite numbers/,
    ],
    [
      "too large for a number",
      [
        [1e300, 1e300],
        [1, 2],
      ],
      /finite numbers/,
    ],
    ["no lists", [{ 0: 1 }, 7], /not a vector/],
    ["base64 of half a number", ["AAA=", "AAA="], /not a vector/],
    ["base64 of what is not a number", ["AADAfw==", "AACAPw=="], /finite numbers/],
  ];
  test.each(wrongVectors)("vectors that are %s are 502", async (_, vectors, says) => {
    const { embedder } = await stage(provider, () => ({
      change: () => ({
        embeddings: vectors,
        data: vectors.map((embedding, index) => ({ index, embedding })),
      }),
    }));
    const error = await refusal(embedder.embed(["one", "two"], "document", never));
    expect(error).toMatchObject({ code: "embedder_failed", status: 502 });
    expect(error.message).toMatch(says);
    expect(server.requests).toHaveLength(1);
  });

  test("vectors of another length than the manifest names are refused, with what to do", async () => {
    const { embedder } = await stage(
      provider,
      () => ({ change: () => ({ embeddings: [[1, 0, 0]], data: [{ embedding: [1, 0, 0] }] }) }),
      { dimension: 2 },
    );
    const error = await refusal(embedder.embed(["one"], "query", never));
    expect(error.message).toContain("vectors of 3 numbers, where the manifest asks for 2");
    expect(error.details.hint).toContain("Leave dimension out");
  });

  test("vectors of another length than before are refused", async () => {
    const { embedder } = await stage(provider, [{ dimension: 4 }, { dimension: 8 }]);
    await embedder.embed(["one"], "document", never);
    const error = await refusal(embedder.embed(["one"], "document", never));
    expect(error.message).toContain("vectors of 8 numbers, where it gave 4");
  });

  test("a server that is away is 503, with advice", async () => {
    const { embedder } = await stage(provider);
    await server.stop();
    const error = await refusal(embedder.embed(["word"], "document", never));
    expect(error).toMatchObject({ code: "embedder_unavailable", status: 503 });
    expect(error.message).toContain("could not be reached (connection refused)");
    expect(error.details.hint).toContain("Check that its server runs");
    expect(told(error)).not.toContain(stagedKey);
  });

  test("a server that is silent times out, and is asked again", async () => {
    server = await startEmbeddingServer([{ after: new Promise(() => undefined) }]);
    const clock = new FakeClock();
    const { embedderOf } = createEmbedders(retrievalPorts({ clock }));
    const embedder = embedderOf({ provider, model: "tiny", endpoint: server.url });
    const vectors = embedder.embed(["word"], "document", never);
    await server.received(1);
    await clock.advance(120_000);
    await clock.advance(1_000);
    expect([...(await vectors)]).toEqual(unitVector(modelVector("word")));
    await server.requests[0]?.cut;
    expect(clock.pending).toBe(0);
  });

  test("an abort ends the request at once, with its reason", async () => {
    const { embedder } = await stage(provider, () => ({ after: new Promise(() => undefined) }));
    const stop = new AbortController();
    const call = embedder.embed(["word"], "document", stop.signal).catch((thrown) => thrown);
    await server.received(1);
    const reason = new Error("the reader has gone");
    stop.abort(reason);
    expect(await call).toBe(reason);
    await server.requests[0]?.cut;
  });

  test("an abort ends the wait for another try", async () => {
    server = await startEmbeddingServer(() => ({ status: 503 }));
    const clock = new FakeClock();
    const ports = retrievalPorts({ clock });
    const stop = new AbortController();
    const embedder = createEmbedders(ports).embedderOf({ provider, model: "tiny", endpoint: server.url });
    const call = embedder.embed(["word"], "document", stop.signal).catch((thrown) => thrown);
    while (ports.logged.length === 0) await settle();
    stop.abort("enough");
    expect(await call).toBe("enough");
    expect(clock.pending).toBe(0);
  });

  test("one batch that fails ends the others", async () => {
    const hang = new Promise(() => undefined);
    const { embedder } = await stage(provider, (_, number) =>
      number === 0 ? { after: hang } : { status: 400 },
    );
    const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
    expect(await refusal(embedder.embed(texts, "document", never))).toMatchObject({
      code: "embedder_failed",
    });
    await server.requests[0]?.cut;
  });
});

describe("patience", () => {
  test("a question is not kept waiting for long", async () => {
    const { embedder, clock } = await stage("openai", () => ({ status: 503 }));
    await refusal(embedder.embed(["where?"], "query", never));
    expect(server.requests).toHaveLength(2);
    expect(clock.monotonicMs()).toBeLessThan(1000);
  });

  test("a limit that lasts longer than a question waits is an error that names the time", async () => {
    const step = { status: 429, headers: { "retry-after": "20" } };
    const { embedder } = await stage("openai", [step]);
    const error = await refusal(embedder.embed(["where?"], "query", never));
    expect(error).toMatchObject({ code: "embedder_unavailable", details: { retryAfterSeconds: 20 } });
    expect(server.requests).toHaveLength(1);
  });

  test("everybody waits when the vendor asked one to", async () => {
    const step = { status: 429, headers: { "retry-after": "20" } };
    const { embedder, clock } = await stage("openai", [step]);
    await refusal(embedder.embed(["where?"], "query", never));
    await refusal(embedder.embed(["when?"], "query", never));
    expect(server.requests).toHaveLength(1);
    clock.skip(20_000);
    await embedder.embed(["when?"], "query", never);
    expect(server.requests).toHaveLength(2);
  });

  test("when an answer says that nothing is left, the next request waits for its time", async () => {
    const headers = { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m2s500ms" };
    const { embedder, clock } = await stage("openai", [{ headers: { ...headers } }]);
    await embedder.embed(["one"], "document", never);
    const error = await refusal(embedder.embed(["two"], "document", never));
    expect(error.details.retryAfterSeconds).toBe(63);
    clock.skip(62_500);
    await embedder.embed(["two"], "document", never);
    expect(server.requests).toHaveLength(2);
  });

  test("calls to a server that is down are paused for half a minute after three failures", async () => {
    const { embedder, clock } = await stage("ollama", (_, number) => (number < 6 ? { status: 503 } : {}));
    for (let call = 0; call < 3; call++) await refusal(embedder.embed(["where?"], "query", never));
    expect(server.requests).toHaveLength(6);
    const error = await refusal(embedder.embed(["where?"], "query", never));
    expect(error).toMatchObject({ code: "embedder_unavailable", status: 503 });
    expect(error.message).toContain("calls are paused");
    expect(server.requests).toHaveLength(6);
    clock.skip(30_000);
    await embedder.embed(["where?"], "query", never);
    expect(server.requests).toHaveLength(7);
  });

  test("a caller's mistake does not open a server's circuit", async () => {
    const { embedder } = await stage("ollama", (_, number) => (number < 5 ? { status: 400 } : {}));
    for (let call = 0; call < 5; call++) await refusal(embedder.embed(["where?"], "query", never));
    await embedder.embed(["where?"], "query", never);
    expect(server.requests).toHaveLength(6);
  });
});

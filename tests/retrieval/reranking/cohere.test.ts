import { afterEach, expect, test } from "bun:test";
import { createRerankers, rerankerNames } from "../../../src/retrieval/reranking/create-rerankers.ts";
import type { Reranker, RerankerSettings } from "../../../src/retrieval/reranking/reranker.ts";
import {
  type EmbeddingScript,
  type EmbeddingServer,
  type EmbeddingStep,
  relevanceOf,
  startEmbeddingServer,
} from "../../support/embedding-server.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { refusal } from "../../support/refusal.ts";
import { retrievalPorts } from "../../support/retrieval-ports.ts";

const never = new AbortController().signal;
const key = "co-a-key-nobody-may-see";

let server: EmbeddingServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function stage(script: EmbeddingScript = [], path = ""): Promise<Reranker> {
  server = await startEmbeddingServer(script);
  const ports = retrievalPorts({
    clock: new HastyClock(),
    variables: { KEY: key },
    servers: { cohere: { endpoint: `${server.url}${path}` } },
  });
  return createRerankers(ports).rerankerOf({ provider: "cohere", api_key_env: "KEY" });
}

test("the registry names what there is, the default first", () => {
  expect(rerankerNames).toEqual(["cross_encoder", "cohere"]);
});

test("scores are in the order of the texts, for any order of the answer", async () => {
  const reranker = await stage();
  const texts = ["no", "red apple", "green apple tree", "red"];
  const scores = await reranker.score("red apple", texts, never);
  expect(scores).toEqual(texts.map((text) => relevanceOf("red apple", text)));
  const [request] = server?.requests ?? [];
  expect(request?.path).toBe("/v2/rerank");
  expect(request?.headers.get("authorization")).toBe(`Bearer ${key}`);
  expect(request?.body).toEqual({ model: "rerank-v3.5", query: "red apple", documents: texts, top_n: 4 });
});

test.each(["", "/", "/v2", "/v1", "/v2/rerank"])("the configured address may end in %p", async (path) => {
  const reranker = await stage([], path);
  await reranker.score("a", ["a"], never);
  expect(server?.requests[0]?.path).toBe("/v2/rerank");
});

test("many texts go in bounded batches", async () => {
  const reranker = await stage();
  const texts = Array.from({ length: 600 }, (_, at) => (at % 3 === 0 ? "red" : "blue"));
  const scores = await reranker.score("red", texts, never);
  expect(scores).toEqual(texts.map((text) => (text === "red" ? 1 : 0)));
  expect(server?.requests.map(({ body }) => body.documents.length).sort()).toEqual([256, 256, 88].sort());
});

test("what says nothing is not sent and scores 0", async () => {
  const reranker = await stage();
  expect(await reranker.score("red", ["", "red", " \n"], never)).toEqual([0, 1, 0]);
  expect(server?.requests[0]?.body.documents).toEqual(["red"]);
  expect(await reranker.score(" ", ["red"], never)).toEqual([0]);
  expect(await reranker.score("red", [], never)).toEqual([]);
  expect(server?.requests).toHaveLength(1);
});

test("scores are cut to 0 and 1", async () => {
  const results = [
    { index: 0, relevance_score: 1.5 },
    { index: 1, relevance_score: -0.5 },
  ];
  const reranker = await stage([{ change: () => ({ results }) }]);
  expect(await reranker.score("q", ["a", "b"], never)).toEqual([1, 0]);
});

const score = (index: unknown, relevance_score: unknown) => ({ index, relevance_score });
const failures: [string, EmbeddingStep, code: string, says: RegExp][] = [
  ["no results", { body: "{}" }, "reranker_failed", /without a score for each of 2/],
  ["too few", { change: () => ({ results: [score(0, 1)] }) }, "reranker_failed", /without a score/],
  [
    "one twice",
    { change: () => ({ results: [score(0, 1), score(0, 1)] }) },
    "reranker_failed",
    /name no text/,
  ],
  [
    "one beyond",
    { change: () => ({ results: [score(0, 1), score(2, 1)] }) },
    "reranker_failed",
    /name no text/,
  ],
  [
    "no number",
    { change: () => ({ results: [score(0, 1), score(1, null)] }) },
    "reranker_failed",
    /name no text/,
  ],
  [
    "a wrong key",
    { status: 401, body: `{"message": "invalid api token ${key}"}` },
    "reranker_failed",
    /key is not/,
  ],
  [
    "a missing model",
    { status: 404, body: '{"message": "model \'x\' not found"}' },
    "reranker_failed",
    /no such model/,
  ],
  ["a web page", { body: "<html>" }, "reranker_failed", /web page/],
  ["a busy server", { status: 429 }, "reranker_unavailable", /asked too often/],
  ["a broken server", { status: 500 }, "reranker_unavailable", /answered 500/],
];
test.each(failures)("%s has its own error", async (_, step, code, says) => {
  const reranker = await stage(() => step);
  const error = await refusal(reranker.score("q", ["a", "b"], never));
  expect(error).toMatchObject({ code, status: code === "reranker_failed" ? 502 : 503 });
  expect(error.message).toMatch(says);
  expect(error.message).toContain("cohere/rerank-v3.5");
  expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain(key);
});

test("a fault that passes is tried once more", async () => {
  const reranker = await stage([{ status: 503 }]);
  expect(await reranker.score("red", ["red"], never)).toEqual([1]);
  expect(server?.requests).toHaveLength(2);
});

test("an abort ends the request with its reason", async () => {
  const reranker = await stage(() => ({ after: new Promise(() => undefined) }));
  const stop = new AbortController();
  const call = reranker.score("q", ["a"], stop.signal).catch((thrown) => thrown);
  await server?.received(1);
  stop.abort("gone");
  expect(await call).toBe("gone");
  await server?.requests[0]?.cut;
});

const refused: [string, RerankerSettings, path: string][] = [
  ["a name nobody knows", { provider: "coher" }, "provider"],
  ["no key", { provider: "cohere" }, "api_key_env"],
  ["a variable that is not set", { provider: "cohere", api_key_env: "NO" }, "api_key_env"],
];
test.each(refused)("%s is refused, by its key", async (_, settings, path) => {
  const { rerankerOf } = createRerankers(retrievalPorts());
  const error = await refusal(() => rerankerOf(settings));
  expect(error.code).toBe("invalid_manifest");
  expect(error.details.problems?.map((problem) => problem.path)).toEqual([path]);
});

test("equal settings are one reranker", () => {
  const { rerankerOf } = createRerankers(retrievalPorts({ variables: { KEY: key } }));
  const settings = { provider: "cohere", api_key_env: "KEY" };
  expect(rerankerOf(settings)).toBe(rerankerOf({ ...settings }));
  expect(rerankerOf(settings)).not.toBe(rerankerOf({ ...settings, model: "rerank-v4" }));
});

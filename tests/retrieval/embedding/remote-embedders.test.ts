import { afterEach, describe, expect, test } from "bun:test";
import { createEmbedders } from "../../../src/retrieval/embedding/create-embedders.ts";
import { type EmbeddingServer, modelVector, startEmbeddingServer } from "../../support/embedding-server.ts";
import { refusal } from "../../support/refusal.ts";
import { retrievalPorts } from "../../support/retrieval-ports.ts";
import {
  rowsOf,
  type StagedEmbedder,
  stagedKey,
  stageEmbedder,
  unitVector,
} from "../../support/staged-embedder.ts";

const never = new AbortController().signal;

let server: EmbeddingServer;
afterEach(() => server.stop());

async function stage(...how: Parameters<typeof stageEmbedder>): Promise<StagedEmbedder> {
  const staged = await stageEmbedder(...how);
  server = staged.server;
  return staged;
}

const both = ["openai", "ollama"] as const;

describe("the request", () => {
  test("openai: the route, the key, what is asked for", async () => {
    const { embedder } = await stage("openai", [], { dimension: 6 });
    await embedder.embed(["one", "two"], "document", never);
    const [request] = server.requests;
    expect(request?.path).toBe("/v1/embeddings");
    expect(request?.headers.get("authorization")).toBe(`Bearer ${stagedKey}`);
    expect(request?.body).toEqual({
      model: "tiny",
      input: ["one", "two"],
      encoding_format: "float",
      dimensions: 6,
    });
  });

  test("openai: no dimensions if none is configured", async () => {
    const { embedder } = await stage("openai");
    await embedder.embed(["one"], "query", never);
    expect(server.requests[0]?.body).toEqual({ model: "tiny", input: ["one"], encoding_format: "float" });
  });

  test("ollama: a text that is too long fails, it isn't cut", async () => {
    const { embedder } = await stage("ollama", [], { api_key_env: undefined });
    await embedder.embed(["one"], "document", never);
    expect(server.requests[0]?.path).toBe("/api/embed");
    expect(server.requests[0]?.headers.has("authorization")).toBe(false);
    expect(server.requests[0]?.body).toEqual({ model: "tiny", input: ["one"], truncate: false });
  });

  test.each([
    ["openai", "", "/v1/embeddings"],
    ["openai", "/", "/v1/embeddings"],
    ["openai", "/v1", "/v1/embeddings"],
    ["openai", "/v1/embeddings", "/v1/embeddings"],
    ["openai", "/api/v3/", "/api/v3/embeddings"],
    ["openai", "/v1?api-version=2", "/v1/embeddings?api-version=2"],
    ["ollama", "/", "/api/embed"],
    ["ollama", "/api", "/api/embed"],
    ["ollama", "/api/embed", "/api/embed"],
    ["ollama", "/v1", "/api/embed"],
    ["ollama", "/behind/a/proxy", "/behind/a/proxy/api/embed"],
  ])("%s at %p is called at %s", async (provider, written, path) => {
    server = await startEmbeddingServer();
    const endpoint = `${server.url}${written}`;
    const { embedderOf } = createEmbedders(retrievalPorts());
    await embedderOf({ provider, endpoint }).embed(["x"], "query", never);
    expect(server.requests[0]?.path).toBe(path);
  });
});

describe.each(both)("%s", (provider) => {
  test("vectors have length 1 and the order of the texts", async () => {
    const { embedder } = await stage(provider);
    const texts = ["a", "four", "seventeen letters"];
    const vectors = await embedder.embed(texts, "document", never);
    expect(rowsOf(vectors, 3)).toEqual(texts.map((text) => unitVector(modelVector(text))));
  });

  test("many texts go in bounded batches, a bounded number at once, and come back in order", async () => {
    // The first four are answered when all four have arrived.
    const after = (number: number) => (number < 4 ? server.received(4) : Promise.resolve());
    const { embedder } = await stage(provider, (_, number) => ({ after: after(number) }));
    const texts = Array.from({ length: 700 }, (_, at) => "x".repeat(1 + (at % 90)));
    const vectors = await embedder.embed(texts, "document", never);
    expect(rowsOf(vectors, 700)).toEqual(texts.map((text) => unitVector(modelVector(text))));
    expect(server.requests.length).toBeGreaterThan(4);
    expect(Math.max(...server.requests.map(({ body }) => body.input.length))).toBeLessThanOrEqual(128);
    expect(server.atOnce()).toBe(4);
  });

  test("long texts go in fewer at once, one that is longer than all goes alone", async () => {
    const { embedder } = await stage(provider);
    await embedder.embed(
      ["a".repeat(60_000), "b".repeat(60_000), "c".repeat(400_000), "d"],
      "document",
      never,
    );
    for (const { body } of server.requests) {
      const characters = body.input.join("").length;
      expect(body.input.length === 1 || characters <= 131_072).toBe(true);
    }
    expect(server.requests.flatMap(({ body }) => body.input)).toHaveLength(4);
  });

  test("a text that says nothing is not sent and has zeros", async () => {
    const { embedder } = await stage(provider);
    const vectors = await embedder.embed(["", "word", " \n\t"], "document", never);
    expect(rowsOf(vectors, 3)).toEqual([[0, 0, 0, 0], unitVector(modelVector("word")), [0, 0, 0, 0]]);
    expect(server.requests.map(({ body }) => body.input)).toEqual([["word"]]);
    expect(await embedder.embed([""], "query", never)).toEqual(new Float32Array(4));
    expect(await embedder.embed([], "document", never)).toHaveLength(0);
  });

  test("half a surrogate pair is sent as a sign that every server takes", async () => {
    const { embedder } = await stage(provider);
    await embedder.embed(["a\ud800b"], "document", never);
    expect(server.requests[0]?.body.input).toEqual(["a\ufffdb"]);
  });

  test("dimension is what the settings say, without a call", async () => {
    const { embedder } = await stage(provider, [], { dimension: 12 });
    expect(await embedder.dimension(never)).toBe(12);
    expect(server.requests).toHaveLength(0);
  });

  test("dimension is asked once, also by many at the same time", async () => {
    const { embedder } = await stage(provider);
    const asked = [embedder.dimension(never), embedder.dimension(never)];
    expect(await Promise.all(asked)).toEqual([4, 4]);
    expect(await embedder.dimension(never)).toBe(4);
    expect(server.requests).toHaveLength(1);
  });

  test("dimension that failed is asked again", async () => {
    const { embedder } = await stage(provider, [{ status: 401 }]);
    expect(await refusal(embedder.dimension(never))).toMatchObject({ code: "embedder_failed" });
    expect(await embedder.dimension(never)).toBe(4);
  });

  test("the same question is asked once; each caller may change its own vector", async () => {
    const { embedder } = await stage(provider);
    const first = await embedder.embed(["where?"], "query", never);
    const copy = first.slice();
    first.fill(0);
    expect(await embedder.embed(["where?"], "query", never)).toEqual(copy);
    expect(server.requests).toHaveLength(1);
    await embedder.embed(["where?"], "document", never);
    expect(server.requests).toHaveLength(2);
  });
});

describe("openai's forms", () => {
  test("base64 is read where the server gives it", async () => {
    const { embedder } = await stage("openai", [{ base64: true }]);
    const vectors = await embedder.embed(["one", "three"], "document", never);
    expect(rowsOf(vectors, 2)).toEqual(["one", "three"].map((text) => unitVector(modelVector(text))));
  });

  test("answers in another order are put in that of the texts", async () => {
    const reversed = (answer: Record<string, unknown>) => ({
      data: (answer.data as unknown[]).toReversed(),
    });
    const { embedder } = await stage("openai", [{ change: reversed }]);
    const vectors = await embedder.embed(["one", "three"], "document", never);
    expect(rowsOf(vectors, 2)).toEqual(["one", "three"].map((text) => unitVector(modelVector(text))));
  });

  test.each([
    ["twice", [0, 0]],
    ["beyond the last", [0, 2]],
    ["below the first", [-1, 0]],
    ["as a text", ["0", "1"]],
  ])("an index %s is refused", async (_, indexes) => {
    const data = indexes.map((index) => ({ index, embedding: [1, 2] }));
    const { embedder } = await stage("openai", [{ change: () => ({ data }) }]);
    const error = await refusal(embedder.embed(["one", "two"], "document", never));
    expect(error.message).toContain("in an unknown order");
  });
});

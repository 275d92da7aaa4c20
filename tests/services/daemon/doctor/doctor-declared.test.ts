import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../../src/compose/settings/config.ts";
import { agentFile, startDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const stops: (() => void)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

/** Starts a server that answers each request by its path and method; returns its URL. */
function serverAs(answer: (path: string, method: string, headers: Headers) => Response): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => answer(new URL(request.url).pathname, request.method, request.headers),
  });
  stops.push(() => void server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

const dead = "http://127.0.0.1:1";
type Entries = Config["providers"]["providers"];

/** Returns one check of the doctor, in a daemon without agents of its own and with these providers. */
async function examine(
  check: string,
  { providers = {}, rag = {}, redisUrl, agents = {}, waits = false }: Setup,
): Promise<{ status: string; message: string; mend?: string }> {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "rag"), { recursive: true });
  for (const [name, text] of Object.entries(rag)) writeFileSync(join(folder.path, "rag", name), text);
  await using daemon = await startDaemon({
    workspace: folder.path,
    agents,
    configure: (config) => ({
      ...config,
      providers: { ...config.providers, providers },
      ...(redisUrl !== undefined && { redisUrl }),
    }),
  });
  let isDone = false;
  const answer = daemon.call("GET", "/v1/system/doctor").finally(() => {
    isDone = true;
  });
  // The store's client retries by the clock, until the doctor's time limit.
  while (waits && !isDone) await daemon.clock.advance(100);
  const { body } = await answer;
  return body.checks.find(({ name }: { name: string }) => name === check);
}

interface Setup {
  providers?: Entries;
  rag?: Record<string, string>;
  redisUrl?: string;
  agents?: Record<string, string>;
  /** True if a client waits between its attempts. */
  waits?: boolean;
}

const entry = (endpoint: string, more: Partial<Entries[string]> = {}): Entries => ({
  desk: { type: "openai", endpoint, prices: {}, ...more },
});

describe("a provider that no agent uses", () => {
  test.each(["api_key=Kx93hq", "api%5Fkey=Kx93hq", "auth[token]=Kx93hq"])(
    "a key in its address is not shown: %s",
    async (query) => {
      const check = await examine("providers", { providers: entry(`${dead}/v1?${query}`) });
      expect(check.status).toBe("failing");
      expect(check.message).toContain(`${dead}/v1?`);
      expect(JSON.stringify(check)).not.toContain("Kx93hq");
    },
  );

  const posted: string[] = [];
  const withoutList = (status: number) =>
    serverAs((path, method) => {
      if (method === "POST") posted.push(path);
      return new Response("no", { status: path.endsWith("/models") ? 404 : status });
    });
  const table: [name: string, providers: () => Entries, status: string, says: RegExp][] = [
    ["is out of reach", () => entry(dead), "failing", /desk at .*refused/],
    ["has no list of models and says 405", () => entry(withoutList(405)), "healthy", /1 of 1/],
    ["says 404 to every GET", () => entry(withoutList(404)), "healthy", /1 of 1/],
    ["lists its models", () => entry(serverAs(() => Response.json({ data: [] }))), "healthy", /1 of 1/],
    ["refuses the key", () => entry(withoutList(401)), "failing", /key/],
    [
      "refuses the key for its list",
      () => entry(serverAs(() => new Response("", { status: 403 }))),
      "failing",
      /403/,
    ],
    ["is broken", () => entry(serverAs(() => new Response("", { status: 500 }))), "failing", /500/],
    [
      "is a web site",
      () => entry(serverAs(() => new Response("<html>", { headers: { "content-type": "text/html" } }))),
      "failing",
      /web page/,
    ],
    [
      "sends elsewhere",
      () => entry(serverAs(() => Response.redirect("http://127.0.0.1:1/", 302))),
      "failing",
      /302/,
    ],
    ["lacks its key", () => entry(dead, { api_key_env: "NO_SUCH_KEY" }), "failing", /NO_SUCH_KEY.*not set/],
  ];
  test.each(table)("%s", async (_name, providers, status, says) => {
    const found = await examine("providers", { providers: providers() });
    expect(found).toMatchObject({ status, message: expect.stringMatching(says) });
  });

  test("is only ever asked by GET", () => {
    expect(posted).toEqual([]);
  });
});

const pipeline = (name: string, spec: Record<string, unknown>) =>
  JSON.stringify({ apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec });

describe("what retrieval needs", () => {
  const living = () => serverAs(() => new Response("", { status: 405 }));
  const table: [name: string, setup: () => Setup, status: string, says: RegExp][] = [
    ["nothing", () => ({}), "healthy", /no pipelines/],
    [
      "a pipeline of its own means",
      () => ({ rag: { "a.rag.yaml": pipeline("a", {}) } }),
      "healthy",
      /1 of 1/,
    ],
    [
      "a file that is broken",
      () => ({ rag: { "a.rag.yaml": pipeline("a", {}), "b.rag.yaml": pipeline("b", { chunkng: {} }) } }),
      "degraded",
      /Pipeline b: .*chunkng/,
    ],
    [
      "an embedder that is there",
      () => ({
        rag: { "a.rag.yaml": pipeline("a", { embeddings: { provider: "openai", endpoint: living() } }) },
      }),
      "healthy",
      /1 of 1 embedding/,
    ],
    [
      "an embedder that is not",
      () => ({
        rag: { "a.rag.yaml": pipeline("a", { embeddings: { provider: "ollama", endpoint: dead } }) },
      }),
      "failing",
      /Embedder ollama\/\S+ of pipeline a/,
    ],
    [
      "a vector store that is not",
      () => ({
        waits: true,
        rag: { "a.rag.yaml": pipeline("a", { vector_store: { backend: "qdrant", url: dead } }) },
      }),
      "failing",
      /Vector store qdrant of pipeline a/,
    ],
    [
      "an agent's memory in a store that is not there",
      () => ({
        waits: true,
        agents: {
          "m.agent.yaml": agentFile("m", {
            model: { primary: { provider: "rehearsal", model: "rehearsal" } },
            memory: { semantic: { backend: "qdrant", connection: { url: dead } } },
          }),
        },
      }),
      "failing",
      /Vector store qdrant of agent m/,
    ],
  ];
  test.each(table)("%s", async (_name, setup, status, says) => {
    const found = await examine("retrieval", setup());
    expect(found).toMatchObject({ status, message: expect.stringMatching(says) });
  });
});

test("probes a Redis that no agent uses", async () => {
  expect(await examine("redis", {})).toMatchObject({ status: "healthy" });
  const found = await examine("redis", { redisUrl: "redis://:hidden-words@127.0.0.1:1" });
  expect(found).toMatchObject({ status: "degraded", mend: expect.stringContaining("REDIS_URL") });
  expect(JSON.stringify(found)).not.toContain("hidden-words");
});

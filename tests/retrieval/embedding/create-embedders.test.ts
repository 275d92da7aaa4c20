import { describe, expect, test } from "bun:test";
import { createEmbedders, embedderNames } from "../../../src/retrieval/embedding/create-embedders.ts";
import type { EmbedderSettings } from "../../../src/retrieval/embedding/embedder.ts";
import { startEmbeddingServer } from "../../support/embedding-server.ts";
import { refusal } from "../../support/refusal.ts";
import { retrievalPorts } from "../../support/retrieval-ports.ts";

const never = new AbortController().signal;

test("the registry names what there is, the default first", () => {
  expect(embedderNames).toEqual(["local_hash", "ollama", "openai", "sentence_transformer"]);
});

test("equal settings are one embedder, others another", () => {
  const { embedderOf } = createEmbedders(retrievalPorts());
  expect(embedderOf({ provider: "local_hash" })).toBe(
    embedderOf({ provider: "local_hash", model: undefined }),
  );
  expect(embedderOf({ provider: "local_hash" })).not.toBe(
    embedderOf({ provider: "local_hash", dimension: 64 }),
  );
});

test("a model gets letters with combining marks as the letters that they compose", async () => {
  const server = await startEmbeddingServer();
  const { embedderOf } = createEmbedders(retrievalPorts());
  const embedder = embedderOf({ provider: "ollama", endpoint: server.url });
  for (const use of ["document", "query"] as const) await embedder.embed(["e\u0301le\u0300ve"], use, never);
  const sent = JSON.stringify(server.requests.map(({ body }) => body));
  expect(sent.match(/élève/g)).toHaveLength(2);
  await server.stop();
});

test("the name of an embedder says what decides its vectors", () => {
  const { embedderOf } = createEmbedders(retrievalPorts({ variables: { KEY: "k" } }));
  const idOf = (settings: EmbedderSettings) => embedderOf(settings).id;
  expect(idOf({ provider: "local_hash" })).toBe("local_hash/1@384");
  expect(idOf({ provider: "local_hash", dimension: 64 })).toBe("local_hash/1@64");
  expect(idOf({ provider: "ollama" })).toBe("ollama/nomic-embed-text");
  expect(idOf({ provider: "ollama", model: "bge-m3" })).toBe("ollama/bge-m3");
  expect(idOf({ provider: "openai", api_key_env: "KEY" })).toBe("openai/text-embedding-3-small");
  expect(idOf({ provider: "openai", api_key_env: "KEY", dimension: 512 })).toBe(
    "openai/text-embedding-3-small@512",
  );
});

const refused: [string, EmbedderSettings, path: string, says: RegExp][] = [
  ["a name nobody knows", { provider: "bert" }, "provider", /there are local_hash, ollama/],
  ["a slip of the pen", { provider: "local_hsh" }, "provider", /did you mean local_hash\?/],
  ["local_hash with a model", { provider: "local_hash", model: "m" }, "model", /not used by local_hash/],
  ["local_hash with an address", { provider: "local_hash", endpoint: "http://a" }, "endpoint", /not used/],
  ["local_hash with a key", { provider: "local_hash", api_key_env: "KEY" }, "api_key_env", /not used/],
  ["too small a dimension", { provider: "local_hash", dimension: 8 }, "dimension", /from 16 to 16384/],
  ["half a dimension", { provider: "local_hash", dimension: 99.5 }, "dimension", /whole number/],
  [
    "a variable that is not set",
    { provider: "ollama", api_key_env: "NO" },
    "api_key_env",
    /NO, which is not set/,
  ],
  ["OpenAI without a key", { provider: "openai" }, "api_key_env", /takes no call without a key/],
  [
    "a key no header can carry",
    { provider: "openai", api_key_env: "BAD" },
    "api_key_env",
    /characters that no HTTP header can carry/,
  ],
  [
    "a file",
    { provider: "ollama", endpoint: "file:///etc/passwd" },
    "endpoint",
    /not an http or https address/,
  ],
  ["no address", { provider: "ollama", endpoint: "http://" }, "endpoint", /not an http or https address/],
  ["a password in the address", { provider: "ollama", endpoint: "http://u:p@h/" }, "endpoint", /api_key_env/],
];
test.each(refused)("%s is refused, by its key", async (_, settings, path, says) => {
  const { embedderOf } = createEmbedders(retrievalPorts({ variables: { KEY: "k", BAD: "a\nb" } }));
  const error = await refusal(() => embedderOf(settings));
  expect(error.code).toBe("invalid_manifest");
  expect(error.details.problems).toEqual([{ path, message: expect.stringMatching(says) }]);
});

describe("where it is called, and with which key", () => {
  const known = { endpoint: "", apiKey: "configured" };
  const cases: [string, Partial<EmbedderSettings>, key: string | null][] = [
    ["the configured server has its own key", {}, "Bearer configured"],
    ["a named variable comes before it", { api_key_env: "KEY" }, "Bearer own"],
    ["the same address written out is the configured server", { endpoint: "same" }, "Bearer configured"],
    ["another address never gets the configured key", { endpoint: "other" }, null],
    ["another address gets the key named beside it", { endpoint: "other", api_key_env: "KEY" }, "Bearer own"],
  ];
  test.each(cases)("%s", async (_, settings, key) => {
    await using stopped = new AsyncDisposableStack();
    const [configured, other] = await Promise.all([startEmbeddingServer(), startEmbeddingServer()]);
    for (const server of [configured, other]) stopped.defer(server.stop);
    const ports = retrievalPorts({
      variables: { KEY: " own\n" },
      servers: { openai: { ...known, endpoint: `${configured.url}/v1` } },
    });
    const addresses: Record<string, string> = { same: `${configured.url}/v1/`, other: other.url };
    const endpoint = settings.endpoint && addresses[settings.endpoint];
    const { embedderOf } = createEmbedders(ports);
    await embedderOf({ provider: "openai", ...settings, endpoint }).embed(["x"], "query", never);
    const called = settings.endpoint === "other" ? other : configured;
    expect(called.requests).toHaveLength(1);
    expect(called.requests[0]?.headers.get("authorization") ?? null).toBe(key);
  });

  test("host and port are enough for a local server", async () => {
    const server = await startEmbeddingServer();
    const endpoint = server.url.replace("http://", "");
    const { embedderOf } = createEmbedders(retrievalPorts({ servers: { ollama: { endpoint } } }));
    await embedderOf({ provider: "ollama" }).embed(["x"], "query", never);
    expect(server.requests).toHaveLength(1);
    await server.stop();
  });
});

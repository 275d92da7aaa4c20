import { describe, expect, test } from "bun:test";
import { channelsFileKind } from "../../src/manifest/files/channels-file.ts";
import { connectionsFileKind } from "../../src/manifest/files/connections-file.ts";
import { providersFileKind } from "../../src/manifest/files/providers-file.ts";
import { runtimeFileKind } from "../../src/manifest/files/runtime-file.ts";
import { ragPipelineKind } from "../../src/manifest/rag-pipeline.ts";
import {
  type Checked,
  checkFile,
  type ManifestKind,
  parseFile,
} from "../../src/manifest/schema/manifest-kind.ts";

const read = <T>(kind: ManifestKind<T>, text: string) =>
  parseFile(kind, text, "f.yaml", (name) => `<${name}>`);

test("a RAG pipeline has its defaults", () => {
  const text = "apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: handbook}\n";
  expect(read(ragPipelineKind({}), text).spec).toEqual({
    chunking: { strategy: "recursive", chunk_size: 512, overlap: 50, similarity_threshold: 0.5 },
    embeddings: { provider: "local_hash" },
    vector_store: {},
    reranking: { enabled: false, provider: "cross_encoder" },
    retrieval: { top_k: 5, similarity_threshold: 0, mode: "hybrid", filters: {} },
    sources: [],
  });
});

test("providers.yaml", () => {
  const text = `
providers:
  local: {type: ollama, endpoint: http://127.0.0.1:11434, models: [llama3], context_window: 8192}
  fast: {type: openai, endpoint: "https://api.example/v1", api_key_env: FAST_KEY, prices: {small: {in: 150, out: 600, cached: 75}}}
default: {candidates: [{provider: local, model: llama3}], strategy: cost_optimized}
`;
  const file = read(providersFileKind(), text);
  expect(file.circuit_breaker).toEqual({ failure_threshold: 3, recovery_seconds: 60 });
  expect(file.providers.fast?.prices).toEqual({ small: { in: 150, out: 600, cached: 75 } });
  expect(file.default?.candidates[0]).toEqual({
    provider: "local",
    model: "llama3",
    timeout_seconds: 120,
    parameters: {},
  });
});

const runtime = `
spec:
  services: {daemon: {enabled: true, host: 127.0.0.1, port: 0}, gateway: {enabled: false}}
  defaults: {orchestration: {max_iterations: 6, timeout: 30}}
  limits: {runs_in_flight: 8}
  mesh: {enabled: true, seeds: ["10.0.0.1:8000", "[::1]:8000"], node_name: n1, suspect_ms: 4000, dead_ms: 9000}
  peers: [{name: far, url: "http://far.example:8080", services: [platform]}]
  network: {allow: [10.1.0.0/16, erp.corp.example, "fd00::/8"]}
  observability: {collector: internal, otlp: {enabled: true, endpoint: "http://otel:4318", headers: {x-key: k}}, retention_days: 7}
  tenants: {tools: [read_file], providers: [openai]}
  platform: {registration: open, run_timeout_seconds: 120}
  cloud: {plans: {free: {max_agents: 5, requests_per_day: 1000, max_members: 3}}}
  gateway: {inbound_rows: 10000, workers: 64}
  translator: {accounts: {local: {provider: gcp, driver: embedded}}}
`;

test("runtime.yaml says what it says and nothing more", () => {
  const { spec } = read(runtimeFileKind, runtime);
  expect(spec.defaults).toEqual({ orchestration: { max_iterations: 6, timeout_seconds: 30 } });
  expect(spec.services).toEqual({
    daemon: { enabled: true, host: "127.0.0.1", port: 0 },
    gateway: { enabled: false },
  });
  expect(read(runtimeFileKind, "spec: {}")).toEqual({ spec: {} });
});

test("channels.yaml and connections.yaml take their secrets from variables", () => {
  const channels = `channels: {phone_messenger: {app_secret: "\${SECRET}", default_agent: desk}}`;
  expect(read(channelsFileKind, channels).channels.phone_messenger).toEqual({
    app_secret: "<SECRET>",
    default_agent: "desk",
    rate_limit: { window_seconds: 60, max_messages: 30 },
    allow_unsigned: false,
  });
  const connections = `connections: {erp: {base_url: https://erp.example, credential: "\${ERP_TOKEN}"}}`;
  expect(read(connectionsFileKind, connections).connections.erp?.credential).toBe("<ERP_TOKEN>");
});

type Check = (text: string) => Checked<unknown>;

const of =
  <T>(kind: ManifestKind<T>): Check =>
  (text) =>
    checkFile(kind, text, () => undefined);

describe("a fault names its place", () => {
  const rag = (spec: string) =>
    `apiVersion: platform/v1\nkind: RAGPipeline\nmetadata: {name: a}\nspec: ${spec}\n`;
  test.each<[string, Check, string, string, string]>([
    [
      "overlap",
      of(ragPipelineKind({})),
      rag("{chunking: {chunk_size: 50}}"),
      "spec.chunking.overlap",
      "must be less than chunk_size (50)",
    ],
    [
      "a chunker",
      of(ragPipelineKind({})),
      rag("{chunking: {strategy: recursiv}}"),
      "spec.chunking.strategy",
      "did you mean `recursive`?",
    ],
    [
      "a store",
      of(ragPipelineKind({ vectorStores: ["lancedb"] })),
      rag("{vector_store: {backend: qdrant}}"),
      "spec.vector_store.backend",
      "must be `lancedb`; this version has no others",
    ],
    [
      "an agent",
      of(ragPipelineKind({})),
      "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: a}",
      "kind",
      "must be `RAGPipeline`",
    ],
    [
      "a provider's type",
      of(providersFileKind({ types: ["openai", "ollama"] })),
      "providers: {a: {type: opnai}}",
      "providers.a.type",
      "did you mean `openai`?",
    ],
    [
      "a provider's name",
      of(providersFileKind()),
      "providers: {A B: {type: openai}}",
      "providers.A B",
      "is not a possible key",
    ],
    [
      "a price",
      of(providersFileKind()),
      "providers: {a: {type: x, prices: {m: {in: 0.5, out: 1}}}}",
      "providers.a.prices.m.in",
      "must be a whole number",
    ],
    [
      "a model nobody has",
      of(providersFileKind()),
      "providers: {a: {type: x, models: [m]}}\ndefault: {candidates: [{provider: a, model: n}]}",
      "default.candidates[0].model",
      "is not among the models of a: m",
    ],
    [
      "a service",
      of(runtimeFileKind),
      "spec: {services: {deamon: {}}}",
      "spec.services.deamon",
      "did you mean `daemon`?",
    ],
    [
      "a port",
      of(runtimeFileKind),
      "spec: {services: {daemon: {port: 70000}}}",
      "spec.services.daemon.port",
      "between 0 and 65535",
    ],
    [
      "a seed",
      of(runtimeFileKind),
      "spec: {mesh: {seeds: [a]}}",
      "spec.mesh.seeds[0]",
      "must be an address of the form host:port",
    ],
    [
      "timing",
      of(runtimeFileKind),
      "spec: {mesh: {suspect_ms: 5, dead_ms: 5}}",
      "spec.mesh.dead_ms",
      "must be more than suspect_ms",
    ],
    [
      "a variable",
      of(channelsFileKind),
      `channels: {phone_messenger: {app_secret: "\${X}", default_agent: a}}`,
      "channels.phone_messenger.app_secret",
      "needs the variable X, which is not set",
    ],
    ["a channel", of(channelsFileKind), "channels: {fax: {}}", "channels.fax", "is not a known key"],
    [
      "an address",
      of(connectionsFileKind),
      "connections: {erp: {base_url: erp}}",
      "connections.erp.base_url",
      "must be an address",
    ],
  ])("%s", (_, check, text, path, words) => {
    const checked = check(text);
    if (!("problems" in checked)) throw new Error("accepted");
    expect(checked.problems).toHaveLength(1);
    expect(checked.problems[0]).toMatchObject({ path, line: expect.any(Number), column: expect.any(Number) });
    expect(checked.problems[0]?.message).toContain(words);
  });
});

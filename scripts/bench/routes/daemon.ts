import {
  agentOf,
  cityTools,
  fields,
  fill,
  fiveRules,
  hostileYaml,
  KIB,
  largest,
  MIB,
  record,
  times,
  wideSpecs,
  yamlOf,
} from "../hostile.ts";
import { type Ask, expectOk, posts, type RouteRow, reads, type World, yamlType } from "./route-row.ts";

const query = 256 * KIB - 100;
const memory = { conversational: { backend: "sqlite", strategy: "sliding_window", max_turns: 200 } };
const conversation = (count: number) =>
  times(count, (n) => ({ role: n % 2 ? "assistant" : "user", content: fill("words ", 900) }));

/** Requests to the daemon. */
export async function daemonRoutes({ askOf }: World): Promise<RouteRow[]> {
  const daemon = askOf("daemon");
  const v1 = askOf("daemon", "/v1");
  return [
    ...manifests(v1),
    ...runs(v1),
    ...completions(v1),
    ...documents(v1),
    ...others(v1, daemon),
    ...reads("daemon", daemon, [
      ["/metrics", "/metrics"],
      ["OpenAPI", "/openapi.json"],
    ]),
  ];
}

const create = (v1: Ask, name: string, spec: object) =>
  expectOk(v1("POST", "/agents", { body: agentOf(name, spec) }));

const manifests = (v1: Ask): RouteRow[] => [
  ...wideSpecs.map(([name, spec], at) =>
    posts(`daemon: create, ${name}`, v1, "/agents", (round: number) => agentOf(`wide${at}-${round}`, spec)),
  ),
  ...hostileYaml().map(([name, text]) =>
    posts(`daemon: validate YAML, ${name}`, v1, "/agents/validate", text, yamlType),
  ),
  posts("daemon: create, the largest", v1, "/agents", (round: number) =>
    agentOf(`large-${round}`, largest(round)),
  ),
  posts(
    "daemon: create, the largest in YAML",
    v1,
    "/agents",
    (round: number) => yamlOf(agentOf(`yaml-${round}`, largest(round, 60, 10))),
    yamlType,
  ),
  {
    name: "daemon: replace, the largest",
    before: async () => {
      await create(v1, "replaced", largest(99));
      for (let n = 0; n < 100; n++) await create(v1, `many-${n}`, { tools: cityTools(8, 8) });
    },
    ask: (round) => v1("PUT", "/agents/replaced", { body: agentOf("replaced", largest(round)) }),
  },
  posts("daemon: validate, the largest", v1, "/agents/validate", (round: number) =>
    agentOf("v", largest(round)),
  ),
  ...reads("daemon", v1, [
    ["read the largest", "/agents/replaced"],
    ["manifest of the largest, YAML", "/agents/replaced/manifest"],
    ["manifest of the largest, JSON", "/agents/replaced/manifest?format=json"],
    ["tools of all agents", "/tools"],
    ["list 100 agents", "/agents"],
  ]),
];

const runs = (v1: Ask): RouteRow[] => [
  ...["search orders of Berlin ", "1, ", '"x" and ', "a "].map((unit, at) =>
    posts(
      `daemon: run with 128 tools on ${JSON.stringify(unit)}`,
      v1,
      "/agents/tooled/run",
      { query: fill(unit, query) },
      {
        before: async () => at === 0 && (await create(v1, "tooled", { tools: cityTools(128, 20), memory })),
      },
    ),
  ),
  posts(
    "daemon: run with 128 tools of long descriptions",
    v1,
    "/agents/wordy/run",
    { query: "search the orders" },
    {
      before: () => create(v1, "wordy", { tools: cityTools(128, 8, fill("the orders of a city ", 1000)) }),
    },
  ),
  posts(
    "daemon: run with a large context",
    v1,
    "/agents/plain/run",
    { query: "hi", context: record(5000, (n) => [`k${n}`, n]) },
    { before: () => create(v1, "plain", { memory, prompts: { system: "{{ context }}" } }) },
  ),
  posts(
    "daemon: run of a session with 1,000 messages",
    v1,
    "/agents/plain/run",
    { query: "what did I say?", session_id: "long" },
    {
      before: async () => {
        for (let n = 0; n < 500; n++) {
          const body = { query: fill(`${n} hello there `, 2000), session_id: "long" };
          await v1("POST", "/agents/plain/run", { body });
        }
      },
    },
  ),
  ...reads("daemon", v1, [
    ["history of 1,000 messages", "/memory/plain/history/long?limit=1000"],
    ["export of a user", "/memory/plain/export?session_id=long"],
    ["context of a session", "/memory/plain/context/long"],
    ["sessions", "/memory/plain/sessions?limit=1000"],
  ]),
  posts(
    "daemon: run, output_schema of 199 fields of five rules",
    v1,
    "/agents/shaped/run",
    { query: "hi" },
    {
      before: () => create(v1, "shaped", { output_schema: fields(199, fiveRules) }),
    },
  ),
  posts("daemon: run, wrong body of 1 MiB", v1, "/agents/plain/run", {
    query: times(9000, (n) => ({ [`k${n}`]: n })),
    extra: times(100_000, () => ({})),
  }),
  posts("daemon: run with a prompt of 128 KiB in its place", v1, "/agents/plain/run", {
    query: "hi",
    override: { model: "rehearsal/x", system_prompt: fill("x ", 128 * KIB) },
  }),
];

function completions(v1: Ask): RouteRow[] {
  const schemas: [name: string, schema: object][] = [
    ["299 fields", fields(299, { type: "string", minLength: 1 })],
    ["199 fields of five rules", fields(199, fiveRules)],
    ["99 fields of an enum of 100", fields(99, { enum: times(100, (n) => n) })],
    ["60 fields of patterns", fields(60, { type: "string", pattern: "^(?:a|b|c){20}$" })],
    [
      "90 fields that may be one of two",
      fields(90, {
        anyOf: [
          { type: "string", minLength: 1 },
          { type: "number", minimum: 1 },
        ],
      }),
    ],
  ];
  const completes = (name: string, body: unknown) =>
    posts(`daemon: completions ${name}`, v1, "/chat/completions", body);
  const hi = [{ role: "user", content: "hi" }];
  return [
    completes("of 1,000 messages", { model: "agent/plain", messages: [...conversation(1000), ...hi] }),
    completes("of 26,000 messages", {
      model: "agent/plain",
      messages: times(26_000, () => ({ role: "user", content: "a" })),
    }),
    completes("of a provider, 1,000 messages", {
      model: "rehearsal/rehearsal",
      messages: conversation(1001),
    }),
    completes("with 128 tools", {
      model: "rehearsal/rehearsal",
      messages: [{ role: "user", content: fill("search orders of Berlin ", query) }],
      tools: cityTools(128, 20).map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      })),
    }),
    ...schemas.map(([name, schema]) =>
      completes(`with response_format of ${name}`, (round: number) => ({
        model: "agent/plain",
        messages: hi,
        response_format: {
          type: "json_schema",
          json_schema: { name: `x${round}`, schema: { ...schema, title: `${round}` } },
        },
      })),
    ),
    posts("daemon: embeddings of 2,048 texts", v1, "/embeddings", {
      model: "local_hash",
      input: times(2048, () => fill("some words ", 480)),
    }),
  ];
}

function documents(v1: Ask): RouteRow[] {
  const ingests = (name: string, collection: string, count: number, text: (n: number) => string) =>
    posts(`daemon: ingest ${name}`, v1, "/rag/ingest", (round: number) => ({
      collection,
      documents: times(count, (n) => ({ id: `d${round}-${n}`, text: text(n) })),
    }));
  const queries = (name: string, body: object) =>
    posts(`daemon: query, ${name}`, v1, "/rag/query", { collection: "many", ...body });
  return [
    ingests("500 documents", "many", 500, (n) => fill(`document ${n} of words. `, 14 * KIB)),
    ingests("10,000 short documents", "short", 10_000, (n) => `document ${n}`),
    posts("daemon: chunk 7 MiB", v1, "/rag/chunk", { text: fill("A word and another. ", 7 * MIB) }),
    queries("1,000 passages", { query: "document of words", top_k: 1000 }),
    queries("8,000 characters", { query: fill("document ", 8000), top_k: 10 }),
    ...reads("daemon", v1, [
      ["documents of a collection", "/rag/collections/many/documents?limit=1000"],
      ["chunks of a document", "/rag/collections/many/documents/d0-1/chunks"],
      ["collections", "/rag/collections"],
      ["jobs", "/rag/jobs"],
    ]),
    posts("daemon: a pipeline of 900 KiB", v1, "/rag/pipelines", {
      apiVersion: "platform/v1",
      kind: "RAGPipeline",
      metadata: { name: "p" },
      spec: record(9000, (n) => [`k${n}`, fill("x", 90)]),
    }),
    posts(
      "daemon: semantic memory, a text of the maximum",
      v1,
      "/memory/recalls/semantic",
      { text: fill("some words ", 8000) },
      {
        before: () => create(v1, "recalls", { memory: { ...memory, semantic: {} } }),
      },
    ),
  ];
}

function others(v1: Ask, daemon: Ask): RouteRow[] {
  const replays = (name: string, entries: unknown[]) =>
    posts(`daemon: replay a given cassette of ${name}`, v1, "/cassettes/replay", {
      cassette: { version: 1, entries },
    });
  const mcp = (name: string, body: unknown) =>
    posts(`daemon: MCP, ${name}`, daemon, "/mcp", body, {
      headers: { accept: "application/json, text/event-stream" },
    });
  return [
    posts("daemon: execute a tool on 1 MiB", v1, "/tools/execute", {
      tool: "json_transform",
      input: { data: times(100_000, (n) => n), expression: "$sum($)" },
    }),
    ...reads("daemon", v1, [
      ["traces", "/traces?limit=1000"],
      ["cost records", "/costs/records?limit=1000"],
      ["cost history", "/costs/history"],
      ["cost summary", "/costs/summary"],
      ["cost prices", "/costs/prices"],
      ["models", "/models"],
      ["gallery", "/gallery"],
      ["schema of agents", "/schema/agent"],
      ["doctor", "/system/doctor"],
      ["status", "/system/status"],
      ["cassettes", "/cassettes"],
      ["metrics as JSON", "/metrics"],
    ]),
    {
      name: "daemon: the largest trace",
      ask: async () => {
        const { text } = await v1("GET", "/traces?limit=1");
        return v1("GET", `/traces/${/"trace_id":"([^"]+)"/.exec(text)?.[1]}`);
      },
    },
    replays(
      "8 MiB",
      times(800, () => ({ a: fill("b", 9 * KIB) })),
    ),
    replays(
      "700,000 values",
      times(700_000, () => [0]),
    ),
    posts("daemon: a model's inputs of 1 MiB", v1, "/ml/models/none/predict", {
      inputs: { x: { data: times(200_000, (n) => n % 10), shape: [200_000] } },
    }),
    mcp(
      "a batch",
      times(100, (n) => ({ jsonrpc: "2.0", id: n, method: "ping" })),
    ),
    mcp("initialize with 1 MiB", {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: { experimental: record(9000, (n) => [`k${n}`, {}]) },
        clientInfo: { name: "x", version: "1" },
      },
    }),
  ];
}

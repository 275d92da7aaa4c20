import { fields } from "../attack/hostile-specs.ts";
import { expectOk, fill, KIB, MIB, type RouteRow, record, times, type World } from "./route-row.ts";
import { agentOf, hostileYaml, largest, rehearsal, tools, wideSpecs, yamlOf } from "./wide-specs.ts";

const query = 256 * KIB - 100;

/** Requests to the daemon. */
export async function daemonRoutes({ askOf }: World): Promise<RouteRow[]> {
  const daemon = askOf("daemon");
  const v1 = askOf("daemon", "/v1");
  const create = (name: string, spec: object) =>
    expectOk(v1("POST", "/agents", { body: agentOf(name, spec) }));
  const memory = { conversational: { backend: "sqlite", strategy: "sliding_window", max_turns: 200 } };
  return [
    ...wideSpecs.map(
      ({ name, spec }, at): RouteRow => ({
        name: `daemon: create, ${name}`,
        ask: (round) => v1("POST", "/agents", { body: agentOf(`wide${at}-${round}`, spec) }),
      }),
    ),
    ...hostileYaml().map(
      ([name, text]): RouteRow => ({
        name: `daemon: validate YAML, ${name}`,
        ask: () =>
          v1("POST", "/agents/validate", { body: text, headers: { "content-type": "application/yaml" } }),
      }),
    ),
    {
      name: "daemon: create, the largest",
      ask: (round) => v1("POST", "/agents", { body: agentOf(`large-${round}`, largest(round)) }),
    },
    {
      name: "daemon: create, the largest in YAML",
      ask: (round) =>
        v1("POST", "/agents", {
          body: yamlOf(agentOf(`yaml-${round}`, largest(round, 60, 10))),
          headers: { "content-type": "application/yaml" },
        }),
    },
    {
      name: "daemon: replace, the largest",
      before: () => create("replaced", largest(99)),
      ask: (round) => v1("PUT", "/agents/replaced", { body: agentOf("replaced", largest(round)) }),
    },
    {
      name: "daemon: validate, the largest",
      ask: (round) => v1("POST", "/agents/validate", { body: agentOf("v", largest(round)) }),
    },
    { name: "daemon: read the largest", ask: () => v1("GET", "/agents/replaced") },
    { name: "daemon: manifest of the largest, YAML", ask: () => v1("GET", "/agents/replaced/manifest") },
    {
      name: "daemon: manifest of the largest, JSON",
      ask: () => v1("GET", "/agents/replaced/manifest?format=json"),
    },
    { name: "daemon: tools of all agents", ask: () => v1("GET", "/tools") },
    {
      name: "daemon: list 100 agents",
      before: async () => {
        for (let n = 0; n < 100; n++) await create(`many-${n}`, { tools: tools(8, 8) });
      },
      ask: () => v1("GET", "/agents"),
    },
    ...["search orders of Berlin ", "1, ", '"x" and ', "a "].map(
      (unit, at): RouteRow => ({
        name: `daemon: run with 128 tools on ${JSON.stringify(unit)}`,
        before: async () => {
          if (at === 0) await create("tooled", { tools: tools(128, 20), memory });
        },
        ask: () => v1("POST", "/agents/tooled/run", { body: { query: fill(unit, query) } }),
      }),
    ),
    {
      name: "daemon: run with 128 tools of long descriptions",
      before: () =>
        create("wordy", {
          tools: tools(128, 8).map((tool) => ({ ...tool, description: fill("the orders of a city ", 1000) })),
        }),
      ask: () => v1("POST", "/agents/wordy/run", { body: { query: "search the orders of Berlin" } }),
    },
    {
      name: "daemon: run with a large context",
      before: () => create("plain", { memory, prompts: { system: "{{ context }}" } }),
      ask: () =>
        v1("POST", "/agents/plain/run", {
          body: { query: "hi", context: record(5000, (n) => [`k${n}`, n]) },
        }),
    },
    {
      name: "daemon: run of a session with 1,000 messages",
      before: async () => {
        for (let n = 0; n < 500; n++)
          await v1("POST", "/agents/plain/run", {
            body: { query: fill(`${n} hello there `, 2000), session_id: "long" },
          });
      },
      ask: () => v1("POST", "/agents/plain/run", { body: { query: "what did I say?", session_id: "long" } }),
    },
    {
      name: "daemon: history of 1,000 messages",
      ask: () => v1("GET", "/memory/plain/history/long?limit=1000"),
    },
    { name: "daemon: export of a user", ask: () => v1("GET", "/memory/plain/export?session_id=long") },
    { name: "daemon: context of a session", ask: () => v1("GET", "/memory/plain/context/long") },
    { name: "daemon: sessions", ask: () => v1("GET", "/memory/plain/sessions?limit=1000") },
    {
      name: "daemon: completions of 1,000 messages",
      ask: () =>
        v1("POST", "/chat/completions", {
          body: {
            model: "agent/plain",
            messages: times(1000, (n) => ({
              role: n % 2 ? "assistant" : "user",
              content: fill("words ", 900),
            })).concat({ role: "user", content: "hi" }),
          },
        }),
    },
    {
      name: "daemon: completions of 30,000 messages",
      ask: () =>
        v1("POST", "/chat/completions", {
          body: { model: "agent/plain", messages: times(26_000, () => ({ role: "user", content: "a" })) },
        }),
    },
    {
      name: "daemon: completions of a provider, 1,000 messages",
      ask: () =>
        v1("POST", "/chat/completions", {
          body: {
            model: "rehearsal/rehearsal",
            messages: times(1001, (n) => ({
              role: n % 2 ? "assistant" : "user",
              content: fill("words ", 900),
            })),
          },
        }),
    },
    {
      name: "daemon: completions with 128 tools",
      ask: () =>
        v1("POST", "/chat/completions", {
          body: {
            model: "rehearsal/rehearsal",
            messages: [{ role: "user", content: fill("search orders of Berlin ", query) }],
            tools: tools(128, 20).map(({ name, description, parameters }) => ({
              type: "function",
              function: { name, description, parameters },
            })),
          },
        }),
    },
    ...(
      [
        ["299 fields", fields(299, { type: "string", minLength: 1 })],
        [
          "199 fields of five rules",
          fields(199, { type: ["string", "number"], minLength: 1, maxLength: 9, minimum: 1, enum: ["a", 1] }),
        ],
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
      ] as const
    ).map(
      ([name, schema]): RouteRow => ({
        name: `daemon: completions, response_format of ${name}`,
        ask: (round) =>
          v1("POST", "/chat/completions", {
            body: {
              model: "agent/plain",
              messages: [{ role: "user", content: "hi" }],
              response_format: {
                type: "json_schema",
                json_schema: { name: `x${round}`, schema: { ...schema, title: `${round}` } },
              },
            },
          }),
      }),
    ),
    {
      name: "daemon: run of an agent, output_schema of 199 fields of five rules",
      before: () =>
        create("shaped", {
          output_schema: fields(199, {
            type: ["string", "number"],
            minLength: 1,
            maxLength: 9,
            minimum: 1,
            enum: ["a", 1],
          }),
        }),
      ask: () => v1("POST", "/agents/shaped/run", { body: { query: "hi" } }),
    },
    {
      name: "daemon: embeddings of 2,048 texts",
      ask: () =>
        v1("POST", "/embeddings", {
          body: { model: "local_hash", input: times(2048, () => fill("some words ", 480)) },
        }),
    },
    {
      name: "daemon: ingest 500 documents",
      ask: (round) =>
        v1("POST", "/rag/ingest", {
          body: {
            collection: "many",
            documents: times(500, (n) => ({
              id: `d${round}-${n}`,
              text: fill(`document ${n} of words. `, 14 * KIB),
            })),
          },
        }),
    },
    {
      name: "daemon: ingest 10,000 short documents",
      ask: (round) =>
        v1("POST", "/rag/ingest", {
          body: {
            collection: "short",
            documents: times(10_000, (n) => ({ id: `d${round}-${n}`, text: `document ${n}` })),
          },
        }),
    },
    {
      name: "daemon: chunk 7 MiB",
      ask: () => v1("POST", "/rag/chunk", { body: { text: fill("A word and another. ", 7 * MIB) } }),
    },
    {
      name: "daemon: query, 1,000 passages",
      ask: () =>
        v1("POST", "/rag/query", { body: { collection: "many", query: "document of words", top_k: 1000 } }),
    },
    {
      name: "daemon: query of 8,000 characters",
      ask: () =>
        v1("POST", "/rag/query", { body: { collection: "many", query: fill("document ", 8000), top_k: 10 } }),
    },
    {
      name: "daemon: documents of a collection",
      ask: () => v1("GET", "/rag/collections/many/documents?limit=1000"),
    },
    {
      name: "daemon: chunks of a document",
      ask: () => v1("GET", "/rag/collections/many/documents/d0-1/chunks"),
    },
    { name: "daemon: collections", ask: () => v1("GET", "/rag/collections") },
    { name: "daemon: jobs", ask: () => v1("GET", "/rag/jobs") },
    {
      name: "daemon: execute a tool on 1 MiB",
      ask: () =>
        v1("POST", "/tools/execute", {
          body: { tool: "json_transform", input: { data: times(100_000, (n) => n), expression: "$sum($)" } },
        }),
    },
    { name: "daemon: traces", ask: () => v1("GET", "/traces?limit=1000") },
    {
      name: "daemon: the largest trace",
      ask: async () => {
        const { text } = await v1("GET", "/traces?limit=1");
        const id = /"trace_id":"([^"]+)"/.exec(text)?.[1];
        return v1("GET", `/traces/${id}`);
      },
    },
    { name: "daemon: cost records", ask: () => v1("GET", "/costs/records?limit=1000") },
    { name: "daemon: cost history", ask: () => v1("GET", "/costs/history") },
    { name: "daemon: cost summary", ask: () => v1("GET", "/costs/summary") },
    { name: "daemon: cost prices", ask: () => v1("GET", "/costs/prices") },
    { name: "daemon: models", ask: () => v1("GET", "/models") },
    { name: "daemon: gallery", ask: () => v1("GET", "/gallery") },
    { name: "daemon: schema of agents", ask: () => v1("GET", "/schema/agent") },
    { name: "daemon: doctor", ask: () => v1("GET", "/system/doctor") },
    { name: "daemon: status", ask: () => v1("GET", "/system/status") },
    { name: "daemon: cassettes", ask: () => v1("GET", "/cassettes") },
    {
      name: "daemon: replay a given cassette of 8 MiB",
      ask: () =>
        v1("POST", "/cassettes/replay", {
          body: { cassette: { version: 1, entries: times(800, () => ({ a: fill("b", 9 * KIB) })) } },
        }),
    },
    {
      name: "daemon: replay a given cassette of 700,000 values",
      ask: () =>
        v1("POST", "/cassettes/replay", {
          body: { cassette: { version: 1, entries: times(700_000, () => [0]) } },
        }),
    },
    { name: "daemon: /metrics", ask: () => daemon("GET", "/metrics") },
    { name: "daemon: metrics as JSON", ask: () => v1("GET", "/metrics") },
    { name: "daemon: OpenAPI", ask: () => daemon("GET", "/openapi.json") },
    {
      name: "daemon: a pipeline of 900 KiB",
      ask: () =>
        v1("POST", "/rag/pipelines", {
          body: {
            apiVersion: "platform/v1",
            kind: "RAGPipeline",
            metadata: { name: "p" },
            spec: record(9000, (n) => [`k${n}`, fill("x", 90)]),
          },
        }),
    },
    {
      name: "daemon: a model's inputs of 1 MiB",
      ask: () =>
        v1("POST", "/ml/models/none/predict", {
          body: { inputs: { x: { data: times(200_000, (n) => n % 10), shape: [200_000] } } },
        }),
    },
    {
      name: "daemon: MCP, a batch",
      ask: () =>
        daemon("POST", "/mcp", {
          body: times(100, (n) => ({ jsonrpc: "2.0", id: n, method: "ping" })),
          headers: { accept: "application/json, text/event-stream" },
        }),
    },
    {
      name: "daemon: MCP, initialize with 1 MiB",
      ask: () =>
        daemon("POST", "/mcp", {
          body: {
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: {
              protocolVersion: "2025-06-18",
              capabilities: { experimental: record(9000, (n) => [`k${n}`, {}]) },
              clientInfo: { name: "x", version: "1" },
            },
          },
          headers: { accept: "application/json, text/event-stream" },
        }),
    },
    {
      name: "daemon: semantic memory, a text of the maximum",
      before: () => create("recalls", { memory: { ...memory, semantic: {} } }),
      ask: () => v1("POST", "/memory/recalls/semantic", { body: { text: fill("some words ", 8000) } }),
    },
    {
      name: "daemon: a webhook delivery of 4 MiB",
      ask: () =>
        v1("POST", "/channels/phone_messenger/webhook", {
          body: { entry: times(200_000, () => ({ a: 1 })) },
        }),
    },
    {
      name: "daemon: wrong body of 1 MiB",
      ask: () =>
        v1("POST", "/agents/plain/run", {
          body: { query: times(9000, (n) => ({ [`k${n}`]: n })), extra: times(100_000, () => ({})) },
        }),
    },
    {
      name: "daemon: rehearsal",
      ask: () =>
        v1("POST", "/agents/plain/run", {
          body: {
            query: "hi",
            override: { model: `${rehearsal.provider}/x`, system_prompt: fill("x ", 200 * KIB) },
          },
        }),
    },
  ];
}

/**
 * Measures the longest time that one bounded input blocks the main thread: the longest pause between two passes of the event loop during
 * its processing, in milliseconds of processor time. Every input is as large as the contract allows and as hostile as we know. A row above
 * the goal is marked; the exit status is then 1.
 *
 *   node_modules/.bin/bun scripts/bench/longest-block.ts [part of a row's name]
 */
import { builtRegistries } from "../../src/engine/agents/manifest-registries.ts";
import { buildGuardrails } from "../../src/engine/guardrails/build-guardrails.ts";
import { createGuardrailChain } from "../../src/engine/guardrails/chain.ts";
import type { Turn } from "../../src/engine/memory/conversation.ts";
import { fitTurns, historyBudget, turnMessages } from "../../src/engine/memory/memory-strategy.ts";
import { rehearse } from "../../src/engine/models/providers/rehearsal/rehearse.ts";
import { finishToolCalls } from "../../src/engine/models/providers/wire/tool-calls.ts";
import { estimateTokens } from "../../src/engine/models/token-count.ts";
import { createSchemaAllowance } from "../../src/engine/structured/schema-allowance.ts";
import { checkBySchema } from "../../src/engine/structured/schema-check.ts";
import { compileStructuredOutput } from "../../src/engine/structured/structured-output.ts";
import { createUntrustedEngine } from "../../src/engine/templates/untrusted/untrusted-engine.ts";
import { readByJsonSchema } from "../../src/engine/tools/input-schema.ts";
import { contentOf } from "../../src/engine/tools/network/answer/answer-content.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { atOnce, inPieces } from "../../src/kit/concurrency/others-turn.ts";
import { readPage } from "../../src/kit/html/read-page.ts";
import { readPlainJson } from "../../src/kit/json/plain-json.ts";
import { readStrictJson } from "../../src/kit/json/strict-json.ts";
import { redact } from "../../src/kit/secrets/redact.ts";
import { SecretRegistry } from "../../src/kit/secrets/secret-registry.ts";
import { writeJson } from "../../src/kit/write-json.ts";
import { agentKind } from "../../src/manifest/agent/agent-kind.ts";
import type { GuardrailEntry } from "../../src/manifest/agent/guardrails.ts";
import { createChunker } from "../../src/retrieval/chunking/create-chunker.ts";
import { readSent } from "../../src/services/daemon/manifests/read-sent.ts";
import { diffSpecs } from "../../src/services/platform/agents/diff-specs.ts";
import { longestBlock } from "./blocks/event-loop.ts";
import { deliveryRows } from "./delivery-rows.ts";
import { evalRows } from "./eval-rows.ts";

const goalMs = 50;
const KIB = 1024;
const MIB = 1024 * KIB;

interface Row {
  input: string;
  size: string;
  work: () => unknown;
}

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const ninetyAs = fill("a ", 179);

function guarded(
  name: string,
  stage: "input" | "output",
  entries: GuardrailEntry[],
  text: string,
  runs = 1,
): Row {
  const chain = createGuardrailChain(atOnce(buildGuardrails(entries, stage)));
  return {
    input: `guardrails: ${name}${runs === 1 ? "" : `, ${runs} runs at once`}`,
    size: `${Math.round(text.length / KIB)} KiB`,
    work: () => Promise.all(Array.from({ length: runs }, () => inPieces(chain.check(text)))),
  };
}

const patterns = Array<string>(20).fill("(?:a|b|c|d|e){1000}");
const manyAs = fill("a ", 40_000);
const query = 256 * KIB;

const guardrailRows = (): Row[] => [
  guarded(
    "200 keywords of 90 words",
    "output",
    [{ type: "content_filter", keywords: Array(200).fill(ninetyAs) }],
    manyAs,
  ),
  guarded(
    "250 topics of 90 words",
    "input",
    [{ type: "topic_filter", topics: Array(250).fill(ninetyAs) }],
    manyAs,
  ),
  guarded(
    "20 patterns of 1,000 instructions",
    "output",
    [{ type: "content_filter", patterns }],
    fill("abcde", 40_000),
  ),
  guarded(
    "20 patterns of 1,000 instructions",
    "output",
    [{ type: "content_filter", patterns }],
    fill("abcde", 40_000),
    10,
  ),
  ...["ignore all previous instructions ", "<!--", "<img ", "%41", "i g n o r e ", "a1b ", "hello word "].map(
    (unit) =>
      guarded(
        `32 prompt_injection on ${JSON.stringify(unit)}`,
        "input",
        Array(32).fill({ type: "prompt_injection", action: "warn" }),
        fill(unit, query),
      ),
  ),
  ...["1 ", "4111 ", "a@", "+44 "].map((unit) =>
    guarded(
      `32 pii_detection on ${JSON.stringify(unit)}`,
      "input",
      Array(32).fill({ type: "pii_detection", action: "warn" }),
      fill(unit, query),
    ),
  ),
];

const buildRows = (): Row[] =>
  [
    ["patterns of wide classes", [{ type: "content_filter", patterns: Array(64).fill("\\pL{1000}") }]],
    [
      "2,048 patterns",
      Array(32).fill({ type: "content_filter", patterns: Array(64).fill("(?:ab|cd){900}") }),
    ],
    ["200 keywords of 90 words", [{ type: "content_filter", keywords: Array(200).fill(ninetyAs) }]],
    [
      "32,000 keywords",
      Array(32).fill({ type: "content_filter", keywords: Array(1000).fill("one two three four") }),
    ],
    [
      "18,000 different keywords",
      Array.from({ length: 18 }, (_, filter) => ({
        type: "content_filter",
        keywords: Array.from({ length: 1000 }, (_, n) => `walk${(filter * 1000 + n).toString(36)}`),
      })),
    ],
    [
      "keywords of 200 accented letters",
      Array(32).fill({
        type: "content_filter",
        keywords: Array.from({ length: 1000 }, (_, n) => `${"é".repeat(190)}${n}`),
      }),
    ],
  ].map(([name, entries]) => ({
    input: `building guardrails: ${name}`,
    size: "one agent",
    async work() {
      try {
        await inPieces(buildGuardrails(entries as GuardrailEntry[], "output"));
      } catch {
        // It is refused; the time for that counts.
      }
    },
  }));

const kind = agentKind(builtRegistries());
const head = "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: x}\nspec:\n";

function sent(name: string, body: Parameters<typeof readSent>[1], size: number): Row {
  return {
    input: `manifest: ${name}`,
    size: `${Math.round(size / KIB)} KiB`,
    async work() {
      try {
        await readSent(kind, body, "stranger", () => []);
      } catch {
        // It is refused; the time for that counts.
      }
    },
  };
}

const yamlRows = (): Row[] =>
  (
    [
      ["a flow sequence", `${head}  a: [${fill("1,", MIB - 200)}1]`],
      ["a block sequence", `${head}  a:\n${fill("    - a\n", MIB - 200)}`],
      ["keys", `${head}${Array.from({ length: 60_000 }, (_, n) => `  k${n}: 1\n`).join("")}`],
      [
        "anchors and aliases",
        `${head}${Array.from({ length: 30_000 }, (_, n) => `  k${n}: &a${n} 1\n`).join("")}`,
      ],
      ["a long key", `${head}  ? ${fill("a", MIB - 200)}\n  : 1`],
      ["nesting", `${head}  a: ${"[".repeat(60)}${fill("[],", MIB - 1000)}${"]".repeat(60)}`],
      ["errors", `${head}${fill("  ]: [}\n", MIB - 200)}`],
      ["comments", `${head}${fill("  # a\n", MIB - 200)}  a: 1`],
      ["quoted text", `${head}  a: "${fill("\\n", MIB - 200)}"`],
      ["folded text", `${head}  a: >\n${fill("    a\n\n", MIB - 200)}`],
      ["empty lines", `${head}  a: >\n${fill("\n", MIB - 200)}    a\n`],
    ] as const
  ).map(([name, text]) => sent(`YAML, ${name}`, { format: "yaml", text }, text.length));

const wide = { type: "object", properties: { a: { enum: Array.from({ length: 150_000 }, (_, n) => n) } } };
const jsonAgent = (spec: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "x" },
  spec,
});

const jsonRows = (): Row[] => {
  const texts: [string, string][] = [
    ["numbers", `[${fill("1,", MIB - 3)}1]`],
    ["keys", `{${Array.from({ length: 9_999 }, (_, n) => `"${fill(`k${n}`, 90)}":1`).join(",")}}`],
    ["escapes", `"${fill("\\u0041", MIB - 8)}"`],
    ["empty objects", `[${fill("{},", MIB - 4)}{}]`],
    ["small objects", `[${'{"a":1},'.repeat(MIB / 8 - 1)}{}]`],
    ["short texts with escapes", `[${'"\\n",'.repeat(MIB / 5 - 1)}1]`],
    ["long numbers", `[${"1.234567890123456e10,".repeat(MIB / 21 - 1)}1]`],
    ["a fault at the end", `[${"1,\n".repeat(MIB / 3 - 1)}x]`],
  ];
  return [
    ...texts.map(([name, text]) => ({
      input: `JSON body: ${name}`,
      size: `${Math.round(text.length / KIB)} KiB`,
      async work() {
        try {
          await inPieces(readStrictJson(new TextEncoder().encode(text)));
        } catch {
          // It is refused; the time for that counts.
        }
      },
    })),
    sent(
      "JSON, a list of 150,000 values in a tool's schema",
      {
        format: "json",
        value: jsonAgent({ tools: [{ name: "t", type: "client", description: "d", parameters: wide }] }),
      },
      900 * KIB,
    ),
  ];
};

const otherRows = (): Row[] => {
  const schemas: [string, object][] = [
    [
      "2,000 properties",
      {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 2000 }, (_, n) => [`p${n}`, { type: "string", pattern: "^a{1,20}$" }]),
        ),
      },
    ],
    ["nested anyOf", nested(50)],
    ["a long enum", wide],
  ];
  // Templates are only read here; the child that renders them is never started.
  const engine = createUntrustedEngine({ clock: systemClock, childCommand: ["/nonexistent/program"] });
  const templates: [string, string][] = [
    ["prints", fill("{{ a }}", 24 * KIB - 7)],
    ["filters", `{{ a${"|upper".repeat(4090)} }}`],
    ["more tags than may be", fill("{{ a }}", query - 7)],
    ["nested loops", `${"{% for a in b %}".repeat(100)}${"{% endfor %}".repeat(100)}`],
    ["brackets", `{{ ${"(".repeat(1000)}a${")".repeat(1000)} }}`],
  ];
  const embedder = undefined as never;
  const chunkers = (["fixed", "recursive", "sentence"] as const).map((strategy) => ({
    input: `chunking: ${strategy}`,
    size: "8 MiB",
    work: () =>
      createChunker({ strategy, chunk_size: 512, overlap: 50 } as never, embedder)(
        fill("A word. ", 8 * MIB),
        new AbortController().signal,
      ),
  }));
  const spec = (step: number) => jsonAgent({ list: Array.from({ length: 100_000 }, (_, n) => n * step) });
  const secrets = new SecretRegistry();
  for (let n = 0; n < 100; n++) secrets.add(`secret-number-${n}-${"x".repeat(20)}`);
  const alike = new SecretRegistry();
  for (let n = 0; n < 5000; n++) alike.add("a".repeat(40) + n.toString(36));
  return [
    ...schemas.map(([name, schema]) => ({
      input: `output_schema: ${name}`,
      size: "one agent",
      work() {
        try {
          compileStructuredOutput(schema as never, "spec.output_schema");
        } catch {
          // It is refused; the time for that counts.
        }
      },
    })),
    ...templates.map(([name, source]) => ({
      input: `reading a sent template: ${name}`,
      size: `${Math.round(source.length / KIB)} KiB`,
      work() {
        try {
          engine.compile("template", source);
        } catch {
          // It is refused; the time for that counts.
        }
      },
    })),
    ...chunkers,
    {
      input: "reading HTML",
      size: "4 MiB",
      work: () => readPage(fill("<p><b>a</p>", 4 * MIB), 8 * MIB, new AbortController().signal),
    },
    { input: "counting tokens", size: "1 MiB", work: () => estimateTokens(fill("a é 政 ", MIB)) },
    { input: "comparing two specs", size: "100,000 values", work: () => diffSpecs(spec(1), spec(2)) },
    {
      input: "redacting a log record, 100 secrets",
      size: "1 MiB",
      work: () => redact({ text: fill("some words ", MIB) }, secrets),
    },
    {
      input: "learning the secrets of a sent manifest, 200 alike",
      size: "one agent",
      work() {
        const own = new SecretRegistry();
        for (let n = 0; n < 200; n++) own.add("a".repeat(120) + n.toString(36));
      },
    },
    {
      input: "masking 5,000 secrets that begin alike",
      size: "40 KiB",
      work: () => alike.mask(fill("a", 40 * KIB)),
    },
  ];
};

/** What servers that an attacker runs may answer. */
const foreignRows = (): Row[] => {
  const objects = (bytes: number) => `[${'{"a":1},'.repeat(bytes / 8)}{}]`;
  const draft = (text: string) => [{ id: "c", name: "t", text }];
  const shaped = compileStructuredOutput(fields(299, { type: "string" }) as never, "spec.output_schema");
  const headers = new Headers({ "content-type": "application/json" });
  return [
    {
      input: "foreign JSON: a provider's answer",
      size: "16 MiB",
      work: () => inPieces(readPlainJson(objects(15 * MIB))),
    },
    {
      input: "foreign JSON: arguments of a tool call",
      size: "2 MiB",
      work: () => finishToolCalls(draft(`{"a":${objects(MIB)}}`), () => "id"),
    },
    {
      input: "foreign JSON: a tool's answer",
      size: "5 MiB",
      work: () => inPieces(contentOf({ body: new TextEncoder().encode(objects(4 * MIB)), headers })),
    },
    {
      input: "foreign JSON: blocks in an answer",
      size: "4 MiB",
      work: () => inPieces(shaped.read(fill(`\`\`\`json\n[${"1,".repeat(30_000)}\n\`\`\`\n`, 4 * MIB))),
    },
  ];
};

const fields = (count: number, schema: object) => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, schema])),
});

const names = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`);

/** Schemas of tools and answers, and values that are checked against them. */
const checkRows = (): Row[] => {
  const bound: [string, object][] = [
    ["128 tools of 20 fields", fields(20, { type: "string" })],
    ["128 tools of 299 fields", fields(299, { type: "string" })],
    ["128 tools of 5 patterns", fields(5, { type: "string", pattern: "(?:a|b|c){300}" })],
  ];
  const many = Array.from({ length: 100_000 }, (_, n) => n);
  const checks: [string, object, unknown][] = [
    ["compiling 299 fields", fields(299, { type: "string", minLength: 1 }), {}],
    [
      "compiling 199 fields of five rules",
      fields(199, { type: ["string", "number"], minLength: 1, maxLength: 9, minimum: 1, enum: ["a", 1] }),
      {},
    ],
    ["60 lists of 190 required names", fields(60, { required: names(190) }), {}],
    ["99 enums of 100 values", fields(99, { enum: many.slice(0, 100) }), {}],
    [
      "3,000 dependent names",
      { dependentRequired: Object.fromEntries(names(3000).map((name) => [name, ["a"]])) },
      {},
    ],
    [
      "200 patterns of names",
      { patternProperties: Object.fromEntries(names(200).map((name) => [`^${name}`, { minimum: 0 }])) },
      {},
    ],
    ["many rules for every item", { items: { allOf: Array(290).fill({ minimum: 0 }) } }, many],
    ["every item wrong", { items: { type: "string" } }, many],
    ["an enum of thousands", { items: { enum: many.slice(0, 5000) } }, many.slice(0, 5000)],
    ["unique items", { uniqueItems: true }, many],
    ["a large pattern on a long text", { pattern: "(?:a|b|c){300}$" }, fill("abc", MIB)],
    ["unique objects", { uniqueItems: true }, many.slice(0, 75_000).map((n) => ({ a: { b: n } }))],
  ];
  return [
    ...bound.map(([name, schema]) => ({
      input: `tool parameters: ${name}`,
      size: "one agent",
      work() {
        const allowance = createSchemaAllowance();
        for (let tool = 0; tool < 128; tool++) readByJsonSchema(schema as never, "spec", allowance);
      },
    })),
    ...checks.map(([name, schema, value]) => ({
      input: `checking a value by a schema: ${name}`,
      size: "one value",
      work: () => inPieces(checkBySchema(schema as never)(value)),
    })),
  ];
};

/** What one turn of a conversation brings: its history, the built-in model, and a recorded run for a child process. */
const turnRows = (): Row[] => {
  const turns = Array.from({ length: 10_000 }, (_, n): Turn => {
    const content = fill("a é 政 ", 100);
    const role = n % 2 === 0 ? "user" : "assistant";
    return { role, content, at: new Date(0), tokenCount: estimateTokens(content), metadata: {} };
  });
  const history = turnMessages(turns);
  const prompt = fill("words of a prompt ", query);
  const tools = Array.from({ length: 128 }, (_, n) => ({
    name: `search_orders_${n}`,
    description: fill("find the orders of a customer by name and city ", 1000),
    parameters: fields(20, { type: "string", description: "the name of a city" }),
  }));
  const rehearsed = (text: string): Row => ({
    input: `rehearsal: ${JSON.stringify(text.slice(0, 12))} and 128 tools`,
    size: `${Math.round(text.length / KIB)} KiB`,
    work: () =>
      inPieces(
        rehearse({
          messages: [...history.slice(0, 200), { role: "user", content: text }],
          tools,
          toolChoice: "auto",
          stream: false,
        } as never),
      ),
  });
  const entry = (n: number) => ({ seq: n, request: { messages: history.slice(0, 200) } });
  const cassette = { version: 1, entries: Array.from({ length: 400 }, (_, n) => entry(n)) };
  return [
    {
      input: "trimming a history to a context window",
      size: "10,000 turns",
      work: () => fitTurns(turns, historyBudget(200_000, 4000, [prompt, prompt], turns)),
    },
    ...["search orders of Berlin ", "a ", "1, ", '"x" and ', "what did I say? "].map((unit) =>
      rehearsed(fill(unit, query)),
    ),
    ...["in A", "city", "find orders", "search for", "name:", '"', "x is"].map((start) =>
      rehearsed(`${start}${fill(" ", query - 20)}b`),
    ),
    {
      input: "writing a recorded run for the child",
      size: "9 MiB",
      work: () => inPieces(writeJson({ cassette, strict: false })),
    },
  ];
};

/** Returns a schema with that many levels and two choices on each. */
function nested(levels: number): object {
  return levels === 0
    ? { type: "number" }
    : { anyOf: [nested(levels - 1), { type: "string", minLength: levels }] };
}

const sought = process.argv[2] ?? "";
const rows = [
  guardrailRows,
  buildRows,
  yamlRows,
  jsonRows,
  checkRows,
  foreignRows,
  turnRows,
  deliveryRows,
  evalRows,
  otherRows,
].flatMap((make) => make());
let above = 0;
console.log(`${"input".padEnd(70)} ${"size".padStart(14)} ${"block ms".padStart(9)}   goal ${goalMs} ms`);
for (const { input, size, work } of rows.filter((row) => row.input.includes(sought))) {
  // The first run of new code includes its compilation.
  const { ms: first } = await longestBlock(work);
  const block = first <= goalMs ? first : Math.min(first, (await longestBlock(work)).ms);
  if (block > goalMs) above++;
  console.log(
    `${input.padEnd(70)} ${size.padStart(14)} ${block.toFixed(1).padStart(9)}   ${block > goalMs ? "ABOVE" : ""}`,
  );
}
console.log(above === 0 ? "All rows meet the goal." : `${above} rows are above the goal.`);
process.exitCode = above === 0 ? 0 : 1;

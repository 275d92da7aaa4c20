import { builtRegistries } from "../../../src/engine/agents/manifest-registries.ts";
import { estimateTokens } from "../../../src/engine/models/token-count.ts";
import { createUntrustedEngine } from "../../../src/engine/templates/untrusted/untrusted-engine.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { inPieces } from "../../../src/kit/concurrency/others-turn.ts";
import { readPage } from "../../../src/kit/html/read-page.ts";
import { readStrictJson } from "../../../src/kit/json/strict-json.ts";
import { redact } from "../../../src/kit/secrets/redact.ts";
import { SecretRegistry } from "../../../src/kit/secrets/secret-registry.ts";
import { agentKind } from "../../../src/manifest/agent/agent-kind.ts";
import { createChunker } from "../../../src/retrieval/chunking/create-chunker.ts";
import { readSent } from "../../../src/services/daemon/manifests/read-sent.ts";
import { diffSpecs } from "../../../src/services/platform/agents/diff-specs.ts";
import { agentOf, fields, fill, hostileYaml, KIB, MIB, times } from "../hostile.ts";
import { type BlockRow, sized } from "./block-row.ts";

const kind = agentKind(builtRegistries());
const { signal } = new AbortController();

const jsonTexts: [name: string, text: string][] = [
  ["numbers", `[${fill("1,", MIB - 3)}1]`],
  ["keys", `{${times(9_999, (n) => `"${fill(`k${n}`, 90)}":1`).join(",")}}`],
  ["escapes", `"${fill("\\u0041", MIB - 8)}"`],
  ["empty objects", `[${fill("{},", MIB - 4)}{}]`],
  ["small objects", `[${'{"a":1},'.repeat(MIB / 8 - 1)}{}]`],
  ["short texts with escapes", `[${'"\\n",'.repeat(MIB / 5 - 1)}1]`],
  ["long numbers", `[${"1.234567890123456e10,".repeat(MIB / 21 - 1)}1]`],
  ["a fault at the end", `[${"1,\n".repeat(MIB / 3 - 1)}x]`],
];

const templates: [name: string, source: string][] = [
  ["prints", fill("{{ a }}", 24 * KIB - 7)],
  ["filters", `{{ a${"|upper".repeat(4090)} }}`],
  ["more tags than may be", fill("{{ a }}", 256 * KIB - 7)],
  ["nested loops", `${"{% for a in b %}".repeat(100)}${"{% endfor %}".repeat(100)}`],
  ["brackets", `{{ ${"(".repeat(1000)}a${")".repeat(1000)} }}`],
];

/** Bodies, templates and documents that are read, and secrets in texts. */
export function documentRows(): BlockRow[] {
  // Templates are only read here; the child that renders them is never started.
  const engine = createUntrustedEngine({ clock: systemClock, childCommand: ["/nonexistent/program"] });
  const wideTool = {
    name: "t",
    type: "client",
    description: "d",
    parameters: fields(1, { enum: times(150_000, (n) => n) }),
  };
  const spec = (step: number) => agentOf("x", { list: times(100_000, (n) => n * step) });
  const secrets = new SecretRegistry();
  for (let n = 0; n < 100; n++) secrets.add(`secret-number-${n}-${"x".repeat(20)}`);
  const alike = new SecretRegistry();
  for (let n = 0; n < 5000; n++) alike.add("a".repeat(40) + n.toString(36));
  return [
    ...hostileYaml().map(([name, text]) =>
      sized(`manifest: YAML, ${name}`, text, () =>
        readSent(kind, { format: "yaml", text }, "stranger", () => []),
      ),
    ),
    ...jsonTexts.map(([name, text]) =>
      sized(`JSON body: ${name}`, text, () => inPieces(readStrictJson(new TextEncoder().encode(text)))),
    ),
    {
      input: "manifest: JSON, a list of 150,000 values in a tool's schema",
      size: "900 KiB",
      work: () =>
        readSent(kind, { format: "json", value: agentOf("x", { tools: [wideTool] }) }, "stranger", () => []),
    },
    ...templates.map(([name, source]) =>
      sized(`reading a sent template: ${name}`, source, () => engine.compile("template", source)),
    ),
    ...(["fixed", "recursive", "sentence"] as const).map((strategy) => ({
      input: `chunking: ${strategy}`,
      size: "8 MiB",
      work: () =>
        createChunker({ strategy, chunk_size: 512, overlap: 50 } as never, undefined as never)(
          fill("A word. ", 8 * MIB),
          signal,
        ),
    })),
    {
      input: "reading HTML",
      size: "4 MiB",
      work: () => readPage(fill("<p><b>a</p>", 4 * MIB), 8 * MIB, signal),
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
}

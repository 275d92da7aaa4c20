/** Inputs that are as large and as hostile as their limits allow. */

export const KIB = 1024;
export const MIB = 1024 * KIB;

export const fill = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
export const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
export const record = <T>(count: number, make: (n: number) => [string, T]): Record<string, T> =>
  Object.fromEntries(times(count, make));

/** A schema of an object whose fields all have the same schema. */
export const fields = (count: number, schema: object) => ({
  type: "object",
  properties: record(count, (n) => [`field${n}`, schema]),
});
export const fiveRules = {
  type: ["string", "number"],
  minLength: 1,
  maxLength: 9,
  minimum: 1,
  enum: ["a", 1],
};
/** JSON of small objects. */
export const objects = (bytes: number): string => `[${'{"a":1},'.repeat(bytes / 8)}{}]`;

export const ninetyAs = fill("a ", 179);
export const rehearsal = { provider: "rehearsal", model: "rehearsal" };

export const agentOf = (name: string, spec: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: rehearsal }, ...spec },
});

/** Tools of an agent, each with that many parameters. */
export const tools = (
  count: number,
  parameters: object,
  description = "find the orders of a customer by city",
) =>
  times(count, (n) => ({
    name: `search_orders_${n}`,
    type: "webhook",
    description,
    parameters,
    config: { url: "https://example.com/tool", method: "POST" },
  }));

const cities = { type: "string", description: "the name of a city" };
export const cityTools = (count: number, width: number, description?: string) =>
  tools(count, fields(width, cities), description);

const keywords = (filter: number) =>
  times(1000, (n) => filter * 1000 + n).map(
    (n) => `w${n.toString(36)} x${(n * 7).toString(36)} y${(n * 31).toString(36)}`,
  );
const output = (...entries: object[]) => ({ guardrails: { output: entries } });

/** Specs of agents, each as large as one of its limits allows. */
export const wideSpecs: readonly [name: string, spec: object][] = [
  ["128 tools of 20 fields", { tools: tools(128, fields(20, { type: "string" })) }],
  ["110 tools of 299 fields", { tools: tools(110, fields(299, { type: "string" })) }],
  ["128 tools of 2 patterns", { tools: tools(128, fields(2, { type: "string", pattern: "^(?:a|b){10}$" })) }],
  ["128 tools of long descriptions", { tools: cityTools(128, 8, fill("find the orders of a city ", 4000)) }],
  ["an output_schema of 299 fields", { output_schema: fields(299, { type: "string" }) }],
  ["199 fields of five rules", { output_schema: fields(199, fiveRules) }],
  ["enums of long texts", { output_schema: fields(60, { enum: times(80, (n) => `${n} words`) }) }],
  ["an enum of 9,000 values", { output_schema: fields(1, { enum: times(9000, (n) => n) }) }],
  [
    "an enum of 150,000 values, which is refused",
    { output_schema: fields(1, { enum: times(150_000, (n) => n) }) },
  ],
  ["32,000 keywords", output(...times(32, (n) => ({ type: "content_filter", keywords: keywords(n) })))],
  ["keywords up to their limit", output({ type: "content_filter", keywords: keywords(0) })],
  ["200 keywords of 90 words", output({ type: "content_filter", keywords: Array(200).fill(ninetyAs) })],
  [
    "2,048 patterns",
    output(...Array(32).fill({ type: "content_filter", patterns: Array(64).fill("(?:ab|cd){900}") })),
  ],
  ["20 patterns of wide classes", output({ type: "content_filter", patterns: Array(20).fill("\\pL{1000}") })],
  [
    "32 prompt_injection and pii_detection",
    {
      guardrails: {
        input: times(32, (n) => ({ type: n % 2 ? "prompt_injection" : "pii_detection", action: "warn" })),
      },
    },
  ],
  ["a prompt of 24 KiB of prints", { prompts: { system: "{{ a }}".repeat(3500) } }],
  ["a prompt of 256 KiB", { prompts: { system: fill("words of a prompt ", 255 * KIB) } }],
];

/** A spec near the limit of a body. */
export const largest = (salt: number, count = 128, width = 20) => ({
  prompts: { system: `${salt} ${fill("words of a prompt ", 250 * KIB)}` },
  tools: cityTools(count, width, fill("a city ", 900)),
});

/** A manifest in YAML, as an editor writes it. */
export function yamlOf(value: unknown, indent = 0): string {
  const pad = " ".repeat(indent);
  const isFilled = (inner: unknown) =>
    typeof inner === "object" && inner !== null && Object.keys(inner).length > 0;
  if (!isFilled(value)) return `${pad}${JSON.stringify(value)}\n`;
  if (Array.isArray(value)) return value.map((item) => `${pad}-\n${yamlOf(item, indent + 2)}`).join("");
  return Object.entries(value as object)
    .map(([key, inner]) =>
      isFilled(inner)
        ? `${pad}${key}:\n${yamlOf(inner, indent + 2)}`
        : `${pad}${key}: ${JSON.stringify(inner)}\n`,
    )
    .join("");
}

/** YAML texts up to the limit of a body. */
export function hostileYaml(): [name: string, text: string][] {
  const head = "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: yaml}\nspec:\n";
  const size = MIB - 300;
  return [
    ["a flow sequence", `${head}  a: [${fill("1,", size)}1]`],
    ["a block sequence", `${head}  a:\n${fill("    - a\n", size)}`],
    ["keys", `${head}${times(60_000, (n) => `  k${n}: 1\n`).join("")}`],
    ["anchors and aliases", `${head}${times(30_000, (n) => `  k${n}: &a${n} 1\n`).join("")}`],
    ["a long key", `${head}  ? ${fill("a", size)}\n  : 1`],
    ["nesting", `${head}  a: ${"[".repeat(60)}${fill("[],", size - 700)}${"]".repeat(60)}`],
    ["errors", `${head}${fill("  ]: [}\n", size)}`],
    ["comments", `${head}${fill("  # a\n", size)}  a: 1`],
    ["quoted text", `${head}  prompts: {system: "${fill("\\n", size)}"}`],
    ["folded text", `${head}  prompts:\n    system: >\n${fill("      a\n\n", size)}`],
    ["a literal text", `${head}  prompts:\n    system: |\n${fill("      a b c\n", 256 * KIB)}`],
    ["empty lines", `${head}  a: >\n${fill("\n", size)}    a\n`],
    ["19,900 lines", `${head}  a:\n${"    - a\n".repeat(19_900)}`],
    ["9,000 wrong keys", `${head}${times(4000, (n) => `  k${n}: 1\n`).join("")}`],
  ];
}

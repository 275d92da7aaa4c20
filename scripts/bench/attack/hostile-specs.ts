/** Specs of agents that are as large and as hostile as their limits allow. */
const KIB = 1024;
const MIB = 1024 * KIB;

export const fill = (unit: string, length: number) =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

export const fields = (count: number, schema: object) => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`field${n}`, schema])),
});

const fiveRules = {
  type: ["string", "number"],
  minLength: 1,
  maxLength: 9,
  minimum: 1,
  enum: ["a", 1],
};

const ninetyAs = fill("a ", 179);
const words = (n: number) => `w${n.toString(36)} x${(n * 7).toString(36)} y${(n * 31).toString(36)}`;

const toolsOf = (url: string, count: number, parameters: object) =>
  Array.from({ length: count }, (_, n) => ({
    name: `t${n}`,
    type: "webhook",
    description: "d",
    parameters,
    config: { url: `${url}/tool`, method: "POST" },
  }));

export interface HostileSpec {
  name: string;
  spec: object;
  /** Sent in place of the spec. */
  yaml?: string;
}

const head = "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: yaml}\nspec:\n";

/** The specs, whose tools call `url`. */
export function hostileSpecs(url: string): HostileSpec[] {
  const output = (...entries: object[]) => ({ guardrails: { output: entries } });
  const input = (...entries: object[]) => ({ guardrails: { input: entries } });
  return [
    { name: "128 tools of 20 fields", spec: { tools: toolsOf(url, 128, fields(20, { type: "string" })) } },
    { name: "128 tools of 299 fields", spec: { tools: toolsOf(url, 128, fields(299, { type: "string" })) } },
    {
      name: "128 tools of 2 patterns",
      spec: { tools: toolsOf(url, 128, fields(2, { type: "string", pattern: "^(?:a|b){10}$" })) },
    },
    { name: "output_schema, 299 fields", spec: { output_schema: fields(299, { type: "string" }) } },
    { name: "output_schema, five rules", spec: { output_schema: fields(190, fiveRules) } },
    {
      name: "32,000 keywords",
      spec: output(
        ...Array.from({ length: 32 }, (_, entry) => ({
          type: "content_filter",
          keywords: Array.from({ length: 1000 }, (_, n) => words(entry * 1000 + n)),
        })),
      ),
    },
    {
      name: "keywords up to their limit",
      spec: output({
        type: "content_filter",
        keywords: Array.from({ length: 1000 }, (_, n) => words(n)),
      }),
    },
    {
      name: "200 keywords of 90 words",
      spec: output({ type: "content_filter", keywords: Array(200).fill(ninetyAs) }),
    },
    {
      name: "2,048 patterns",
      spec: output(...Array(32).fill({ type: "content_filter", patterns: Array(64).fill("(?:ab|cd){900}") })),
    },
    {
      name: "20 patterns of wide classes",
      spec: output({ type: "content_filter", patterns: Array(20).fill("\\pL{1000}") }),
    },
    {
      name: "32 prompt_injection, 32 pii_detection",
      spec: input(
        ...Array(16).fill({ type: "prompt_injection", action: "warn" }),
        ...Array(16).fill({ type: "pii_detection", action: "warn" }),
      ),
    },
    { name: "a prompt of 24 KiB of prints", spec: { prompts: { system: "{{ a }}".repeat(3500) } } },
    {
      name: "a prompt of 256 KiB",
      spec: { prompts: { system: fill("words of a prompt ", 255 * KIB) } },
    },
    {
      name: "a list of 150,000 values",
      spec: {
        output_schema: {
          type: "object",
          properties: { a: { enum: Array.from({ length: 150_000 }, (_, n) => n) } },
        },
      },
    },
    {
      name: "YAML, a flow sequence of 1 MiB",
      spec: {},
      yaml: `${head}  a: [${"1,".repeat(MIB / 2 - 100)}1]`,
    },
    {
      name: "YAML, 20,000 lines",
      spec: {},
      yaml: `${head}  a:\n${"    - a\n".repeat(19_900)}`,
    },
    {
      name: "YAML, nesting",
      spec: {},
      yaml: `${head}  a: ${"[".repeat(60)}${"[],".repeat(MIB / 3 - 100)}${"]".repeat(60)}`,
    },
  ];
}

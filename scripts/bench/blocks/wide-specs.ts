import { fields, hostileSpecs } from "../attack/hostile-specs.ts";
import { fill, KIB, MIB, times } from "./route-row.ts";

export const rehearsal = { provider: "rehearsal", model: "rehearsal" };

export const agentOf = (name: string, spec: object) => ({
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name },
  spec: { model: { primary: rehearsal }, ...spec },
});

const webhook = (n: number, parameters: object) => ({
  name: `search_orders_${n}`,
  type: "webhook",
  description: "find the orders of a customer by name and city",
  parameters,
  config: { url: "https://example.com/tool", method: "POST" },
});

export const tools = (count: number, width: number) =>
  times(count, (n) => webhook(n, fields(width, { type: "string", description: "the name of a city" })));

const fiveRules = { type: ["string", "number"], minLength: 1, maxLength: 9, minimum: 1, enum: ["a", 1] };

/** Specs of agents, each as large as one of its limits allows. */
export const wideSpecs: readonly { name: string; spec: object }[] = [
  ...hostileSpecs("https://example.com")
    .filter(({ yaml }) => yaml === undefined)
    .map(({ name, spec }) => ({ name, spec })),
  { name: "199 fields of five rules", spec: { output_schema: fields(199, fiveRules) } },
  {
    name: "tools and answers of 9,000 values",
    spec: { output_schema: { type: "object", properties: { a: { enum: times(9000, (n) => n) } } } },
  },
  {
    name: "128 tools of long descriptions",
    spec: {
      tools: tools(128, 8).map((tool) => ({
        ...tool,
        description: fill("find the orders of a city ", 4000),
      })),
    },
  },
  {
    name: "enums of long texts",
    spec: { output_schema: fields(60, { enum: times(80, (n) => `${n} words`) }) },
  },
];

/** A spec near the limit of a body. */
export const largest = (salt: number, count = 128, width = 20) => ({
  prompts: { system: `${salt} ${fill("words of a prompt ", 250 * KIB)}` },
  tools: tools(count, width).map((tool) => ({ ...tool, description: fill("a city ", 900) })),
});

/** The same manifest in YAML, as an editor writes it. */
export const yamlOf = (value: unknown, indent = 0): string => {
  const pad = " ".repeat(indent);
  if (Array.isArray(value)) {
    return value.map((item) => `${pad}-\n${yamlOf(item, indent + 2)}`).join("");
  }
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([key, inner]) =>
        typeof inner === "object" && inner !== null && Object.keys(inner).length > 0
          ? `${pad}${key}:\n${yamlOf(inner, indent + 2)}`
          : `${pad}${key}: ${JSON.stringify(inner)}\n`,
      )
      .join("");
  }
  return `${pad}${JSON.stringify(value)}\n`;
};

/** YAML texts up to the limit of a body. */
export const hostileYaml = (): [name: string, text: string][] => {
  const head = "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: yaml}\nspec:\n";
  return [
    ["a flow sequence", `${head}  a: [${"1,".repeat(MIB / 2 - 100)}1]`],
    ["nesting", `${head}  a: ${"[".repeat(60)}${"[],".repeat(MIB / 3 - 100)}${"]".repeat(60)}`],
    ["quoted text", `${head}  prompts: {system: "${fill("\\n", MIB - 300)}"}`],
    ["folded text", `${head}  prompts:\n    system: >\n${fill("      a\n\n", MIB - 300)}`],
    ["a literal text", `${head}  prompts:\n    system: |\n${fill("      a b c\n", 256 * KIB)}`],
    ["19,900 lines", `${head}  a:\n${"    - a\n".repeat(19_900)}`],
    ["9,000 wrong keys", `${head}${times(4000, (n) => `  k${n}: 1\n`).join("")}`],
  ];
};

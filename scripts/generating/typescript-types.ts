import type { JsonSchema, NamedSchema } from "./json-schema.ts";

/** Returns the declarations of a list of named schemas, as a module of TypeScript types. */
export function typescriptTypes(named: readonly NamedSchema[], head: string): string {
  return [
    ...head.split("\n").map((line) => `// ${line}`),
    "",
    ...named.flatMap(({ name, schema }) => [
      ...comment(schema.description, ""),
      `export type ${name} = ${typeOf(schema, "")};`,
      "",
    ]),
  ].join("\n");
}

function typeOf(schema: JsonSchema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map((each) => typeOf(each, indent)))].join(" | ");
  if (schema.allOf !== undefined) return schema.allOf.map((each) => `(${typeOf(each, indent)})`).join(" & ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return `Array<${typeOf(schema.items ?? {}, indent)}>`;
    case "object":
      return objectOf(schema, indent);
    default:
      return "unknown";
  }
}

function objectOf(schema: JsonSchema, indent: string): string {
  const { properties, patternProperties, additionalProperties, required = [] } = schema;
  const inner = `${indent}  `;
  const values =
    Object.values(patternProperties ?? {})[0] ??
    (typeof additionalProperties === "object" ? additionalProperties : undefined);
  if (properties === undefined)
    return `Record<string, ${values === undefined ? "unknown" : typeOf(values, indent)}>`;
  const lines = Object.entries(properties).flatMap(([key, value]) => [
    ...comment(value.description, inner),
    `${inner}${/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)}${required.includes(key) ? "" : "?"}: ${typeOf(value, inner)};`,
  ]);
  const rest = additionalProperties === true ? [`${inner}[key: string]: unknown;`] : [];
  return ["{", ...lines, ...rest, `${indent}}`].join("\n");
}

const comment = (text: string | undefined, indent: string): string[] =>
  text === undefined ? [] : [`${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", " ")} */`];

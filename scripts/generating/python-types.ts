import type { JsonSchema, NamedSchema } from "./json-schema.ts";

/** Returns the declarations of a list of named schemas, as a Python module of TypedDicts; objects inside them get names of their own. */
export function pythonTypes(named: readonly NamedSchema[], head: string): string {
  const parts: string[] = [];
  for (const { name, schema } of named) {
    const type = typeOf(schema, name, parts);
    if (type !== name) parts.push(`${name} = ${type}`);
  }
  return [
    `"""${head}"""`,
    "",
    "from typing import Any, Literal, NotRequired, TypedDict, Union, final",
    "",
    ...parts.flatMap((part) => ["", part, ""]),
  ].join("\n");
}

/** Returns the type's expression, and adds the classes that it needs to `parts` before it. */
function typeOf(schema: JsonSchema, name: string, parts: string[]): string {
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(", ")}]`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) {
    const types = choices.map((each, index) => typeOf(each, nameOfChoice(each, name, index), parts));
    const unique = [...new Set(types)];
    return unique.length === 1 ? String(unique[0]) : `Union[${unique.join(", ")}]`;
  }
  switch (schema.type) {
    case "string":
      return "str";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "array":
      return `list[${typeOf(schema.items ?? {}, `${name}Item`, parts)}]`;
    case "object":
      return objectOf(schema, name, parts);
    default:
      return "Any";
  }
}

function objectOf(schema: JsonSchema, name: string, parts: string[]): string {
  const { properties, required = [] } = schema;
  if (properties === undefined || Object.keys(properties).length === 0) return "dict[str, Any]";
  const fields = Object.entries(properties).map(([key, value]) => {
    const type = typeOf(value, `${name}${camel(key)}`, parts);
    return [key, required.includes(key) ? type : `NotRequired[${type}]`] as const;
  });
  if (fields.every(([key]) => /^[a-z_][a-z0-9_]*$/i.test(key) && !keywords.has(key))) {
    // Type checkers tell the objects of a union apart by their keys only if no class can add any.
    const declared = fields.map(([key, type]) => `    ${key}: ${type}`);
    parts.push(["@final", `class ${name}(TypedDict):`, ...declared].join("\n"));
    return name;
  }
  const lines = fields.map(([key, type]) => `    ${JSON.stringify(key)}: ${type},`);
  parts.push(
    [
      `${name} = TypedDict(`,
      `    "${name}",`,
      "    {",
      ...lines.map((line) => `    ${line}`),
      "    },",
      ")",
    ].join("\n"),
  );
  return name;
}

/** Words that no attribute can have as its name. */
const keywords: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** Objects of a union are told apart by `type` or `status`, which names their class. */
function nameOfChoice({ properties }: JsonSchema, name: string, index: number): string {
  const kind = properties?.type?.const ?? properties?.status?.const;
  return `${name}${typeof kind === "string" ? camel(kind) : `Choice${index + 1}`}`;
}

const camel = (key: string): string =>
  key
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");

const literal = (value: unknown): string =>
  value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value);

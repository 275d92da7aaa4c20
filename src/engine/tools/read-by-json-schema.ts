import type { Problem } from "../../kit/app-error.ts";
import { explainBreaches } from "../structured/explain-breaches.ts";
import type { SchemaAllowance } from "../structured/schema-allowance.ts";
import { checkBySchema } from "../structured/schema-check.ts";
import { vetSchema } from "../structured/vet-schema.ts";
import type { ReadInput } from "./bound-tool.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Validates inputs against a JSON Schema that a manifest declares at `path`. Returns the problems of an invalid schema. The schema shares
 * `allowance` with the agent's others.
 */
export function readByJsonSchema(
  schema: Schema,
  path: string,
  allowance?: SchemaAllowance,
): { read: ReadInput } | { problems: Problem[] } {
  const problems = vetSchema(schema, path, allowance);
  if (problems.length > 0) return { problems };
  const check = checkBySchema(schema);
  return {
    read(given) {
      const input = withDefaults(schema, given);
      const result = check(input);
      if ("unchecked" in result) return { fault: `The input ${result.unchecked}; send less.` };
      if (result.breaches.length === 0) return { input: input as Record<string, unknown> };
      return { fault: `The input doesn't fit the tool's parameters: ${explainBreaches(result.breaches)}.` };
    },
  };
}

/** A copy of the value in which missing properties have their `default`, at any depth of objects. */
function withDefaults(schema: unknown, value: unknown): unknown {
  if (!isMapping(schema) || !isMapping(schema.properties) || !isMapping(value)) return structuredClone(value);
  const filled = structuredClone(value);
  for (const [name, property] of Object.entries(schema.properties)) {
    if (Object.hasOwn(filled, name)) filled[name] = withDefaults(property, filled[name]);
    else if (isMapping(property) && property.default !== undefined) {
      filled[name] = structuredClone(property.default);
    }
  }
  return filled;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
    *read(given) {
      const input = structuredClone(given);
      addDefaults(schema, input);
      const result = yield* check(input);
      if ("unchecked" in result) return { fault: `The input ${result.unchecked}; send less.` };
      if (result.breaches.length === 0) return { input: input as Record<string, unknown> };
      return { fault: `The input doesn't fit the tool's parameters: ${explainBreaches(result.breaches)}.` };
    },
  };
}

/** Gives properties that are missing their `default`, at any depth of objects. */
function addDefaults(schema: unknown, value: unknown): void {
  if (!isMapping(schema) || !isMapping(schema.properties) || !isMapping(value)) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    if (Object.hasOwn(value, name)) addDefaults(property, value[name]);
    else if (isMapping(property) && property.default !== undefined) {
      value[name] = structuredClone(property.default);
    }
  }
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

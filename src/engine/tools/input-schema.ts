import { KindGuard, type TSchema } from "@sinclair/typebox";
import { Value, ValueErrorType } from "@sinclair/typebox/value";
import type { Problem } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { schemaChecker } from "../../kit/json/schema-checker.ts";
import { publishedSchema } from "../../manifest/schema/json-schema.ts";
import { explainBreaches } from "../structured/explain-breaches.ts";
import type { SchemaAllowance } from "../structured/schema-allowance.ts";
import { checkBySchema } from "../structured/schema-check.ts";
import { vetSchema } from "../structured/vet-schema.ts";
import { type ReadInput, readQuickly } from "./bound-tool.ts";

/** Maximum number of problems in one message. */
const FAULTS_MAX = 5;

/** Validates inputs of built-in tools, whose parameters are TypeBox schemas. The check is compiled by the first call. */
export function readByTypeBox(schema: TSchema): ReadInput {
  const fills = hasDefault(schema);
  const checker = schemaChecker(schema);
  return readQuickly((given) => {
    const input = fills ? Value.Default(schema, structuredClone(given)) : given;
    if (checker.fits(input)) return { input: { ...(input as Record<string, unknown>) } };
    const faults: string[] = [];
    for (const { path, message, type, schema: part } of Value.Errors(schema, input)) {
      const name = path.slice(1).replaceAll("/", ".") || "input";
      if (type === ValueErrorType.ObjectAdditionalProperties) faults.push(`${name} is not known`);
      else if (type === ValueErrorType.ObjectRequiredProperty) faults.push(`${name} is required`);
      else if (faults.some((fault) => fault.startsWith(`${name} is`))) continue;
      else if (KindGuard.IsUnion(part) && part.anyOf.every(KindGuard.IsLiteral))
        faults.push(`${name} must be one of ${part.anyOf.map(({ const: value }) => value).join(", ")}`);
      else faults.push(`${name}: ${message}`);
      if (faults.length === FAULTS_MAX) break;
    }
    return { fault: `The input doesn't fit the tool's parameters: ${faults.join("; ")}.` };
  });
}

/** Parameters of an entry, declared at `path` as a JSON Schema or else `defaults`, and the reader of its inputs. */
export function declaredParameters(
  declared: Record<string, unknown> | undefined,
  defaults: TSchema,
  path: string,
  allowance?: SchemaAllowance,
): { parameters: Record<string, unknown>; read: ReadInput } | { problems: Problem[] } {
  if (declared === undefined) return { parameters: publishedSchema(defaults), read: readByTypeBox(defaults) };
  const reader = readByJsonSchema(declared, path, allowance);
  return "problems" in reader ? reader : { parameters: declared, read: reader.read };
}

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
  const fills = hasDefault(schema);
  return {
    *read(given) {
      const input = fills ? structuredClone(given) : given;
      if (fills) addDefaults(schema, input);
      const result = yield* check(input);
      if ("unchecked" in result) return { fault: `The input ${result.unchecked}; send less.` };
      if (result.breaches.length === 0) return { input: { ...(input as Record<string, unknown>) } };
      return { fault: `The input doesn't fit the tool's parameters: ${explainBreaches(result.breaches)}.` };
    },
  };
}

/** Returns true if any part of a schema may have a default. Only then an input is copied, because defaults are written into it. */
function hasDefault(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  return "default" in part || Object.values(part).some(hasDefault);
}

/** Gives properties that are missing their `default`, at any depth of objects. */
function addDefaults(schema: unknown, value: unknown): void {
  if (!isRecord(schema) || !isRecord(schema.properties) || !isRecord(value)) return;
  for (const [name, property] of Object.entries(schema.properties)) {
    if (Object.hasOwn(value, name)) addDefaults(property, value[name]);
    else if (isRecord(property) && property.default !== undefined) {
      value[name] = structuredClone(property.default);
    }
  }
}

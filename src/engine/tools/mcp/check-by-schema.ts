import type { Work } from "../../../kit/concurrency/others-turn.ts";
import { explainBreaches } from "../../structured/explain-breaches.ts";
import { checkBySchema, type SchemaCheck, type SchemaCheckResult } from "../../structured/schema-check.ts";
import { vetSchema } from "../../structured/vet-schema.ts";
import type { ReadInput } from "../bound-tool.ts";
import type { OutputCheck } from "./read-result.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * Validates an input against a server's own schema, which is compiled on first use. A schema that can't be checked in bounded time, or has
 * unknown keywords, accepts everything: the server validates its input itself.
 */
export function checkInput(schema: Schema): ReadInput {
  const find = lazily(schema);
  return function* (given) {
    const input = given as Record<string, unknown>;
    const result = yield* find(input);
    if (result === undefined || "unchecked" in result || result.breaches.length === 0) return { input };
    return { fault: `The input doesn't fit the tool's parameters: ${explainBreaches(result.breaches)}.` };
  };
}

/** As `checkInput`, for results of the server; undefined if it declares no output schema. */
export function checkOutput(schema: Schema | undefined): OutputCheck | undefined {
  if (schema === undefined) return undefined;
  const find = lazily(schema);
  return function* (data) {
    const result = yield* find(data);
    if (result === undefined || "unchecked" in result || result.breaches.length === 0) return undefined;
    return explainBreaches(result.breaches);
  };
}

/** A check that is prepared for the first value; undefined if there is none. */
function lazily(schema: Schema): (value: unknown) => Work<SchemaCheckResult | undefined> {
  let found: { check: SchemaCheck | undefined } | undefined;
  return function* (value) {
    found ??= { check: vetSchema(schema, "").length === 0 ? checkBySchema(schema) : undefined };
    const { check } = found;
    return check && (yield* check(value));
  };
}

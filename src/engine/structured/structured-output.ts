import type { Problem } from "../../kit/app-error.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import { outputJsonSchema } from "../../manifest/agent/output-schema.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { explainBreaches } from "./explain-breaches.ts";
import { findJson } from "./find-json.ts";
import type { SchemaAllowance } from "./schema-allowance.ts";
import { checkBySchema, type SchemaCheck } from "./schema-check.ts";
import { vetSchema } from "./vet-schema.ts";

/*
 * Structured output: JSON Schemas from manifests, vetted and compiled. An answer's JSON is found (`find-json.ts`) and checked
 * (`schema-check.ts`); tools check their inputs with the same code.
 */

/** A named JSON Schema for an answer. */
export interface AnswerSchema {
  name: string;
  schema: Record<string, unknown>;
}

/** Data of an answer that matches the declared schema, or null and the reason. */
export type StructuredAnswer = { data: unknown } | { data: null; error: string };

/** An agent's `output_schema`, compiled once. */
export interface StructuredOutput {
  schema: AnswerSchema;
  /** Instruction for the model, at the end of the system prompt. */
  instruction: string;
  /** Finds the JSON in an answer and checks it. Never throws. */
  read(answer: string): Work<StructuredAnswer>;
}

/**
 * Compiles an agent's `output_schema` at `path`, which shares `allowance` with the agent's other schemas. Throws AppError
 * `invalid_manifest` with all its problems.
 */
export function compileStructuredOutput(
  declared: Readonly<Record<string, unknown>>,
  path: string,
  allowance?: SchemaAllowance,
): StructuredOutput {
  const schema = outputJsonSchema(declared);
  return structuredBy("answer", schema, jsonAtTheEnd, vetted(schema, path, allowance));
}

/** Compiles the schema of an answer that must be JSON only, as the callers of a run request it. Throws as `compileStructuredOutput`. */
export function compileJsonAnswer(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  path: string,
): StructuredOutput {
  return structuredBy(name, schema, jsonAlone, vetted(schema, path));
}

function structuredBy(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  instruction: string,
  check: SchemaCheck,
): StructuredOutput {
  return {
    schema: { name, schema },
    instruction: `${instruction}\n\nJSON Schema:\n${JSON.stringify(schema)}`,
    read: (answer) => readAnswer(answer, check),
  };
}

/** The same text for every call of an agent, so that providers can cache it. */
const jsonAtTheEnd =
  "Your answer must contain JSON that is valid against the JSON Schema below.\n" +
  "End the answer with it, in one block that begins with a line ```json and ends with a line ```.";

const jsonAlone =
  "Your answer must be JSON that is valid against the JSON Schema below.\n" +
  "Write the JSON alone: no words before or after it, and no fence around it.";

function vetted(
  schema: Readonly<Record<string, unknown>>,
  path: string,
  allowance?: SchemaAllowance,
): SchemaCheck {
  const problems: Problem[] = vetSchema(schema, path, allowance);
  if (problems.length > 0) throw invalidManifest(problems);
  return checkBySchema(schema);
}

function* readAnswer(answer: string, check: SchemaCheck): Work<StructuredAnswer> {
  try {
    const json = yield* findJson(answer);
    if ("fault" in json) return { data: null, error: json.fault };
    const result = yield* check(json.value);
    if ("unchecked" in result) return { data: null, error: `The JSON in the answer ${result.unchecked}.` };
    if (result.breaches.length === 0) return { data: json.value };
    const what = explainBreaches(result.breaches);
    return { data: null, error: `The JSON in the answer does not fit output_schema: ${what}.` };
  } catch {
    // A run that has answered must not fail because of its answer's schema.
    return { data: null, error: "The JSON in the answer could not be checked." };
  }
}

import type { Problem } from "../../kit/app-error.ts";
import { outputJsonSchema } from "../../manifest/output-schema.ts";
import { invalidManifest } from "../../manifest/problems.ts";
import { explainBreaches } from "./explain-breaches.ts";
import { findJson } from "./find-json.ts";
import { compileCheck, type SchemaCheck } from "./schema-check.ts";
import type { StructuredAnswer, StructuredOutput } from "./structured-output.ts";
import { vetSchema } from "./vet-schema.ts";

/** Compiles an agent's `output_schema`, which stands at `path`. Throws AppError `invalid_manifest` with all that is wrong with it. */
export function compileStructuredOutput(
  declared: Readonly<Record<string, unknown>>,
  path: string,
): StructuredOutput {
  const schema = outputJsonSchema(declared);
  return structuredBy("answer", schema, path, jsonAtTheEnd);
}

/**
 * Compiles the shape of an answer that is JSON and nothing else, as callers of one run ask for it. Throws like
 * `compileStructuredOutput`.
 */
export function compileJsonAnswer(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  path: string,
): StructuredOutput {
  return structuredBy(name, schema, path, jsonAlone);
}

function structuredBy(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  path: string,
  instruction: string,
): StructuredOutput {
  const check = compileVetted(schema, path);
  return {
    schema: { name, schema },
    instruction: `${instruction}\n\nJSON Schema:\n${JSON.stringify(schema)}`,
    read: (answer) => readAnswer(answer, check),
  };
}

/** The same words for every call of an agent, so that a provider's cache knows them. */
const jsonAtTheEnd =
  "Your answer must contain JSON that is valid against the JSON Schema below.\n" +
  "End the answer with it, in one block that begins with a line ```json and ends with a line ```.";

const jsonAlone =
  "Your answer must be JSON that is valid against the JSON Schema below.\n" +
  "Write the JSON alone: no words before or after it, and no fence around it.";

function compileVetted(schema: Readonly<Record<string, unknown>>, path: string): SchemaCheck {
  const problems: Problem[] = vetSchema(schema, path);
  if (problems.length > 0) throw invalidManifest(problems);
  try {
    return compileCheck(schema);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "unknown";
    throw invalidManifest([{ path, message: `can't be compiled: ${reason}` }]);
  }
}

function readAnswer(answer: string, check: SchemaCheck): StructuredAnswer {
  try {
    const found = findJson(answer);
    if ("fault" in found) return { data: null, error: found.fault };
    const result = check(found.value);
    if ("tooLong" in result) return { data: null, error: "The JSON in the answer takes too long to check." };
    if (result.breaches.length === 0) return { data: found.value };
    const what = explainBreaches(result.breaches);
    return { data: null, error: `The JSON in the answer does not fit output_schema: ${what}.` };
  } catch {
    // A run that has answered must not fail over the shape of its answer.
    return { data: null, error: "The JSON in the answer could not be checked." };
  }
}

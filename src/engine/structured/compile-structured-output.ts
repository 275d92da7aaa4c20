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
  const check = compileVetted(schema, path);
  return {
    schema: { name: "answer", schema },
    instruction: instructionFor(schema),
    read: (answer) => readAnswer(answer, check),
  };
}

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

/** The same words for every call of an agent, so that a provider's cache knows them. */
function instructionFor(schema: Readonly<Record<string, unknown>>): string {
  return [
    "Your answer must contain JSON that is valid against the JSON Schema below.",
    "End the answer with it, in one block that begins with a line ```json and ends with a line ```.",
    `\nJSON Schema:\n${JSON.stringify(schema)}`,
  ].join("\n");
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

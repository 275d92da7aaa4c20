import type { Problem } from "../../kit/app-error.ts";
import { type CheckEntry, type CheckKind, kindsOf } from "../../manifest/eval/checks.ts";
import * as answer from "./answer-checks.ts";
import * as calls from "./call-checks.ts";
import type { BuildCheck, Check, CheckDefaults } from "./check.ts";
import { judge } from "./judge.ts";
import * as outcome from "./outcome-checks.ts";
import { similar } from "./similar.ts";

/** Builders by kind. A kind of the schema without a builder doesn't compile. */
const builders: { [Kind in CheckKind]: BuildCheck<Kind> } = {
  contains: answer.contains,
  not_contains: answer.notContains,
  equals: answer.equals,
  regex: answer.regex,
  not_regex: answer.notRegex,
  json_path: answer.jsonPath,
  json_schema: answer.jsonSchema,
  tool_called: calls.toolCalled,
  tool_order: calls.toolOrder,
  forbidden_tools: calls.forbiddenTools,
  max_steps: calls.maxSteps,
  trajectory: calls.trajectory,
  guardrail: outcome.guardrail,
  error: outcome.error,
  max_cost_usd: outcome.maxCost,
  max_tokens: outcome.maxTokens,
  max_latency_ms: outcome.maxLatency,
  retrieved: outcome.retrieved,
  similar,
  judge,
};

/** Compiles valid entries of a list at `path`; adds the problems of others, such as a pattern that can't be matched in linear time. */
export function compileChecks(
  entries: readonly CheckEntry[],
  path: string,
  defaults: CheckDefaults,
  problems: Problem[],
): Check[] {
  return entries.flatMap((entry, index) => {
    const [kind] = kindsOf(entry);
    if (kind === undefined) return [];
    const built = build(kind, entry, defaults);
    if ("problem" in built) {
      const at = built.at === undefined ? "" : `.${built.at}`;
      problems.push({ path: `${path}[${index}].${kind}${at}`, message: built.problem });
      return [];
    }
    return [{ name: entry.name ?? kind, kind, perform: built.perform }];
  });
}

function build<Kind extends CheckKind>(kind: Kind, entry: CheckEntry, defaults: CheckDefaults) {
  // The entry has the key, so its value is of the builder's kind.
  const value = entry[kind] as Parameters<BuildCheck<Kind>>[0];
  return builders[kind](value, defaults);
}

import type { Problem } from "../../kit/app-error.ts";
import { isWork, type Work } from "../../kit/concurrency/others-turn.ts";
import { WorkTooCostly } from "../../kit/concurrency/work-budget.ts";
import { type CheckEntry, type CheckKind, kindsOf } from "../../manifest/eval/checks.ts";
import * as answer from "./answer-checks.ts";
import * as calls from "./call-checks.ts";
import type { BuildCheck, Check, CheckDefaults } from "./check.ts";
import type { DocumentAllowance } from "./document-allowance.ts";
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

/** Steps of building any check. */
const stepsOfCheck = 200;

/**
 * Compiles valid entries of a list at `path`; adds the problems of others, such as a pattern that can't be matched in linear time, or a check
 * that goes beyond the allowance of the eval. After that no further one is compiled.
 */
export function* compileChecks(
  entries: readonly CheckEntry[],
  path: string,
  { defaults, allowance, problems }: Compiling,
): Work<Check[]> {
  const checks: Check[] = [];
  for (const [index, entry] of entries.entries()) {
    const [kind] = kindsOf(entry);
    if (kind === undefined) continue;
    const report = (message: string, at = "") =>
      problems.push({ path: `${path}[${index}].${kind}${at}`, message });
    try {
      if (allowance.spend(stepsOfCheck)) yield;
      const building = build(kind, entry, defaults, allowance);
      const built = isWork(building) ? yield* building : building;
      if ("perform" in built) checks.push({ name: entry.name ?? kind, kind, perform: built.perform });
      else report(built.problem, built.at === undefined ? "" : `.${built.at}`);
    } catch (thrown) {
      if (!(thrown instanceof WorkTooCostly)) throw thrown;
      // The first check beyond the allowance is the one to name.
      if (!problems.some(({ message }) => message === beyondAllowance)) report(beyondAllowance);
      return checks;
    }
  }
  return checks;
}

/** What the compiling of an eval shares. */
export interface Compiling {
  defaults: CheckDefaults;
  allowance: DocumentAllowance;
  problems: Problem[];
}

/** Message of the check with which an eval goes beyond its allowance. */
export const beyondAllowance =
  "goes beyond what all checks of one eval may take to compile; use fewer or smaller patterns and schemas";

function build<Kind extends CheckKind>(
  kind: Kind,
  entry: CheckEntry,
  defaults: CheckDefaults,
  allowance: DocumentAllowance,
) {
  // The entry has the key, so its value is of the builder's kind.
  const value = entry[kind] as Parameters<BuildCheck<Kind>>[0];
  return builders[kind](value, defaults, allowance);
}

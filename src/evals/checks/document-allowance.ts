import type { RE2JS } from "re2js";
import { classSteps, type LinearPattern, linearPattern } from "../../engine/structured/linear-pattern.ts";
import { createSchemaAllowance, type SchemaAllowance } from "../../engine/structured/schema-allowance.ts";
import { stepsOfCompiling } from "../../engine/structured/schema-check.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import { createWorkBudget, type WorkBudget } from "../../kit/concurrency/work-budget.ts";

/** Most steps of compiling all checks of one eval: one to two seconds of one core. */
export const documentStepsMax = 100_000_000;

/** A step of a pattern takes 2 µs. */
const stepsOfPatternStep = 130;
const stepsOfPatternCharacter = 50;
const stepsOfSchemaCharacter = 10;

/** The allowance that the compiling of all checks of an eval draws from. */
export interface DocumentAllowance extends WorkBudget {
  /** Compiles a pattern, each one once. */
  pattern(source: string): Work<LinearPattern>;
  /** Counts the compiling of a schema, and returns the allowance for vetting it. */
  schema(schema: Readonly<Record<string, unknown>>): Work<SchemaAllowance>;
}

export function createDocumentAllowance(stepsMax = documentStepsMax): DocumentAllowance {
  const budget = createWorkBudget(stepsMax);
  const patterns = new Map<string, LinearPattern>();
  const stepsOf = (pattern: RE2JS | undefined) => (pattern?.programSize() ?? 0) * stepsOfPatternStep;
  return {
    spend: (steps) => budget.spend(steps),
    *pattern(source) {
      const known = patterns.get(source);
      if (known !== undefined) return known;
      const steps = classSteps(source).steps ?? 0;
      if (budget.spend(source.length * stepsOfPatternCharacter + steps * stepsOfPatternStep)) yield;
      const compiled = linearPattern(source);
      patterns.set(source, compiled);
      if (budget.spend(stepsOf(compiled.pattern))) yield;
      return compiled;
    },
    *schema(schema) {
      if (budget.spend(JSON.stringify(schema).length * stepsOfSchemaCharacter + stepsOfCompiling(schema)))
        yield;
      const allowance = createSchemaAllowance();
      return {
        takeSchema: () => allowance.takeSchema(),
        takePattern(steps) {
          budget.spend(steps * stepsOfPatternStep);
          return allowance.takePattern(steps);
        },
        get hasPatterns() {
          return allowance.hasPatterns;
        },
      };
    },
  };
}

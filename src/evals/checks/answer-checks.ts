import { patternProgram } from "../../engine/guardrails/content/pattern-program.ts";
import { searchPattern } from "../../engine/guardrails/content/pattern-search.ts";
import { explainBreaches } from "../../engine/structured/explain-breaches.ts";
import { checkBySchema } from "../../engine/structured/schema-check.ts";
import { vetSchema } from "../../engine/structured/vet-schema.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { WorkBudget } from "../../kit/concurrency/work-budget.ts";
import { matchesPart } from "../../kit/json/matches-part.ts";
import { type CaseWork, foldText, includesText } from "./case-work.ts";
import { type BuildCheck, type BuiltCheck, type CheckVerdict, failed, passed, quoted } from "./check.ts";
import type { DocumentAllowance } from "./document-allowance.ts";
import { readJsonPath, valuesAt } from "./json-path.ts";
import type { Observation } from "./observation.ts";

/** Longest part of an answer that patterns look at. */
const patternTextMax = 262_144;

/** Up to this cost a pattern is tested at once by its library, which is faster but can't be split. */
const testStepsMax = 100_000;

export const contains: BuildCheck<"contains"> = (text) => ({
  *perform(seen, _of, _ports, _signal, work) {
    return (yield* has(seen, text, work)) ? passed() : failed(`${quoted(text)} is not in the answer`);
  },
});

export const notContains: BuildCheck<"not_contains"> = (text) => ({
  *perform(seen, _of, _ports, _signal, work) {
    return (yield* has(seen, text, work)) ? failed(`${quoted(text)} is in the answer`) : passed();
  },
});

export const equals: BuildCheck<"equals"> = (text) => ({
  *perform(seen, _of, _ports, _signal, work) {
    const response = seen.response.trim();
    const isEqual = (yield* work.folded(seen)).trim() === (yield* foldText(text.trim(), work));
    return isEqual ? passed() : failed(`expected ${quoted(text)}, got ${quoted(response)}`);
  },
});

export const regex: BuildCheck<"regex"> = (source, _, allowance) => patternCheck(source, true, allowance);
export const notRegex: BuildCheck<"not_regex"> = (source, _, allowance) =>
  patternCheck(source, false, allowance);

export const jsonPath: BuildCheck<"json_path"> = ({ path, contains: text, ...rest }) => {
  const read = readJsonPath(path);
  if ("problem" in read) return { problem: read.problem, at: "path" };
  const wantsEqual = Object.hasOwn(rest, "equals");
  function* fits(value: unknown, work: CaseWork): Work<boolean> {
    if (wantsEqual) {
      if (!(yield* matchesPart(rest.equals, value, work.spend))) return false;
      if (!(yield* matchesPart(value, rest.equals, work.spend))) return false;
    }
    if (text === undefined) return true;
    const written = typeof value === "string" ? value : JSON.stringify(value);
    const folded = yield* foldText(written, work);
    return yield* includesText(folded, yield* foldText(text, work), work);
  }
  return {
    *perform(seen, _of, _ports, _signal, work) {
      const json = yield* work.json(seen);
      if ("fault" in json) return failed(json.fault);
      const values = yield* valuesAt(json.value, read.steps, work);
      for (const value of values) if (yield* fits(value, work)) return passed();
      if (values.length === 0) return failed(`${path} does not exist`);
      const wanted = wantsEqual ? quoted(rest.equals) : `something with ${quoted(text)}`;
      return failed(`${path} is ${quoted(values.length === 1 ? values[0] : values)}, expected ${wanted}`);
    },
  };
};

export const jsonSchema: BuildCheck<"json_schema"> = function* (schema, _, allowance) {
  const compiled = yield* schemaCheck(schema, allowance);
  if ("problem" in compiled) return compiled;
  return {
    *perform(seen, _of, _ports, _signal, work) {
      const json = yield* work.json(seen);
      return "fault" in json ? failed(json.fault) : yield* compiled.check(json.value, work);
    },
  };
};

/** Vets a JSON Schema for values of answers and calls. It is compiled for the first value, which its allowance has counted. */
export function* schemaCheck(
  schema: Readonly<Record<string, unknown>>,
  allowance: DocumentAllowance,
): Work<{ check: (value: unknown, work: WorkBudget) => Work<CheckVerdict> } | { problem: string }> {
  const [problem] = vetSchema(schema, "schema", yield* allowance.schema(schema));
  if (problem !== undefined) return { problem: `${problem.path} ${problem.message}` };
  const check = checkBySchema(schema);
  return {
    *check(value, work) {
      if (work.spend(1)) yield;
      const result = yield* check(value, work.spend);
      if ("unchecked" in result) return failed(`the value ${result.unchecked}`);
      return result.breaches.length === 0 ? passed() : failed(explainBreaches(result.breaches));
    },
  };
}

function* patternCheck(source: string, wanted: boolean, allowance: DocumentAllowance): Work<BuiltCheck> {
  const { pattern, fault } = yield* allowance.pattern(source);
  if (fault !== undefined) return { problem: fault };
  const size = pattern.programSize();
  return {
    *perform({ response }, _of, _ports, _signal, work) {
      const text = response.slice(0, patternTextMax);
      const steps = 10 + (text.length * size) / 6;
      const isTested = steps <= testStepsMax;
      if (isTested && work.spend(steps)) yield;
      const isMatch = isTested
        ? pattern.test(text)
        : yield* searchPattern(patternProgram(pattern.re2().prog), text, work.spend);
      if (isMatch === wanted) return passed();
      return failed(`${quoted(source)} ${wanted ? "matches nothing" : "matches"} in the answer`);
    },
  };
}

function* has(seen: Observation, part: string, work: CaseWork): Work<boolean> {
  const text = yield* work.folded(seen);
  return yield* includesText(text, yield* foldText(part, work), work);
}

import { explainBreaches } from "../../engine/structured/explain-breaches.ts";
import { findJson } from "../../engine/structured/find-json.ts";
import { linearPattern } from "../../engine/structured/linear-pattern.ts";
import { checkBySchema } from "../../engine/structured/schema-check.ts";
import { vetSchema } from "../../engine/structured/vet-schema.ts";
import { atOnce } from "../../kit/concurrency/others-turn.ts";
import { matchesPart } from "../../kit/json/matches-part.ts";
import { type BuildCheck, failed, passed, quoted, type Verdict } from "./check.ts";
import { readJsonPath, valuesAt } from "./json-path.ts";
import type { Observation } from "./observation.ts";

/** Longest part of an answer that patterns look at. */
const patternTextMax = 262_144;

export const contains: BuildCheck<"contains"> = (text) => ({
  perform: ({ response }) =>
    has(response, text) ? passed() : failed(`${quoted(text)} is not in the answer`),
});

export const notContains: BuildCheck<"not_contains"> = (text) => ({
  perform: ({ response }) => (has(response, text) ? failed(`${quoted(text)} is in the answer`) : passed()),
});

export const equals: BuildCheck<"equals"> = (text) => ({
  perform: ({ response }) =>
    fold(response.trim()) === fold(text.trim())
      ? passed()
      : failed(`expected ${quoted(text)}, got ${quoted(response.trim())}`),
});

export const regex: BuildCheck<"regex"> = (source) => patternCheck(source, true);
export const notRegex: BuildCheck<"not_regex"> = (source) => patternCheck(source, false);

export const jsonPath: BuildCheck<"json_path"> = ({ path, contains: text, ...rest }) => {
  const read = readJsonPath(path);
  if ("problem" in read) return { problem: read.problem, at: "path" };
  const wantsEqual = Object.hasOwn(rest, "equals");
  const fits = (value: unknown) => {
    if (wantsEqual && !(matchesPart(rest.equals, value) && matchesPart(value, rest.equals))) return false;
    return text === undefined || has(typeof value === "string" ? value : JSON.stringify(value), text);
  };
  return {
    perform(seen) {
      const json = jsonOf(seen);
      if ("fault" in json) return failed(json.fault);
      const values = valuesAt(json.value, read.steps);
      if (values.some(fits)) return passed();
      if (values.length === 0) return failed(`${path} does not exist`);
      const wanted = wantsEqual ? quoted(rest.equals) : `something with ${quoted(text)}`;
      return failed(`${path} is ${quoted(values.length === 1 ? values[0] : values)}, expected ${wanted}`);
    },
  };
};

export const jsonSchema: BuildCheck<"json_schema"> = (schema) => {
  const compiled = schemaCheck(schema);
  if ("problem" in compiled) return compiled;
  return {
    perform(seen) {
      const json = jsonOf(seen);
      return "fault" in json ? failed(json.fault) : compiled.check(json.value);
    },
  };
};

/** Compiles a JSON Schema for values of answers and calls. */
export function schemaCheck(
  schema: Readonly<Record<string, unknown>>,
): { check: (value: unknown) => Verdict } | { problem: string } {
  const [problem] = vetSchema(schema, "schema");
  if (problem !== undefined) return { problem: `${problem.path} ${problem.message}` };
  const check = checkBySchema(schema);
  return {
    check(value) {
      const result = atOnce(check(value));
      if ("unchecked" in result) return failed(`the value ${result.unchecked}`);
      return result.breaches.length === 0 ? passed() : failed(explainBreaches(result.breaches));
    },
  };
}

function patternCheck(source: string, wanted: boolean): ReturnType<BuildCheck<"regex">> {
  const { pattern, fault } = linearPattern(source);
  if (fault !== undefined) return { problem: fault };
  return {
    perform({ response }) {
      const found = pattern.matcher(response.slice(0, patternTextMax)).find();
      if (found === wanted) return passed();
      return failed(`${quoted(source)} ${wanted ? "matches nothing" : "matches"} in the answer`);
    },
  };
}

/** The data of a structured answer, or the JSON in its text. */
function jsonOf({ data, response }: Observation): { value: unknown } | { fault: string } {
  return data !== undefined && data !== null ? { value: data } : atOnce(findJson(response));
}

const fold = (text: string) => text.normalize("NFC").toLowerCase();
const has = (text: string, part: string) => fold(text).includes(fold(part));

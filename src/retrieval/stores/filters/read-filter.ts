import { AppError, type Problem } from "../../../kit/app-error.ts";
import { isRecord } from "../../../kit/json/is-record.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import { type FieldCondition, isScalar, type VectorFilter } from "./vector-filter.ts";

const keysMax = 32;
const keyCharactersMax = 255;
const keyDotsMax = 16;
const valuesMax = 256;
const textCharactersMax = 1024;

const rangeWords = ["gt", "gte", "lt", "lte"];
const words = ["eq", "in", ...rangeWords];

/**
 * Parses a caller's filter: `{lang: "en", year: {gte: 2020, lt: 2024}, tag: {in: ["a", "b"]}}`; a plain value means `eq`. Throws AppError
 * `invalid_request` with all its problems, whose paths are below `path`.
 */
export function readFilter(input: unknown, path = "filter"): VectorFilter {
  const problems = filterProblems(input, path);
  if (problems.length === 0) return toFilter(input as Record<string, unknown>);
  const details = { problems };
  throw new AppError("invalid", "invalid_request", `The filter can't be used: ${problems[0]?.message}`, {
    details,
  });
}

/** Problems for which `readFilter` would refuse the input; empty if it is valid. */
export function filterProblems(input: unknown, path = "filter"): Problem[] {
  if (!isRecord(input)) return [{ path, message: "A filter is an object: a condition for each key." }];
  const entries = Object.entries(input);
  if (entries.length > keysMax) return [{ path, message: `A filter has at most ${keysMax} keys.` }];
  return entries.flatMap(([key, condition]) => [
    ...keyProblems(key, path),
    ...conditionProblems(condition, `${path}.${key}`),
  ]);
}

function toFilter(input: Record<string, unknown>): VectorFilter {
  // Without a prototype, `__proto__` is an ordinary key.
  const filter: Record<string, FieldCondition> = Object.create(null);
  for (const [key, value] of Object.entries(input))
    filter[key] = isScalar(value) ? { eq: value } : (structuredClone(value) as FieldCondition);
  return filter;
}

function keyProblems(key: string, path: string): Problem[] {
  const isFine = key !== "" && !isLonger(key, keyCharactersMax) && key.split(".").length <= keyDotsMax + 1;
  if (isFine) return [];
  const message = `A key has 1 to ${keyCharactersMax} characters and at most ${keyDotsMax} dots.`;
  return [{ path, message }];
}

function conditionProblems(condition: unknown, path: string): Problem[] {
  if (isScalar(condition)) return valueProblems(condition, path);
  if (Array.isArray(condition)) return [{ path, message: 'A list of values is written {"in": [...]}.' }];
  if (!isRecord(condition))
    return [
      { path, message: "A condition is a text, a number, true or false, or an object such as {gte: 2020}." },
    ];
  const named = Object.keys(condition);
  const unknown = named.filter((word) => !words.includes(word));
  if (unknown.length > 0) return unknown.map((word) => unknownWord(word, path));
  if (named.length === 0) return [{ path, message: `A condition names one of ${words.join(", ")}.` }];
  if ("eq" in condition || "in" in condition)
    return named.length > 1
      ? [{ path, message: "`eq` and `in` stand alone in a condition." }]
      : choiceProblems(condition, path);
  return rangeProblems(condition, path);
}

function unknownWord(word: string, path: string): Problem {
  const meant = didYouMean(word.replace(/^\$/, ""), words);
  return {
    path: `${path}.${word}`,
    message: `A condition has no \`${word}\`${meant ? `; did you mean \`${meant}\`?` : `: it names one of ${words.join(", ")}.`}`,
  };
}

function choiceProblems(condition: Record<string, unknown>, path: string): Problem[] {
  if ("eq" in condition) return valueProblems(condition.eq, `${path}.eq`);
  const values = condition.in;
  if (!Array.isArray(values) || values.length === 0 || values.length > valuesMax)
    return [{ path: `${path}.in`, message: `\`in\` is a list of 1 to ${valuesMax} values.` }];
  return values.flatMap((value, at) => valueProblems(value, `${path}.in[${at}]`));
}

function rangeProblems(condition: Record<string, unknown>, path: string): Problem[] {
  const bounds = Object.entries(condition);
  const faults = bounds.flatMap(([word, bound]) =>
    typeof bound === "boolean"
      ? [{ path: `${path}.${word}`, message: "true and false have no order: use `eq`." }]
      : valueProblems(bound, `${path}.${word}`),
  );
  if (faults.length > 0) return faults;
  const kinds = new Set(bounds.map(([, bound]) => typeof bound));
  return kinds.size > 1 ? [{ path, message: "The bounds of a range are all numbers or all texts." }] : [];
}

function valueProblems(value: unknown, path: string): Problem[] {
  if (!isScalar(value)) return [{ path, message: "A value is a text, a number, true or false." }];
  return typeof value === "string" && isLonger(value, textCharactersMax)
    ? [{ path, message: `A text to compare with has at most ${textCharactersMax} characters.` }]
    : [];
}

/** Counts code points, of which a text has at most as many as code units and at least half as many. */
const isLonger = (text: string, charactersMax: number) =>
  text.length > charactersMax && (text.length > 2 * charactersMax || [...text].length > charactersMax);

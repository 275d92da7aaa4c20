import type { Ajv2020, ErrorObject, Name, ValidateFunction } from "ajv/dist/2020";
import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { CheckBudget, CheckTooLong } from "./check-budget.ts";
import { hasDuplicates } from "./duplicates.ts";
import { linearPattern } from "./linear-pattern.ts";
import { inPlaceKeywords, subSchemas } from "./schema-keywords.ts";
import { stringFormats } from "./string-formats.ts";

/** Violations of a schema by a value, or why it could not be checked, as the end of a sentence. */
export type SchemaCheckResult = { breaches: readonly ErrorObject[] } | { unchecked: string };

/** A check as work: compiling is a piece, and checking is another. `count` receives the steps of checking, and may throw. */
export type SchemaCheck = (value: unknown, count?: (steps: number) => boolean) => Work<SchemaCheckResult>;

/** Compiling takes 120 µs for a schema inside another, and 30 for each of its rules. */
const stepsOfSchema = 8000;
const stepsOfRule = 2000;

/** Loading the library takes 40 ms in a process without it, and a pattern up to 1 ms. */
const stepsOfLoading = 500_000;
const stepsOfPattern = 20_000;

/** A step of a check takes about 40 ns. */
const stepsOfCheck = 3;

/** Keywords added to every schema: the first counts its evaluations, and the last the problems that it found. */
const stepKeyword = "argosy-step";
const problemsKeyword = "argosy-problems";

/**
 * A check against a vetted schema, which is compiled for the first value, because an agent may have a hundred schemas that a run doesn't
 * need. The time of a check is bounded for any schema and value.
 */
export function checkBySchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const budget = new CheckBudget();
  let compiled: { validate: ValidateFunction } | { unchecked: string } | undefined;
  return function* (value, count = countSteps) {
    if (compiled === undefined) {
      compiled = yield* compile(schema, budget);
    }
    if ("unchecked" in compiled) return compiled;
    budget.refill();
    try {
      return { breaches: compiled.validate(value) ? [] : takeErrors(compiled.validate) };
    } catch (thrown) {
      // RangeError: the stack overflowed before the steps were used up.
      if (thrown instanceof CheckTooLong || thrown instanceof RangeError) {
        return { unchecked: "takes too long to check" };
      }
      throw thrown;
    } finally {
      count(budget.spent * stepsOfCheck);
    }
  };
}

/** Steps of compiling a schema without its patterns. */
export function stepsOfCompiling(schema: unknown): number {
  if (!isRecord(schema)) return stepsOfSchema;
  const inside = subSchemas(schema).map(({ schema: sub }) => stepsOfCompiling(sub));
  return inside.reduce((sum, steps) => sum + steps, stepsOfSchema + Object.keys(schema).length * stepsOfRule);
}

/** Compiles the patterns first, in pieces, and then the rest as one. */
function* compile(
  schema: Readonly<Record<string, unknown>>,
  budget: CheckBudget,
): Work<{ validate: ValidateFunction } | { unchecked: string }> {
  if (countSteps(0)) yield;
  const library = loadAjv();
  if (countSteps(stepsOfLoading)) yield;
  try {
    const matchers = new Map<string, Matcher>();
    for (const source of patternsIn(schema)) {
      matchers.set(source, matcherOf(source, budget));
      if (countSteps(stepsOfPattern)) yield;
    }
    const ajv = openAjv(library, budget, (source) => matchers.get(source) ?? matcherOf(source, budget));
    const validate = ajv.compile(counted(schema) as Record<string, unknown>);
    if (countSteps(stepsOfCompiling(schema))) yield;
    return { validate };
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "unknown";
    return { unchecked: `can't be checked, since its schema can't be compiled: ${reason}` };
  }
}

/** The patterns of a schema, each once. */
function patternsIn(schema: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (!isRecord(schema)) return found;
  if (typeof schema.pattern === "string") found.add(schema.pattern);
  for (const { keyword, name, schema: sub } of subSchemas(schema)) {
    if (keyword === "patternProperties") found.add(String(name));
    patternsIn(sub, found);
  }
  return found;
}

/** Takes the errors, which the validator would otherwise keep until the next check. */
function takeErrors(validate: ValidateFunction): readonly ErrorObject[] {
  const errors = validate.errors ?? [];
  validate.errors = null;
  return errors;
}

type Library = typeof import("ajv/dist/2020");

/** Loads the library on first use: 15 MB that an installation without `output_schema` doesn't need. */
function loadAjv(): Library {
  // biome-ignore lint/style/noCommonJs: an import can't wait inside a function that isn't async.
  return require("ajv/dist/2020") as Library;
}

function openAjv(
  { Ajv2020: Ajv, _: code }: Library,
  budget: CheckBudget,
  matcherFor: (source: string) => Matcher,
): Ajv2020 {
  const ajv = new Ajv({
    // The schema has been vetted more strictly and with better messages than the meta-schema gives.
    meta: false,
    validateSchema: false,
    strict: false,
    logger: false,
    // A model needs all problems at once to fix its answer.
    allErrors: true,
    // `toString` is not a property of an answer.
    ownProperties: true,
    // A function for each small schema takes longer than copying it; a large one must not be copied a thousand times.
    inlineRefs: 4,
    // Code for each value of an `enum` and each name of `required` takes a hundred times as long to compile as a loop.
    loopEnum: 1,
    loopRequired: 1,
    // 19.99 is a multiple of 0.01.
    multipleOfPrecision: 9,
    formats: countedFormats(budget),
    code: {
      regExp: Object.assign(matcherFor, { code: "linearPattern" }),
      // Optimizing would take as long as the rest of compiling.
      optimize: false,
    },
  });
  // The count of problems at the beginning of each schema, as a name in the code.
  const before = new WeakMap<object, Name>();
  ajv.addKeyword({
    keyword: stepKeyword,
    schemaType: "object",
    errors: false,
    // The first of the keywords for values of any type.
    before: "$ref",
    // Generates a call in the compiled code: a function per schema would take twice as long to compile.
    code({ gen, schema: weight, data, it }) {
      const { own, perKey } = weight as Weight;
      gen.code(code`${gen.scopeValue("func", { ref: budget })}.spend(${own}, ${data}, ${perKey})`);
      before.set(it, gen.const("_before", code`errors`));
    },
  });
  ajv.addKeyword({
    keyword: problemsKeyword,
    schemaType: "boolean",
    errors: false,
    post: true,
    code({ gen, it }) {
      const func = gen.scopeValue("func", { ref: budget });
      gen.code(code`${func}.spendProblems(errors - ${before.get(it) ?? 0}, errors)`);
    },
  });
  // Ajv's own check compares every item with every other.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not hold the same item twice" },
    validate(unique: boolean, items: unknown[]) {
      if (!unique) return true;
      budget.spendItems(items);
      return !hasDuplicates(items, (text) => budget.spendWriting(text));
    },
  });
  // Ajv's own check is code for each name.
  ajv.removeKeyword("dependentRequired");
  ajv.addKeyword({
    keyword: "dependentRequired",
    type: "object",
    schemaType: "object",
    validate: dependentsCheck(budget),
  });
  return ajv;
}

/** Returns a check of `dependentRequired`: an object with the first name must have the others. */
function dependentsCheck(budget: CheckBudget) {
  const check: {
    (dependents: Readonly<Record<string, readonly string[]>>, value: object): boolean;
    errors?: Partial<ErrorObject>[];
  } = (dependents: Readonly<Record<string, readonly string[]>>, value: object) => {
    for (const [property, names] of Object.entries(dependents)) {
      if (!Object.hasOwn(value, property)) continue;
      budget.spend(names.length, undefined);
      const missing = names.filter((name) => !Object.hasOwn(value, name));
      if (missing.length === 0) continue;
      const deps = names.join(", ");
      const needed = names.length === 1 ? `property ${deps}` : `properties ${deps}`;
      check.errors = missing.map((missingProperty) => ({
        keyword: "dependentRequired",
        params: { property, missingProperty, deps, depsCount: names.length },
        message: `must have ${needed} when property ${property} is present`,
      }));
      return false;
    }
    return true;
  };
  return check;
}

/** The formats, each of which reads the whole text. */
function countedFormats(budget: CheckBudget): Record<string, (text: string) => boolean> {
  return Object.fromEntries(
    Object.entries(stringFormats).map(([name, fits]) => [
      name,
      (text: string) => {
        budget.spendWriting(text);
        return fits(text);
      },
    ]),
  );
}

interface Matcher {
  test(text: string): boolean;
  toString(): string;
}

function matcherOf(source: string, budget: CheckBudget): Matcher {
  const { pattern, fault } = linearPattern(source);
  if (!pattern) throw new Error(`pattern ${fault}`);
  const steps = pattern.programSize();
  return {
    test(text: string) {
      budget.spendMatching(steps, text);
      return pattern.test(text);
    },
    // Key under which Ajv caches it.
    toString: () => source,
  };
}

/** A copy in which every schema counts its evaluations, without the root's `$id` and `$schema`. */
function counted(schema: unknown, isRoot = true): unknown {
  if (!isRecord(schema)) return schema;
  const copy: Record<string, unknown> = {
    ...schema,
    [stepKeyword]: weightOf(schema),
    [problemsKeyword]: true,
  };
  if (isRoot) {
    delete copy.$id;
    delete copy.$schema;
  }
  for (const { keyword, name, schema: sub } of subSchemas(schema)) {
    if (name === undefined) {
      copy[keyword] = counted(sub, false);
      continue;
    }
    const keywordValue = copy[keyword] === schema[keyword] ? shallowCopy(schema[keyword]) : copy[keyword];
    copy[keyword] = keywordValue;
    (keywordValue as Record<string | number, unknown>)[name] = counted(sub, false);
  }
  return copy;
}

function shallowCopy(value: unknown): object {
  return Array.isArray(value) ? [...value] : { ...(value as object) };
}

/** Steps of a schema: for an evaluation, and for each key of an object. */
interface Weight {
  own: number;
  perKey: number;
}

/** Keywords that look at each key of an object. */
const keyKeywords = ["patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"];

/** An evaluation visits each of a schema's own entries at most once: names, values, subschemas. */
function weightOf(schema: Readonly<Record<string, unknown>>): Weight {
  let own = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "const" || keyword === "enum") own += comparedValues(value);
    else if (Array.isArray(value)) own += value.length;
    else if (isRecord(value)) own += Object.keys(value).length;
    else own += 1;
  }
  const readsKeys = keyKeywords.some((keyword) => Object.hasOwn(schema, keyword));
  return { own, perKey: readsKeys ? 4 + knownNames(schema) : 0 };
}

/** Values in a value, each of which is compared with one of the answer. */
function comparedValues(value: unknown): number {
  if (typeof value === "string") return 1 + (value.length >>> 6);
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + comparedValues(one), 1);
}

/** Names that a schema and those for the same value declare, with which each key is compared. */
function knownNames(schema: unknown): number {
  if (!isRecord(schema)) return 0;
  return subSchemas(schema).reduce((sum, { keyword, schema: sub }) => {
    if (keyword === "properties" || keyword === "patternProperties") return sum + 1;
    return inPlaceKeywords.has(keyword) ? sum + knownNames(sub) : sum;
  }, 0);
}

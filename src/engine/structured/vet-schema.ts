import type { Problem } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import { faultsMax } from "../../manifest/fault.ts";
import { classSteps, linearPattern } from "./linear-pattern.ts";
import { createSchemaAllowance, type SchemaAllowance, tooManySchemas } from "./schema-allowance.ts";
import {
  annotations,
  foreignKeywords,
  inPlaceKeywords,
  schemaKeywords,
  subSchemas,
} from "./schema-keywords.ts";
import { keywordFaults } from "./vet-keyword.ts";

/** Maximum size: the schema is part of every prompt and compiled when the agent loads. */
const schemaCharsMax = 64 * 1024;
/** Compiling takes 120 µs per schema and 30 µs per rule. */
const schemasMax = 300;
const rulesMax = 1000;
const depthMax = 32;

/** A schema and its position. */
interface Node {
  path: string;
  /** Pointers to the schemas that apply to the same value: in-place subschemas and references. */
  sameValue: string[];
}

/**
 * Problems of a declared schema with their paths: unknown keywords, invalid values, references that leave the schema, lead nowhere or in a
 * circle, patterns that can't be matched in linear time, and exceeded sizes. All schemas of an agent share `allowance`.
 */
export function vetSchema(
  schema: Readonly<Record<string, unknown>>,
  path: string,
  allowance: SchemaAllowance = createSchemaAllowance(),
): Problem[] {
  const problems: Problem[] = [];
  const report = (at: string, message: string) => {
    if (problems.length < faultsMax) problems.push({ path: at, message });
  };
  const nodes = new Map<string, Node>();
  let isBeyondAllowance = false;
  let rules = 0;
  const patternFault = (source: string) => faultOfPattern(source, allowance);
  const references: { from: string; to: string; path: string }[] = [];

  const visit = (at: unknown, here: string, pointer: string, depth: number) => {
    const node: Node = { path: here, sameValue: [] };
    nodes.set(pointer, node);
    if (typeof at === "boolean") return;
    if (!isRecord(at)) return report(here, keywordFaults.schema(at) ?? "is not a schema");
    if (!allowance.takeSchema()) isBeyondAllowance = true;
    if (isBeyondAllowance || nodes.size > schemasMax || depth > depthMax) return;
    for (const [keyword, value] of Object.entries(at)) {
      if (!annotations.has(keyword)) rules++;
      const fault =
        faultOf(keyword, value, pointer === "") ??
        (keyword === "pattern" ? patternFault(String(value)) : undefined);
      if (fault !== undefined) report(`${here}.${keyword}`, fault);
      else if (keyword === "$ref")
        references.push({ from: pointer, to: String(value).slice(1), path: `${here}.$ref` });
    }
    for (const sub of subSchemas(at)) {
      const below = pointer + sub.pointer;
      if (inPlaceKeywords.has(sub.keyword)) node.sameValue.push(below);
      if (sub.keyword === "patternProperties") {
        const fault = patternFault(String(sub.name));
        if (fault !== undefined) report(here + sub.path, fault);
      }
      // A value that is not a schema has been reported with its keyword.
      if (schemaKeywords.get(sub.keyword) !== "schema" || isRecord(sub.schema)) {
        visit(sub.schema, here + sub.path, below, depth + 1);
      } else nodes.set(below, { path: here + sub.path, sameValue: [] });
    }
    if (depth === depthMax && subSchemas(at).length > 0) {
      report(here, `is nested too deep: schemas may stand ${depthMax} deep in each other`);
    }
  };
  visit(schema, path, "", 1);

  if (isBeyondAllowance) report(path, tooManySchemas);
  if (rules > rulesMax) report(path, `may have ${rulesMax} rules at most: keywords that check something`);
  if (nodes.size > schemasMax) report(path, `may consist of ${schemasMax} schemas at most`);
  if (JSON.stringify(schema).length > schemaCharsMax) report(path, "may have 64 KiB at most");
  for (const { from, to, path: at } of references) {
    const target = decodedPointer(to);
    if (nodes.has(target)) nodes.get(from)?.sameValue.push(target);
    else report(at, "points at nothing that is a schema");
  }
  if (problems.length === 0) reportCircles(nodes, report);
  return problems;
}

function faultOf(keyword: string, value: unknown, isRoot: boolean): string | undefined {
  const shape = schemaKeywords.get(keyword);
  if (shape !== undefined) {
    if (keyword === "$id" && !isRoot) return "may stand at the top only; refer to `#/$defs/<name>`";
    if (keyword === "items" && Array.isArray(value))
      return "must be one schema; prefixItems takes a list of them";
    return keywordFaults[shape](value);
  }
  const foreign = Object.hasOwn(foreignKeywords, keyword) ? foreignKeywords[keyword] : undefined;
  if (foreign !== undefined) return foreign;
  const nearest = didYouMean(keyword, schemaKeywords.keys());
  const isField = isRoot && (typeof value === "string" || isRecord(value));
  return `is not a keyword of JSON Schema${
    nearest === undefined ? "" : `; did you mean ${nearest}?`
  }${isField ? " (fields stand under properties; the shorthand {field: type} knows string, number, integer, boolean, array, object)" : ""}`;
}

/** The problem with a pattern; not checked if an earlier one exceeded the allowance. */
function faultOfPattern(source: string, allowance: SchemaAllowance): string | undefined {
  if (!allowance.hasPatterns) return undefined;
  // The classes count before they are compiled.
  if (!allowance.takePattern(classSteps(source).steps ?? 0)) return tooManyPatterns;
  const { pattern, fault } = linearPattern(source);
  const hasRoom = allowance.takePattern(pattern?.programSize() ?? 0);
  return fault ?? (hasRoom ? undefined : tooManyPatterns);
}

const tooManyPatterns = "is one pattern too many: all of an agent together are too large";

/** Decodes the percent escapes of a URI fragment. An invalid one yields a pointer to nothing. */
function decodedPointer(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return "%";
  }
}

/** Reports schemas that would evaluate themselves on the same value forever. */
function reportCircles(
  nodes: ReadonlyMap<string, Node>,
  report: (path: string, message: string) => void,
): void {
  const done = new Set<string>();
  const asking = new Set<string>();
  const ask = (pointer: string): boolean => {
    if (asking.has(pointer)) return true;
    if (done.has(pointer)) return false;
    asking.add(pointer);
    const isCircle = nodes.get(pointer)?.sameValue.some(ask) ?? false;
    asking.delete(pointer);
    done.add(pointer);
    return isCircle;
  };
  const circle = [...nodes].find(([pointer]) => ask(pointer));
  if (circle) report(circle[1].path, "refers to itself for the same value, without end");
}

import { isScalar } from "../../metadata-leaves.ts";
import type { Scalar } from "../../vector-filter.ts";
import { cutFactText, encodeFactNumber, encodeFactText, factMarks } from "./fact-text.ts";

/** All that filters can ask of each row, as one text: a fact for every value that `metadataLeaves` has. */
export function rowFacts(metadata: readonly Readonly<Record<string, unknown>>[]): string[] {
  // Rows that come together mostly have the same names.
  const starts = new Map<string, string>();
  const startOf = (name: string) => {
    let start = starts.get(name);
    if (start === undefined) {
      start = factStart(name);
      starts.set(name, start);
    }
    return start;
  };
  const factsOf = (name: string, value: unknown): string => {
    if (isScalar(value)) return startOf(name) + factValue(value);
    if (typeof value !== "object" || value === null) return "";
    let facts = "";
    if (Array.isArray(value)) for (const member of value) facts += factsOf(name, member);
    else for (const [key, member] of Object.entries(value)) facts += factsOf(`${name}.${key}`, member);
    return facts;
  };
  return metadata.map((row) => {
    let facts = "";
    for (const key of Object.keys(row)) facts += factsOf(key, row[key]);
    return facts;
  });
}

/** What each fact of that name begins with. */
export function factStart(name: string): string {
  return factMarks.start + encodeFactText(name) + factMarks.kind;
}

/** A value with its type and end: of two values of a name the same only for equal ones, except where both are cut. */
export function factValue(value: Scalar): string {
  if (typeof value === "boolean") return (value ? "bt" : "bf") + factMarks.end;
  if (typeof value === "number") return `n${encodeFactNumber(value)}${factMarks.end}`;
  const { kept, isCut } = cutFactText(value);
  return `s${encodeFactText(kept)}${isCut ? factMarks.cut : factMarks.end}`;
}

import { isScalar, type Scalar } from "../../filters/vector-filter.ts";
import { cutFactText, encodeFactNumber, encodeFactText, factMarks } from "./fact-text.ts";

/** The text with all facts of a row that filters can test: one for every value in `metadataLeaves`. */
export function rowFacts(metadata: readonly Readonly<Record<string, unknown>>[]): string[] {
  // Cached because rows of a batch mostly have the same names.
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

/** Beginning of each fact with that name. */
export function factStart(name: string): string {
  return factMarks.start + encodeFactText(name) + factMarks.kind;
}

/** A value with its type and end mark. Two values of a name give the same text only if they are equal, except if both are cut. */
export function factValue(value: Scalar): string {
  if (typeof value === "boolean") return (value ? "bt" : "bf") + factMarks.end;
  if (typeof value === "number") return `n${encodeFactNumber(value)}${factMarks.end}`;
  const { kept, isCut } = cutFactText(value);
  return `s${encodeFactText(kept)}${isCut ? factMarks.cut : factMarks.end}`;
}

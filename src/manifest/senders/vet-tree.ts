import { addFault, type Fault, type Path } from "../fault.ts";

/** Limit for the nesting of mappings and lists. */
export const depthMax = 64;

/** Converts a text of the document; reports its faults to `report`. */
export type ConvertText = (text: string, report: (message: string) => void) => string;

/**
 * Returns a copy of a JSON-like value with every text converted by `readText`. Faults: keys and texts that cannot be stored (NUL, lone
 * surrogates), `__proto__`, non-finite numbers, `${` in keys, and more than 64 levels.
 */
export function vetTree(value: unknown, readText: ConvertText): { value: unknown; faults: Fault[] } {
  const faults: Fault[] = [];
  const visit = (node: unknown, path: Path): unknown => {
    if (typeof node === "string")
      return readText(vetted(node, path), (message) => addFault(faults, path, message));
    if (typeof node === "number" && !Number.isFinite(node)) addFault(faults, path, "must be a finite number");
    if (typeof node !== "object" || node === null) return node;
    if (path.length >= depthMax) {
      addFault(faults, path, `is nested deeper than ${depthMax} levels`);
      return null;
    }
    if (Array.isArray(node)) return node.map((item, index) => visit(item, [...path, index]));
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(node)) {
      const here = [...path, key];
      const wrong = faultOfKey(key);
      if (wrong === undefined) copy[key] = visit(item, here);
      else addFault(faults, here, wrong, "key");
    }
    return copy;
  };
  const vetted = (text: string, path: Path): string => {
    const wrong = faultOfText(text);
    if (wrong === undefined) return text;
    addFault(faults, path, wrong);
    return "";
  };
  return { value: visit(value, []), faults };
}

function faultOfKey(key: string): string | undefined {
  if (key === "__proto__") return "is not a possible key";
  if (key.includes("${")) return `holds "\${"; variables are put into values only, never into keys`;
  return faultOfText(key);
}

function faultOfText(text: string): string | undefined {
  if (text.includes("\0")) return "holds a NUL character";
  return text.isWellFormed() ? undefined : "holds half of a surrogate pair";
}

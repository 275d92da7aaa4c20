/** A key of a mapping or a position in a list. */
export type Segment = string | number;

export type Path = readonly Segment[];

/** A fault at a path of a document; `at` tells whether the key or the value is wrong. */
export interface Fault {
  path: Path;
  at: "key" | "value";
  message: string;
}

/** Limit for the collected faults: a document with fifty faults needs another look, not a longer list. */
export const faultsMax = 50;

/** Collects faults up to the limit. */
export function addFault(faults: Fault[], path: Path, message: string, at: Fault["at"] = "value"): void {
  if (faults.length < faultsMax) faults.push({ path, at, message });
}

/** Formats a path: `spec.tools[0].name`. */
export function dotted(path: Path): string {
  let written = "";
  for (const segment of path) {
    if (typeof segment === "number") written += `[${segment}]`;
    else written += written === "" ? segment : `.${segment}`;
  }
  return written;
}

/** Parses the result of `dotted`; a key that contains a dot becomes several segments. */
export function pathOf(written: string): Path {
  return written
    .split(/[.[\]]/)
    .filter((part) => part !== "")
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

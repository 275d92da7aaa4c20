import type { SpecChange } from "../../../contracts/platform/agents.ts";

/** What is different between two specs, field by field, in the order of their paths. */
export function diffSpecs(before: unknown, after: unknown, path = ""): SpecChange[] {
  if (Object.is(before, after)) return [];
  if (before === undefined) return [{ path, change: "added", after }];
  if (after === undefined) return [{ path, change: "removed", before }];
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) =>
      diffSpecs(before[index], after[index], `${path}[${index}]`),
    ).flat();
  }
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => diffSpecs(before[key], after[key], path === "" ? key : `${path}.${key}`));
  }
  return [{ path, change: "changed", before, after }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import type { SpecChange } from "../../../contracts/platform/agents.ts";
import { isRecord } from "../../../kit/json/is-record.ts";

/** Compares two specs field by field and returns the differences, in order of their paths. */
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
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => diffSpecs(own(before, key), own(after, key), joined(path, key)));
  }
  return [{ path, change: "changed", before, after }];
}

/** Ignores properties inherited from Object. */
const own = (object: Record<string, unknown>, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined;

function joined(path: string, key: string): string {
  if (!/^[\w-]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

import type { FieldChange } from "../contracts/translator/reconcile.ts";
import { canonicalJson } from "../kit/json/canonical-json.ts";
import { isRecord } from "../kit/json/is-record.ts";

/** Returns the fields that differ, in the order of their paths. Arrays are compared as wholes; an absent value is a new or removed field. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(before, after, "", changes);
  return changes.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function compare(before: unknown, after: unknown, path: string, changes: FieldChange[]): void {
  if (isRecord(before) || isRecord(after)) {
    const one = isRecord(before) ? before : {};
    const other = isRecord(after) ? after : {};
    // A value in place of a mapping, or a mapping in place of a value, is one change.
    const isReplaced =
      (before !== undefined && !isRecord(before)) || (after !== undefined && !isRecord(after));
    if (!isReplaced) {
      const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
      if (keys.size > 0) {
        for (const key of keys)
          compare(own(one, key), own(other, key), path === "" ? key : `${path}.${key}`, changes);
        return;
      }
    }
  }
  if (before === undefined && after === undefined) return;
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return;
  changes.push({ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) });
}

const own = (mapping: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(mapping, key) ? mapping[key] : undefined;

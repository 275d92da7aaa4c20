import { parse } from "yaml";
import type { Path } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { isRecord } from "../../parts/is-record.ts";
import { changeManifest } from "./change-manifest.ts";

/**
 * Returns the text with the value at `path` equal to `value`. Only parts that differ are rewritten, so the comments of the others stay. The
 * text must be valid YAML.
 */
export function mergeIntoManifest(text: string, path: Path, value: unknown): string {
  const merged = changesOf(path, at(text, path), value).reduce(
    (changed, { path: place, value: next }) => changeManifest(changed, place, next),
    text,
  );
  // Removing the last part of a mapping removes the mapping.
  return isSame(at(merged, path), value) ? merged : changeManifest(text, path, value);
}

const at = (text: string, path: Path): unknown => valueAt(parse(text), path);

function changesOf(path: Path, before: unknown, after: unknown): { path: Path; value: unknown }[] {
  if (isSame(before, after)) return [];
  if (!isRecord(before) || !isRecord(after) || Object.keys(after).length === 0) {
    return [{ path, value: after }];
  }
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    ...Object.entries(after).flatMap(([key, value]) => changesOf([...path, key], before[key], value)),
    ...removed.map((key) => ({ path: [...path, key], value: undefined })),
  ];
}

/** Compares JSON values; the order of keys does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSame(one[key], other[key]))
  );
}

import type { StorageUse } from "../../contracts/platform/stored.ts";
import { sizeText } from "./size-text.ts";

/** What is stored, of how much, and in what most of it lies. */
export function storageText({ stored_bytes: stored, limit_bytes: limit, areas }: StorageUse): string {
  const most = areas.slice(0, 3).map(({ area, bytes }) => `${area} ${sizeText(bytes)}`);
  const of = limit === null ? "no limit" : `of ${sizeText(limit)}`;
  return `${sizeText(stored)} ${of}${most.length === 0 ? "" : ` (${most.join(", ")})`}`;
}

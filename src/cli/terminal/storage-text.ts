import type { StorageUse } from "../../contracts/platform/stored.ts";

/** What is stored, of how much, and in what most of it lies. */
export function storageText({ stored_bytes: stored, limit_bytes: limit, areas }: StorageUse): string {
  const most = areas.slice(0, 3).map(({ area, bytes }) => `${area} ${mebibytes(bytes)}`);
  const of = limit === null ? "no limit" : `of ${mebibytes(limit)}`;
  return `${mebibytes(stored)} ${of}${most.length === 0 ? "" : ` (${most.join(", ")})`}`;
}

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

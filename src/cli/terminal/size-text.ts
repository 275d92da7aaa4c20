const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats 1536 as "1.5 KiB". The unit follows from the rounded value; a negative size keeps its sign. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let at = 0;
  while (Math.round(Math.abs(value) * 10) >= 10_240 && at < units.length - 1) {
    value /= 1024;
    at++;
  }
  return `${at === 0 ? value : value.toFixed(1)} ${units[at]}`;
}

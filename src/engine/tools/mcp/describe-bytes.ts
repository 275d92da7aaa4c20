/** First bytes of known formats, as hexadecimal digits; a dot is any digit. */
const beginnings: Readonly<Record<string, RegExp>> = {
  "image/png": /^89504e470d0a1a0a/,
  "image/jpeg": /^ffd8ff/,
  "image/jpg": /^ffd8ff/,
  "image/gif": /^47494638/,
  "image/webp": /^52494646.{8}57454250/,
  "image/bmp": /^424d/,
  "audio/wav": /^52494646.{8}57415645/,
  "audio/x-wav": /^52494646.{8}57415645/,
  "audio/mpeg": /^(494433|ff[ef])/,
  "audio/ogg": /^4f676753/,
  "application/pdf": /^25504446/,
  "application/gzip": /^1f8b/,
  "application/zip": /^504b/,
};

/**
 * Describes bytes that are not passed on in one line: their declared type, whether it is correct, and their size. `kind` is the type that
 * their position requires: `image`, `audio` or any `file`.
 */
export function describeBytes(kind: "image" | "audio" | "file", mimeType: unknown, data: unknown): string {
  if (typeof data !== "string") return `[${article(kind)} without data]`;
  const type =
    typeof mimeType === "string"
      ? (/^[\w.+-]{1,64}\/[\w.+-]{1,64}/.exec(mimeType)?.[0].toLowerCase() ?? "")
      : "";
  if (!isBase64(data)) return `[${article(kind)} whose data is no base64: left out]`;
  const said = type === "" ? "of no known type" : `said to be ${type}`;
  if (kind !== "file" && !type.startsWith(`${kind}/`))
    return `[${article(kind)} ${said}, which is no ${kind}: left out]`;
  const begin = Buffer.from(data.slice(0, 32), "base64").toString("hex");
  if (beginnings[type]?.test(begin) === false) return `[${article(kind)} ${said}, which it is not: left out]`;
  const kib = Math.max(1, Math.round((data.length * 3) / 4 / 1024));
  return `[${article(kind)}${type === "" ? "" : ` (${type})`} of ${kib} KiB, not shown]`;
}

function article(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(data);
}

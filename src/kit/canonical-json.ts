/** Serializes a value with the keys of every object sorted by UTF-16 units (as in RFC 8785), so equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(",")}}`;
}

/** SHA-256 of a spec's canonical JSON, in hex. */
export function checksumOf(spec: unknown): string {
  return new Bun.CryptoHasher("sha256").update(canonicalJson(spec)).digest("hex");
}

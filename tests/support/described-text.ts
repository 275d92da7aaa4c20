/** A text in the corpora: as it is, or described if it would be too long. */
export type DescribedText =
  | string
  | { repeat: [text: string, times: number]; then: [text: string, times: number] }
  | { keys: number }
  | { bytes_hex: string }
  | { bytes: number }
  | { string_bytes: number };

/** Returns the bytes of a description; a bare number of bytes is a `query` of that size. */
export function describedBytes(described: DescribedText): string | Uint8Array<ArrayBuffer> {
  if (typeof described === "string") return described;
  if ("repeat" in described) {
    const { repeat, then } = described;
    return repeat[0].repeat(repeat[1]) + then[0].repeat(then[1]);
  }
  if ("keys" in described) {
    return `{${Array.from({ length: described.keys }, (_, number) => `"k${number}":1`).join(",")}}`;
  }
  if ("bytes_hex" in described) return Uint8Array.fromHex(described.bytes_hex);
  const bytes = "bytes" in described ? described.bytes : described.string_bytes;
  return `{"query":"${"x".repeat(bytes - '{"query":""}'.length)}"}`;
}

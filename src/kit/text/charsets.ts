/** A charset by one of its names. */
export interface Charset {
  name: string;
  /** Throws TypeError for invalid bytes if `isStrict`; else they become U+FFFD. A byte order mark is left out. */
  decode(bytes: Uint8Array, isStrict: boolean): string;
}

/**
 * Returns the charset with a label of the Encoding standard, or one of those in 7 bits that the standard leaves out: ISO-2022-KR,
 * ISO-2022-CN and HZ, which old mail and files have. Undefined for an unknown label.
 */
export function findCharset(label: string): Charset | undefined {
  const shifted = shiftedCharsets.get(label.trim().toLowerCase());
  if (shifted !== undefined) return shifted;
  try {
    const { encoding } = new TextDecoder(label);
    return {
      name: encoding,
      decode: (bytes, isStrict) => new TextDecoder(encoding, { fatal: isStrict }).decode(bytes),
    };
  } catch {
    return undefined;
  }
}

/** The charset of a byte order mark. */
export function charsetOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

const escapeByte = 0x1b;

/** Escape sequences that begin a script, by charset. Terminals have others. */
const designations: readonly (readonly [charset: string, sequences: readonly string[]])[] = [
  ["iso-2022-kr", ["$)C"]],
  ["iso-2022-cn", ["$)A", "$)G", "$*H"]],
  ["iso-2022-jp", ["$@", "$B", "$(D", "(J", "(I"]],
];

/** The charset of bytes that are all ASCII, and switch scripts with escape sequences of ISO 2022. */
export function charsetOfEscapes(bytes: Uint8Array): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!buffer.includes(escapeByte)) return undefined;
  const designation = designations.find(([, sequences]) =>
    sequences.some((sequence) => buffer.includes(`\u001b${sequence}`, 0, "latin1")),
  );
  return designation !== undefined && bytes.every((byte) => byte < 0x80) ? designation[0] : undefined;
}

const shiftOut = 0x0e;
const shiftIn = 0x0f;

/** ISO-2022-KR and ISO-2022-CN are the 8-bit charsets without the highest bit, between two shifts. */
function unshifted(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  let isShifted = false;
  // A character of CNS 11643, which no decoder here knows.
  let isForeign = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === escapeByte) {
      const [first = 0, second = 0, third = 0] = bytes.subarray(at + 1, at + 4);
      const sequence = String.fromCharCode(first, second, third);
      if (/^\$[)*][A-Z]$/.test(sequence)) {
        if (sequence.startsWith("$)")) isForeign = sequence === "$)G";
        at += 3;
        continue;
      }
      if (sequence.startsWith("N")) {
        plain[length++] = 0xff;
        at += 3;
        continue;
      }
    }
    if (byte === shiftOut) isShifted = true;
    else if (byte === shiftIn) isShifted = false;
    else {
      // A line begins unshifted.
      if (byte === 0x0a) isShifted = false;
      plain[length++] = isShifted && byte > 0x20 && byte < 0x7f ? (isForeign ? 0xff : byte | 0x80) : byte;
    }
  }
  return plain.subarray(0, length);
}

/** HZ is GB 2312 without the highest bit, between `~{` and `~}`. */
function unbraced(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  let isBraced = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    const next = String.fromCharCode(bytes[at + 1] ?? 0);
    if (byte === 0x7e && "{}~\n".includes(next)) {
      if (next === "{" || next === "}") isBraced = next === "{";
      else if (next === "~") plain[length++] = byte;
      at++;
      continue;
    }
    if (byte === 0x0a) isBraced = false;
    plain[length++] = isBraced && byte > 0x20 ? byte | 0x80 : byte;
  }
  return plain.subarray(0, length);
}

const shifted = (
  name: string,
  encoding: "euc-kr" | "gbk",
  plain: (bytes: Uint8Array) => Uint8Array,
): Charset => ({
  name,
  decode: (bytes, isStrict) => new TextDecoder(encoding, { fatal: isStrict }).decode(plain(bytes)),
});

const korean = shifted("iso-2022-kr", "euc-kr", unshifted);
const chinese = shifted("iso-2022-cn", "gbk", unshifted);
const hz = shifted("hz-gb-2312", "gbk", unbraced);

const shiftedCharsets: ReadonlyMap<string, Charset> = new Map([
  ["iso-2022-kr", korean],
  ["csiso2022kr", korean],
  ["iso-2022-cn", chinese],
  ["iso-2022-cn-ext", chinese],
  ["hz-gb-2312", hz],
  ["hz", hz],
]);

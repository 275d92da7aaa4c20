import { AppError } from "../../../kit/app-error.ts";

/** Conversion between bytes and text. */
interface TextEncoding {
  /** Returns undefined if the bytes are not valid in the encoding. */
  decode(bytes: Uint8Array): string | undefined;
  /** Returns undefined if the text can't be encoded. */
  encode(text: string): Uint8Array | undefined;
}

const utf8: TextEncoding = {
  decode: (bytes) => decodeStrictly("utf-8", bytes),
  encode: (text) => (text.isWellFormed() ? new TextEncoder().encode(text) : undefined),
};

const utf16: TextEncoding = {
  decode: (bytes) => decodeStrictly("utf-16le", bytes),
  encode: (text) => (text.isWellFormed() ? Buffer.from(text, "utf16le") : undefined),
};

const latin1: TextEncoding = {
  decode: (bytes) => Buffer.from(bytes).toString("latin1"),
  encode: (text) => (isBelow(text, 0x100) ? Buffer.from(text, "latin1") : undefined),
};

const ascii: TextEncoding = {
  decode: (bytes) => (bytes.every((byte) => byte < 0x80) ? Buffer.from(bytes).toString("latin1") : undefined),
  encode: (text) => (isBelow(text, 0x80) ? Buffer.from(text, "latin1") : undefined),
};

const base64: TextEncoding = {
  decode: (bytes) => Buffer.from(bytes).toString("base64"),
  encode(text) {
    const packed = text.replaceAll("\n", "").replaceAll("\r", "");
    const bytes = Buffer.from(packed, "base64");
    return bytes.toString("base64") === packed ? bytes : undefined;
  },
};

const encodings: ReadonlyMap<string, TextEncoding> = new Map([
  ["utf-8", utf8],
  ["utf8", utf8],
  ["utf-16le", utf16],
  ["utf16le", utf16],
  ["latin1", latin1],
  ["latin-1", latin1],
  ["iso-8859-1", latin1],
  ["ascii", ascii],
  ["us-ascii", ascii],
  ["base64", base64],
]);

/** Supported encodings. */
export const encodingNames = "utf-8, utf-16le, latin1, ascii or base64";

/** Decodes bytes strictly, without replacing or skipping any. Throws AppError `undecodable` or `encoding_unknown`. */
export function decodeText(bytes: Uint8Array, encoding: string): string {
  const text = findEncoding(encoding).decode(bytes);
  if (text !== undefined) return text;
  const message = `The file is not text in ${encoding}; read it as base64, or in its own encoding.`;
  throw new AppError("unprocessable", "undecodable", message);
}

/** Encodes text strictly, without replacing or skipping any. Throws AppError `unencodable` or `encoding_unknown`. */
export function encodeText(text: string, encoding: string): Uint8Array {
  const bytes = findEncoding(encoding).encode(text);
  if (bytes !== undefined) return bytes;
  const message = `The content can't be written as ${encoding}; use another encoding.`;
  throw new AppError("unprocessable", "unencodable", message);
}

function findEncoding(name: string): TextEncoding {
  const encoding = encodings.get(name.toLowerCase());
  if (encoding !== undefined) return encoding;
  throw new AppError("invalid", "encoding_unknown", `The encoding must be one of ${encodingNames}.`);
}

function decodeStrictly(name: "utf-8" | "utf-16le", bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(name, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isBelow(text: string, end: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= end) return false;
  return true;
}

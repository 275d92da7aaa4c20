import { createHash } from "node:crypto";
import { type PdfObject, pdfOf, writtenLines } from "./pdf-file.ts";

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");
const md5 = (...parts: Uint8Array[]) => createHash("md5").update(Buffer.concat(parts)).digest();
const fileId = Buffer.from("0123456789abcdef");
const permissions = -44;

/** Creates a one-page PDF that opens with this password, in the oldest encryption (RC4 with 40 bits). */
export function encryptedPdf(password: string, lines: readonly string[]): Uint8Array {
  const padded = Buffer.concat([Buffer.from(password, "latin1"), padding]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const flags = Buffer.alloc(4);
  flags.writeInt32LE(permissions);
  const key = md5(padded, owner, flags, fileId).subarray(0, 5);
  const user = rc4(key, padding);
  const stream = rc4(objectKey(key, 5), Buffer.from(writtenLines(lines), "latin1"));
  const hex = (bytes: Uint8Array) => `<${Buffer.from(bytes).toString("hex")}>`;
  const objects: (PdfObject | string)[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
    { text: `<< /Length ${stream.length} >>`, stream },
    `<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P ${permissions} >>`,
  ];
  return pdfOf(objects, { trailer: `/Encrypt 6 0 R /ID [${hex(fileId)} ${hex(fileId)}]` });
}

function objectKey(key: Uint8Array, number: number): Uint8Array {
  return md5(key, Uint8Array.of(number, 0, 0, 0, 0)).subarray(0, 10);
}

/** Implemented here, because newer OpenSSL builds lack it. */
function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (one: number, other: number) => {
    const kept = at(one);
    state[one] = at(other);
    state[other] = kept;
  };
  for (let index = 0, mixed = 0; index < 256; index++) {
    mixed = (mixed + at(index) + (key[index % key.length] ?? 0)) & 255;
    swap(index, mixed);
  }
  let one = 0;
  let other = 0;
  return Buffer.from(data).map((byte) => {
    one = (one + 1) & 255;
    other = (other + at(one)) & 255;
    swap(one, other);
    return byte ^ at(at(one) + at(other));
  }) as Buffer;
}

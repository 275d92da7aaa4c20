/*
 * The part of DER (ITU-T X.690) that an X.509 certificate with an elliptic curve key needs. `node:crypto` reads certificates and can't make
 * any.
 */

const tags = {
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  time: 0x18,
} as const;
const sequenceTag = 0x30;
const setTag = 0x31;

const element = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: readonly Uint8Array[]) => element(sequenceTag, Buffer.concat(parts));
export const set = (...parts: readonly Uint8Array[]) => element(setTag, Buffer.concat(parts));
/** A part with a tag of its own, around others. */
export const tagged = (number: number, ...parts: readonly Uint8Array[]) =>
  element(0xa0 | number, Buffer.concat(parts));
/** A simple value with a tag of its own. */
export const implicit = (number: number, content: Uint8Array) => element(0x80 | number, content);
export const octets = (content: Uint8Array) => element(tags.octets, content);
export const bits = (content: Uint8Array, unused = 0) =>
  element(tags.bits, Buffer.concat([Buffer.from([unused]), content]));
export const utf8 = (text: string) => element(tags.utf8, Buffer.from(text));
export const isTrue = Buffer.from([0x01, 0x01, 0xff]);

/** A positive number from its bytes, the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const short = bytes.subarray(start);
  const isNegative = ((short[0] ?? 0) & 0x80) !== 0;
  return element(tags.integer, isNegative ? Buffer.concat([Buffer.from([0]), short]) : short);
}

/** Time to the second. Up to 2049, a certificate has two digits of the year (RFC 5280, 4.1.2.5). */
export function time(at: Date): Buffer {
  const text = `${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050
    ? element(tags.utcTime, Buffer.from(text.slice(2)))
    : element(tags.time, Buffer.from(text));
}

/** An object identifier, such as `2.5.4.3`. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const group = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) group.unshift((left & 0x7f) | 0x80);
    bytes.push(...group);
  }
  return element(tags.oid, Buffer.from(bytes));
}

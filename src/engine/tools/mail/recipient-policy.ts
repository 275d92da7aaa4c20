import { readAddress } from "./email-address.ts";

/** Returns true if a message may be sent to this address, in the form returned by `readAddress`. */
export type RecipientPolicy = (address: string) => boolean;

/** Returns true if the text is an address or a pattern such as `*@example.com`. */
export function isRecipientPattern(pattern: string): boolean {
  return readAddress(pattern.replaceAll("*", "x")) !== undefined;
}

/**
 * Allows addresses that match one of the patterns; `*` matches any characters except `@`. If `patterns` is undefined, every address is
 * allowed.
 */
export function recipientPolicy(patterns: readonly string[] | undefined): RecipientPolicy {
  if (patterns === undefined) return () => true;
  const parts = patterns.map((pattern) => inPlainForm(pattern).toLowerCase().split("*"));
  return (address) => parts.some((pieces) => matches(address.toLowerCase(), pieces));
}

/** Normalizes the domain as `readAddress` does, unless it contains `*`. */
function inPlainForm(pattern: string): string {
  const at = pattern.indexOf("@");
  const plain = readAddress(`x${pattern.slice(at)}`);
  return plain === undefined ? pattern : pattern.slice(0, at) + plain.slice(1);
}

/** Returns true if the pieces occur in order, the first at the beginning and the last at the end, without an `@` in the gaps. */
function matches(address: string, pieces: readonly string[]): boolean {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return address === first;
  if (address.length < first.length + last.length) return false;
  if (!address.startsWith(first) || !address.endsWith(last)) return false;
  let at = first.length;
  let gaps = "";
  for (const piece of rest) {
    const pieceAt = address.indexOf(piece, at);
    if (pieceAt === -1) return false;
    gaps += address.slice(at, pieceAt);
    at = pieceAt + piece.length;
  }
  const end = address.length - last.length;
  return at <= end && !(gaps + address.slice(at, end)).includes("@");
}

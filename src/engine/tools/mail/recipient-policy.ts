import { readAddress } from "./email-address.ts";

/** Whether a message may go to this address, as `readAddress` gave it. */
export type RecipientPolicy = (address: string) => boolean;

/** Whether an entry is an address or a pattern of addresses such as `*@example.com`. */
export function isRecipientPattern(pattern: string): boolean {
  return readAddress(pattern.replaceAll("*", "x")) !== undefined;
}

/** Allows what one of the patterns matches; `*` stands for any characters but `@`. Without patterns everything is allowed. */
export function recipientPolicy(patterns: readonly string[] | undefined): RecipientPolicy {
  if (patterns === undefined) return () => true;
  const parts = patterns.map((pattern) => inPlainForm(pattern).toLowerCase().split("*"));
  return (address) => parts.some((pieces) => matches(address.toLowerCase(), pieces));
}

/** The domain as `readAddress` gives it, where it has no `*`. */
function inPlainForm(pattern: string): string {
  const at = pattern.indexOf("@");
  const plain = readAddress(`x${pattern.slice(at)}`);
  return plain === undefined ? pattern : pattern.slice(0, at) + plain.slice(1);
}

/** The pieces in order, the first at the beginning and the last at the end, without an `@` in what lies between. */
function matches(address: string, pieces: readonly string[]): boolean {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return address === first;
  if (address.length < first.length + last.length) return false;
  if (!address.startsWith(first) || !address.endsWith(last)) return false;
  let at = first.length;
  let gaps = "";
  for (const piece of rest) {
    const found = address.indexOf(piece, at);
    if (found === -1) return false;
    gaps += address.slice(at, found);
    at = found + piece.length;
  }
  const end = address.length - last.length;
  return at <= end && !(gaps + address.slice(at, end)).includes("@");
}

import type { NumberGroup } from "./number-groups.ts";
import { standsAlone } from "./text-boundary.ts";

const DIGITS_MIN = 13;
const DIGITS_MAX = 19;

/**
 * End of the card number that begins at group `first`; undefined if there is none. A card number has 13 to 19 digits of a card network and
 * passes Luhn.
 */
export function creditCardEnd(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
): number | undefined {
  const start = groups[first]?.start ?? 0;
  if (!"234568".includes(text[start] ?? "")) return undefined;
  let digits = "";
  let end: number | undefined;
  for (let index = first; index < groups.length; index++) {
    const group = groups[index];
    if (!group || digits.length + group.end - group.start > DIGITS_MAX) break;
    digits += text.slice(group.start, group.end);
    if (isCardNumber(digits) && isCardLayout(groups, first, index) && standsAlone(text, start, group.end))
      end = group.end;
    if (group.joint !== " " && group.joint !== "-" && group.joint !== ".") break;
  }
  return end;
}

/** Accepts one run of digits, groups with at least four digits in the first, and single digits. */
function isCardLayout(groups: readonly NumberGroup[], first: number, last: number): boolean {
  const sizes = groups.slice(first, last + 1).map((group) => group.end - group.start);
  if ((sizes[0] ?? 0) >= 4) return sizes.every((size) => size >= 2);
  const neighbours = [first > 0 && groups[first - 1]?.joint, groups[last]?.joint];
  return sizes.every((size) => size === 1) && !neighbours.some(Boolean);
}

function isCardNumber(digits: string): boolean {
  return digits.length >= DIGITS_MIN && isIssued(digits) && passesLuhn(digits);
}

/** Checks the first digits and lengths that card networks use. This excludes time stamps, article numbers and most other ids. */
function isIssued(digits: string): boolean {
  const length = digits.length;
  const head = Number(digits.slice(0, 4));
  if (digits[0] === "4") return length === 13 || length === 16 || length === 19;
  if (digits[0] === "2")
    return length === 16 && ((head >= 2200 && head <= 2204) || (head >= 2221 && head <= 2720));
  if (digits[0] === "3") return length === 14 || length === 15 || length === 16 || length === 19;
  if (digits[0] === "8") return length === 16 && head >= 8100 && head <= 8299;
  return length >= 14;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 0x30;
    sum += place % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

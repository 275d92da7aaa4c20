import { creditCardEnd } from "./credit-card.ts";
import { isEmailCharacter, nextEmail } from "./email.ts";
import { isInAccountNumber, isNumberCharacter, type NumberGroup, numberGroups } from "./number-groups.ts";
import { phoneNumber } from "./phone-number.ts";
import { socialSecurityNumberEnd } from "./social-security-number.ts";

export const piiEntities = ["email", "phone", "ssn", "credit_card"] as const;
export type PiiEntity = (typeof piiEntities)[number];

export interface PiiMatch {
  entity: PiiEntity;
  start: number;
  end: number;
}

/** Maximum length of an address and of a number, including the text that decides on its end. */
const EMAIL_REACH = 256;
const NUMBER_REACH = 128;

/** Characters before a position that can affect the decision on it. */
export const PII_CONTEXT = 80;

/**
 * Finds the `entities` in `text` from `from` on, in order and without overlaps; earlier text is context. If two overlap, the one that
 * begins first counts. `taken`: end of the last match before `from`. Linear.
 */
export function findPii(text: string, entities: ReadonlySet<PiiEntity>, from = 0, taken = 0): PiiMatch[] {
  const matches: PiiMatch[] = [];
  let free = taken;
  let email = emailFrom(text, entities, from, free);
  const groups = entities.size > 1 || !entities.has("email") ? numberGroups(text) : [];
  for (let first = 0; first < groups.length; first++) {
    const start = groups[first]?.start ?? 0;
    while (email !== undefined && email.end <= start) {
      matches.push(email);
      free = email.end;
      email = emailFrom(text, entities, from, free);
    }
    if (start < Math.max(from, free) || (email !== undefined && email.start <= start)) continue;
    const number = numberAt(text, entities, groups, first);
    if (number === undefined || number.start < Math.max(from, free)) continue;
    matches.push(number);
    free = number.end;
    if (email !== undefined && email.start < number.end) email = emailFrom(text, entities, from, free);
  }
  while (email !== undefined) {
    matches.push(email);
    free = email.end;
    email = emailFrom(text, entities, from, free);
  }
  return matches;
}

function emailFrom(
  text: string,
  entities: ReadonlySet<PiiEntity>,
  from: number,
  free: number,
): PiiMatch | undefined {
  const span = entities.has("email") ? nextEmail(text, Math.max(from, free), free) : undefined;
  return span && { entity: "email", ...span };
}

function numberAt(
  text: string,
  entities: ReadonlySet<PiiEntity>,
  groups: readonly NumberGroup[],
  first: number,
): PiiMatch | undefined {
  const start = groups[first]?.start ?? 0;
  if (isInAccountNumber(text, groups, first)) return undefined;
  const card = entities.has("credit_card") ? creditCardEnd(text, groups, first) : undefined;
  if (card !== undefined) return { entity: "credit_card", start, end: card };
  const ssn = entities.has("ssn") ? socialSecurityNumberEnd(text, groups, first) : undefined;
  if (ssn !== undefined) return { entity: "ssn", start, end: ssn };
  const phone = entities.has("phone") ? phoneNumber(text, groups, first) : undefined;
  return phone && { entity: "phone", ...phone };
}

const mayBeginNumber = /[\d+(]/;

/** Position from which more text could still change the result of `findPii`; at most 256 characters before the end. */
export function undecidedFrom(text: string, entities: ReadonlySet<PiiEntity>, from: number): number {
  let address = text.length;
  if (entities.has("email")) address = suffixStart(text, from, EMAIL_REACH, isEmailCharacter);
  if (entities.size === 1 && entities.has("email")) return address;
  const end = text.endsWith(":") ? text.length - 1 : text.length; // a digit may follow and turn it into a time
  let number = suffixStart(text.slice(0, end), from, NUMBER_REACH, isNumberCharacter);
  while (number < end && !mayBeginNumber.test(text[number] ?? "")) number++;
  return Math.min(address, number === end ? text.length : number);
}

function suffixStart(
  text: string,
  from: number,
  reach: number,
  belongs: (character: string) => boolean,
): number {
  const least = Math.max(from, text.length - reach);
  let start = text.length;
  while (start > least && belongs(text[start - 1] ?? "")) start--;
  return start;
}

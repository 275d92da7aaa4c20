/** A run of digits and its connection to the next one. */
export interface NumberGroup {
  start: number;
  end: number;
  /**
   * Separator before the next group: a space, `-`, `.`, `/`, a bracket, or a bracket with a dash. Undefined if anything else or anything
   * longer is in between.
   */
  joint: string | undefined;
}

/** Longest text between two groups of one number (` - `). */
const JOINT_MAX = 3;

/** All runs of digits in `text`. One pass. */
export function numberGroups(text: string): NumberGroup[] {
  const groups: NumberGroup[] = [];
  let last: NumberGroup | undefined;
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (last && at - last.end <= JOINT_MAX) last.joint = jointOf(text.slice(last.end, at));
    last = { start: at, end, joint: undefined };
    groups.push(last);
    at = end;
  }
  return groups;
}

const joints = new Set([" ", "-", ".", "/", "(", ")", ")-", ")/", "-("]);

const spaces = /[ \u00a0\u2009\u202f]/g;
const dashes = /[\u2010-\u2013\u2212]/g;

function jointOf(between: string): string | undefined {
  if (between.length === 1 && between.charCodeAt(0) < 0x80) {
    return joints.has(between) ? between : undefined;
  }
  const marks = between.replace(spaces, "").replace(dashes, "-");
  if (marks === "") return between.length === 1 ? " " : undefined;
  return joints.has(marks) ? marks : undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

const numberCharacter = /[\d +()./\u00a0\u2009\u202f\u2010-\u2013\u2212-]/;

/** Returns true if the character may be part of a number written in groups. */
export function isNumberCharacter(character: string): boolean {
  return numberCharacter.test(character);
}

/** Maximum distance to the beginning of an account number, in characters. */
const ACCOUNT_REACH = 40;
const countryCode = /(?:^|[^A-Za-z])[A-Z]{2}$/;

/** Returns true if the group continues an international bank account number (`DE89 3704 0044 …`). */
export function isInAccountNumber(text: string, groups: readonly NumberGroup[], index: number): boolean {
  const least = (groups[index]?.start ?? 0) - ACCOUNT_REACH;
  if (groups[index - 1]?.joint !== " ") return false;
  let first = index;
  while (groups[first - 1]?.joint === " " && (groups[first - 1]?.start ?? 0) > least) first--;
  const { start = 0, end = 0 } = groups[first] ?? {};
  return first < index && end - start === 2 && countryCode.test(text.slice(Math.max(0, start - 3), start));
}

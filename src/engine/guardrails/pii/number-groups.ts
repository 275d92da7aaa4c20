/** A run of digits, and what joins it to the next one. */
export interface NumberGroup {
  start: number;
  end: number;
  /**
   * How the next group goes on after this one: a space, `-`, `.`, `/`, a bracket, or a bracket with a dash; undefined
   * when something else, or too much, stands between.
   */
  joint: string | undefined;
}

/** Longest text between two groups of one number (` - `). */
const JOINT_MAX = 3;

/** All runs of digits of `text`. One pass. */
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

function jointOf(between: string): string | undefined {
  const marks = between.replace(/[ \u00a0\u2009\u202f]/g, "").replace(/[\u2010-\u2013\u2212]/g, "-");
  if (marks === "") return between.length === 1 ? " " : undefined;
  return joints.has(marks) ? marks : undefined;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether a character may stand inside a number that is written in groups. */
export function isNumberCharacter(character: string): boolean {
  return /[\d +()./\u00a0\u2009\u202f\u2010-\u2013\u2212-]/.test(character);
}

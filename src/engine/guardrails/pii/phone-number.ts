import type { NumberGroup } from "./number-groups.ts";
import { endsAlone, standsAlone } from "./text-boundary.ts";

export interface TextSpan {
  start: number;
  end: number;
}

/**
 * The phone number that begins at group `first`; undefined if there is none. It is international with `+` or `00`, national in a common
 * layout, or follows a word such as "tel". Bare digits alone are not a phone number.
 */
export function phoneNumber(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
): TextSpan | undefined {
  const head = groups[first];
  if (!head || isDate(text, groups, first)) return undefined;
  const opened = openedAt(text, head.start);
  return (
    international(text, groups, first, opened) ??
    (opened.plus
      ? undefined
      : (national(text, groups, first, opened) ?? announced(text, groups, first, opened)))
  );
}

/** Characters right before the first digit: `+`, `(`, or both. */
interface Opening {
  start: number;
  plus: boolean;
  bracket: boolean;
}

function openedAt(text: string, start: number): Opening {
  const plus = text[start - 1] === "+";
  const outer = plus ? start - 1 : start;
  const bracket = text[outer - 1] === "(";
  return { start: bracket ? outer - 1 : outer, plus, bracket };
}

/** A bracket that closes later in the text (`(tel. 555-123-4567)`) isn't part of the number. */
function spanOf(
  text: string,
  groups: readonly NumberGroup[],
  last: number,
  opened: Opening,
): TextSpan | undefined {
  const end = groups[last]?.end ?? 0;
  const inner =
    opened.bracket && !text.slice(opened.start, end).includes(")") ? opened.start + 1 : opened.start;
  return standsAlone(text, inner, end) ? { start: inner, end } : undefined;
}

function international(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
  opened: Opening,
): TextSpan | undefined {
  const lead = digitsOf(text, groups, first);
  let prefix = 0;
  if (!opened.plus) {
    if (lead === "011" || lead.startsWith("00")) prefix = lead === "011" ? 3 : 2;
    if (prefix === 0 || (lead.length > prefix && lead[prefix] === "0")) return undefined;
  }
  const country = lead.length > prefix ? lead[prefix] : text[groups[first + 1]?.start ?? -1];
  if (country === undefined || country === "0") return undefined;
  const closedPlan = country === "1" || country === "7"; // eleven digits including the country code
  const max = closedPlan ? 11 : lead.length - prefix > 8 ? 15 : 13;
  const last = longest(text, groups, first, max + prefix, (count) => count - prefix >= (closedPlan ? 11 : 8));
  return last === undefined ? undefined : spanOf(text, groups, last, opened);
}

/** Layouts by group sizes, with the required first digits. */
const layouts: readonly { sizes: readonly number[]; begins: RegExp; joints?: string }[] = [
  { sizes: [3, 3, 4], begins: /^/, joints: "-)" },
  { sizes: [3, 3, 4], begins: /^[2-9]/ },
  { sizes: [1, 3, 3, 4], begins: /^1/ },
  { sizes: [1, 3, 3, 2, 2], begins: /^[78]/ },
  { sizes: [3, 4, 4], begins: /^1[3-9]/ },
  { sizes: [5, 5], begins: /^[6-9]/ },
  { sizes: [2, 4, 4], begins: /^[1-9]/ },
  { sizes: [3, 3, 2, 2], begins: /^[2-9]/ },
  { sizes: [2, 3, 2, 2], begins: /^[2-9]/ },
  { sizes: [3, 2, 2, 2], begins: /^[2-9]/ },
];

function national(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
  opened: Opening,
): TextSpan | undefined {
  const lead = digitsOf(text, groups, first);
  for (const { sizes, begins, joints } of layouts) {
    const last = lead.length === sizes[0] ? laidOut(groups, first, sizes) : undefined;
    if (last === undefined || !begins.test(lead)) continue;
    if (joints && !joints.includes(groups[first]?.joint?.[0] ?? " ")) continue;
    const span = spanOf(text, groups, last, opened);
    if (span && !isCountOfThousands(groups, first, last)) return span;
  }
  const inBrackets = opened.bracket && groups[first]?.joint?.startsWith(")") === true;
  const trunk = lead[0] === "0" && lead.length >= 2 && lead.length <= 5 && lead[1] !== "0";
  if (!trunk && !(inBrackets && lead.length >= 2 && lead.length <= 5)) return undefined;
  const last = longest(text, groups, first, 12, (count, index) => count >= 9 && index > first);
  if (last === undefined || isAddress(groups, first)) return undefined;
  return spanOf(text, groups, last, opened);
}

const ANNOUNCEMENT_MAX = 28;
const announcement =
  /(?:^|[^\p{L}])(?:tel|tél|phone|telephone|mobile|mob|cell|call|fax|whatsapp|sms|telefon|teléfono|telefono|móvil|movil|celular|handy)(?:[\s:.#()-]|number|no|me|us|at|on|is)*$/iu;

function announced(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
  opened: Opening,
): TextSpan | undefined {
  const before = text.slice(Math.max(0, opened.start - ANNOUNCEMENT_MAX), opened.start);
  if (!announcement.test(before)) return undefined;
  const last = longest(text, groups, first, 13, (count) => count >= 7);
  return last === undefined ? undefined : spanOf(text, groups, last, opened);
}

/** Last group with which the number has an acceptable count of digits, at most `max`, and is not part of another word or number. */
function longest(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
  max: number,
  accepts: (count: number, index: number) => boolean,
): number | undefined {
  let count = 0;
  let lastGroup: number | undefined;
  for (let index = first; index < groups.length; index++) {
    const group = groups[index];
    if (!group || (index > first && isDate(text, groups, index))) break;
    count += group.end - group.start;
    if (count > max) break;
    if (accepts(count, index) && endsAlone(text, group.end)) lastGroup = index;
    if (group.joint === undefined) break;
  }
  return lastGroup;
}

function laidOut(
  groups: readonly NumberGroup[],
  first: number,
  sizes: readonly number[],
): number | undefined {
  for (let offset = 0; offset < sizes.length; offset++) {
    const group = groups[first + offset];
    if (!group || group.end - group.start !== sizes[offset]) return undefined;
    if (offset < sizes.length - 1 && group.joint === undefined) return undefined;
  }
  return first + sizes.length - 1;
}

const dateJoints: ReadonlySet<string | undefined> = new Set(["-", ".", "/", " "]);
const year = /^(?:19|20)\d\d$/;

/** `2024-01-15`, `15.01.2024`, `1/15/2024`. */
function isDate(text: string, groups: readonly NumberGroup[], first: number): boolean {
  const a = groups[first];
  if (a === undefined || !dateJoints.has(a.joint) || a.joint !== groups[first + 1]?.joint) return false;
  if (groups[first + 2] === undefined) return false;
  const x = digitsOf(text, groups, first);
  const y = digitsOf(text, groups, first + 1);
  const z = digitsOf(text, groups, first + 2);
  return (year.test(x) && isDay(y) && isDay(z)) || (isDay(x) && isDay(y) && year.test(z));
}

function isDay(part: string): boolean {
  return part.length <= 2 && Number(part) >= 1 && Number(part) <= 31;
}

/** Four groups of up to three digits separated by dots: an IP address. */
function isAddress(groups: readonly NumberGroup[], first: number): boolean {
  const parts = groups.slice(first, first + 4);
  return (
    parts.length === 4 &&
    parts.slice(0, 3).every(({ joint }) => joint === ".") &&
    parts.every(({ start, end }) => end - start <= 3)
  );
}

/** Returns true if more digits follow after a space, as in a table of figures. */
function isCountOfThousands(groups: readonly NumberGroup[], first: number, last: number): boolean {
  const spaced = (index: number) => groups[index]?.joint === " ";
  return spaced(first) && (spaced(last) || (first > 0 && spaced(first - 1)));
}

function digitsOf(text: string, groups: readonly NumberGroup[], index: number): string {
  const group = groups[index];
  return group ? text.slice(group.start, group.end) : "";
}

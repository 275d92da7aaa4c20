import { isIPv4, isIPv6 } from "node:net";

/*
 * Checks for `format`, which JSON Schema 2020-12 leaves to each implementation. Other formats are refused when the agent loads. Every check
 * is one pass over the text.
 */
export const stringFormats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  "date-time": isDateTime,
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isIPv6(text) && !text.includes("%"),
  uri: isUri,
  uuid: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text),
};

/** `full-date` of RFC 3339 with a valid day of the calendar. */
function isDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** `full-time` of RFC 3339; a leap second is accepted in any minute. */
function isTime(text: string): boolean {
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?(?:z|[+-]([0-9]{2}):([0-9]{2}))$/i.exec(
    text,
  );
  if (!match) return false;
  const [hour = 0, minute = 0, second = 0, aheadHours = 0, aheadMinutes = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return hour < 24 && minute < 60 && second <= 60 && aheadHours < 24 && aheadMinutes < 60;
}

function isDateTime(text: string): boolean {
  return /^[t ]$/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** `duration` of RFC 3339: only weeks, or days and times with at least one of them. */
function isDuration(text: string): boolean {
  if (/^P[0-9]{1,18}W$/.test(text)) return true;
  const digits = "[0-9]{1,18}";
  const form = `^P(?:${digits}Y)?(?:${digits}M)?(?:${digits}D)?(?:T(?:${digits}H)?(?:${digits}M)?(?:${digits}S)?)?$`;
  return new RegExp(form).test(text) && /[0-9][A-Z]$/.test(text);
}

/** An e-mail address as in web forms: no quotes, comments or address literals. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  if (text.length > 320 || local === "" || local.length > 64) return false;
  const isDotted = !local.startsWith(".") && !local.endsWith(".") && !local.includes("..");
  return isDotted && /^[^\s@"(),:;<>[\\\]\p{Cc}]+$/u.test(local) && isHostname(text.slice(at + 1));
}

function isHostname(text: string): boolean {
  if (text.length > 253) return false;
  return text
    .split(".")
    .every((label) => label.length <= 63 && /^[a-z0-9-]+$/i.test(label) && !/^-|-$/.test(label));
}

/** An absolute URI in the characters of RFC 3986. */
function isUri(text: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:[a-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/i.test(text) &&
    !/%(?![0-9a-f]{2})/i.test(text) &&
    (!/^https?:/i.test(text) || URL.canParse(text))
  );
}

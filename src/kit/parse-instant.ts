const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2}))?)?$/;

/**
 * Returns the instant that an ISO 8601 text names, to the millisecond: a day, or a day and a time with or without seconds. Without a zone,
 * it is UTC. Returns undefined for any other text, and for dates and times that do not exist.
 */
export function parseInstant(text: string): Date | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", sign, ...zone] = match;
  const [zoneHours = 0, zoneMinutes = 0] = zone.map((digits) => Number(digits ?? 0));
  const parts = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mon = 0, d = 0, h = 0, min = 0, s = 0] = parts;
  if (h > 23 || min > 59 || s > 59 || zoneHours > 23 || zoneMinutes > 59) return undefined;
  const local = new Date(0);
  local.setUTCFullYear(y, mon - 1, d);
  if (local.getUTCMonth() !== mon - 1 || local.getUTCDate() !== d) return undefined;
  const milliseconds = Math.floor(Number(`0.${fraction}0`) * 1000);
  const offsetMinutes = (sign === "-" ? -1 : 1) * (zoneHours * 60 + zoneMinutes);
  return new Date(local.getTime() + ((h * 60 + min - offsetMinutes) * 60 + s) * 1000 + milliseconds);
}

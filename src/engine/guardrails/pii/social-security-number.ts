import type { NumberGroup } from "./number-groups.ts";
import { standsAlone } from "./text-boundary.ts";

/**
 * End of the US social security number that begins at group `first`; undefined if there is none. Nine bare digits count only after an
 * announcing word.
 */
export function socialSecurityNumberEnd(
  text: string,
  groups: readonly NumberGroup[],
  first: number,
): number | undefined {
  const area = groups[first];
  const group = groups[first + 1];
  const serial = groups[first + 2];
  if (!area) return undefined;
  if (area.end - area.start === 9) {
    const digits = text.slice(area.start, area.end);
    const issued = isIssued(digits.slice(0, 3), digits.slice(3, 5), digits.slice(5));
    return issued && isAnnounced(text, area.start) && standsAlone(text, area.start, area.end)
      ? area.end
      : undefined;
  }
  if (!group || !serial || area.joint !== group.joint) return undefined;
  if (area.end - area.start !== 3 || group.end - group.start !== 2 || serial.end - serial.start !== 4)
    return undefined;
  if (!["-", " ", "."].includes(area.joint ?? "")) return undefined;
  const parts = [area, group, serial].map(({ start, end }) => text.slice(start, end));
  const goesOn =
    area.joint === " " && (serial.joint === " " || (first > 0 && groups[first - 1]?.joint === " "));
  if (!isIssued(parts[0] ?? "", parts[1] ?? "", parts[2] ?? "") || goesOn) return undefined;
  return standsAlone(text, area.start, serial.end) ? serial.end : undefined;
}

/** Areas 000, 666 and from 900, group 00 and serial 0000 are never issued. */
function isIssued(area: string, group: string, serial: string): boolean {
  return area !== "000" && area !== "666" && area < "900" && group !== "00" && serial !== "0000";
}

const ANNOUNCEMENT_MAX = 32;

function isAnnounced(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - ANNOUNCEMENT_MAX), start).toLowerCase();
  return /(?:\bssns?|social security)\b[^\d.\n]*$/.test(before);
}

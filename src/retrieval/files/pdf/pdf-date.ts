const pattern = /^(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:(Z)|([+-])(\d{2})'?(\d{2})?'?)?/;

/** Converts a PDF date (`D:20260102030405+01'00'`) to an ISO 8601 instant in UTC; undefined if it is invalid. */
export function readPdfDate(text: string | undefined): string | undefined {
  const parts = pattern.exec(text ?? "");
  if (parts === null) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00"] = parts;
  const [sign, offsetHours = "00", offsetMinutes = "00"] = parts.slice(8);
  const zone = sign === undefined ? "Z" : `${sign}${offsetHours}:${offsetMinutes}`;
  const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

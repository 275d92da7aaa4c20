import { Type } from "@sinclair/typebox";
import { closed } from "../../../manifest/schema-vocabulary.ts";
import { builtinTool } from "./builtin-tool.ts";

/** Formatters are dear to make and few are needed; names come from models, so their number is bounded. */
const formattersMax = 100;

/** The present date and time in a time zone. */
export const datetimeNow = builtinTool({
  name: "datetime_now",
  description: "The current date and time, in UTC or in a named time zone.",
  parameters: closed({
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "IANA time zone such as Europe/Paris; an unknown one counts as UTC.",
      }),
    ),
  }),
  options: closed({}),
  build(_options, { clock }) {
    const formatters = new Map<string, Intl.DateTimeFormat>();
    return async ({ timezone = "UTC" }) => {
      const now = clock.now();
      const formatter = formatters.get(timezone) ?? formatterFor(timezone);
      if (formatters.size < formattersMax) formatters.set(timezone, formatter);
      return {
        success: true,
        data: {
          datetime: isoIn(formatter, now),
          timezone: formatter.resolvedOptions().timeZone,
          unix_timestamp: Math.floor(now.getTime() / 1000),
        },
      };
    };
  },
});

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  const fields = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { ...fields, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-US", { ...fields, timeZone: "UTC" });
  }
}

/** ISO 8601 with the zone's offset: `2026-01-31T09:00:00+01:00`. */
function isoIn(formatter: Intl.DateTimeFormat, instant: Date): string {
  const parts = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
  const year = part("year").padStart(4, "0");
  return `${year}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
}

import { formatAgo, formatInstant } from "./format.ts";
import { useMinuteTick } from "./minute-tick.tsx";

/** A relative time, which moves on each minute; its tooltip has the exact one. */
export function Instant({ iso }: { iso: string }) {
  useMinuteTick();
  return (
    <time dateTime={iso} title={formatInstant(iso)}>
      {formatAgo(iso, Date.now())}
    </time>
  );
}

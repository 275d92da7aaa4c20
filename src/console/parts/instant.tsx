import { formatAgo, formatInstant } from "./format.ts";

/** A moment, as long ago as it is; pointing at it tells it exactly. */
export function Instant({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatInstant(iso)}>
      {formatAgo(iso, Date.now())}
    </time>
  );
}

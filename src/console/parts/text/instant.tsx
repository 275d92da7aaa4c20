import { formatAgo, formatInstant } from "./format.ts";

/** A relative time; its tooltip has the exact one. */
export function Instant({ iso }: { iso: string }) {
  return (
    <time dateTime={iso} title={formatInstant(iso)}>
      {formatAgo(iso, Date.now())}
    </time>
  );
}

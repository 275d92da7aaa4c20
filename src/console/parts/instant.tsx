import { Tooltip } from "@mantine/core";
import { formatAgo, formatInstant } from "./format.ts";

/** A moment, as long ago as it is; the tooltip has it exactly. */
export function Instant({ iso }: { iso: string }) {
  return (
    <Tooltip label={formatInstant(iso)}>
      <time dateTime={iso}>{formatAgo(iso, Date.now())}</time>
    </Tooltip>
  );
}

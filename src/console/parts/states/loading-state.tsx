import { Skeleton, Stack } from "@mantine/core";
import { shellTexts } from "../../texts/shell.ts";

/** Placeholder while content loads, with lines of about its size to avoid layout shifts. */
export function LoadingState({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap={10} role="status" aria-label={shellTexts.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <Skeleton key={row} height={row === 0 ? 26 : 18} width={`${92 - ((row * 13) % 40)}%`} />
      ))}
    </Stack>
  );
}

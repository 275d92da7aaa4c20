import { Skeleton, Stack } from "@mantine/core";
import { shellTexts } from "../texts/shell.ts";

/** In the place of what is on its way: lines of about its size, so that nothing jumps. */
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

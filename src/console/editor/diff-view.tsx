import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { MergeViewProps } from "./merge-view.tsx";

const MergeView = lazy(() => import("./merge-view.tsx"));

/** Two texts and their differences. Its code is loaded when the first one is shown. */
export function DiffView(props: MergeViewProps) {
  return (
    <Suspense fallback={<Skeleton height={240} />}>
      <MergeView {...props} />
    </Suspense>
  );
}

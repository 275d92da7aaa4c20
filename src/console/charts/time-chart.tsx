import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import { partTexts } from "../texts/parts.ts";
import type { TimeChartViewProps } from "./time-chart-view.tsx";

const TimeChartView = lazy(() => import("./time-chart-view.tsx"));

/** Values over time; the same numbers stand in a table beside it for who can't see a chart. Loaded when first shown. */
export function TimeChart(props: TimeChartViewProps & { label: string }) {
  const { label, ...view } = props;
  return (
    <figure className="ar-chart" aria-label={partTexts.chart(label)}>
      <div aria-hidden="true">
        <Suspense fallback={<Skeleton height={props.height ?? 220} />}>
          <TimeChartView {...view} />
        </Suspense>
      </div>
    </figure>
  );
}

import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import { partTexts } from "../texts/parts.ts";
import type { TimeChartViewProps } from "./time-chart-view.tsx";

const TimeChartView = lazy(() => import("./time-chart-view.tsx"));

/** A chart of values over time, with the same numbers in a table for screen readers. Loaded when first shown. */
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

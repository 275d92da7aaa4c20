import type { UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Trace } from "../../../contracts/daemon/runs/run.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { SpanDetails } from "./span-details.tsx";
import { SpanTree } from "./span-tree.tsx";
import { layoutTimeline } from "./timeline.ts";

/** Value in the address that selects the first model call, whatever its span's id. */
const firstCall = "first-call";

interface SpanExplorerProps {
  trace: Trace;
  /** The recording of the run, if there may be one. */
  cassette?: UseQueryResult<Cassette | null>;
}

/** The timeline of a trace, and next to it the details of the selected span. */
export function SpanExplorer({ trace, cassette }: SpanExplorerProps) {
  const [wanted, select] = useUrlState("span");
  const timeline = useMemo(() => layoutTimeline(trace), [trace]);
  const isWanted =
    wanted === firstCall
      ? (name: string) => name === "llm.complete"
      : (_name: string, id: string) => id === wanted;
  const { rows } = timeline;
  const row = rows.find(({ span }) => isWanted(span.name, span.span_id)) ?? rows[0];
  if (row === undefined) return null;
  return (
    <div className="ar-trace">
      <SpanTree timeline={timeline} selected={row.span.span_id} select={select} />
      <SpanDetails row={row} {...(cassette && { cassette })} />
    </div>
  );
}

import { Title } from "@mantine/core";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { formatDuration } from "../../parts/text/format.ts";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { SpanRow } from "./span-row.tsx";
import { axisTicks, moveInTree, type Timeline, visibleRows } from "./timeline.ts";

interface SpanTreeProps {
  timeline: Timeline;
  selected: string;
  select: (span: string) => void;
}

/** The spans as a tree with bars over time, fully usable by keyboard. */
export function SpanTree({ timeline, selected, select }: SpanTreeProps) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const tree = useRef<HTMLDivElement>(null);
  const byKey = useRef(false);
  const titleId = useId();
  const rows = visibleRows(timeline.rows, closed);
  const hasSelected = rows.some(({ span }) => span.span_id === selected);

  const toggle = (span: string) =>
    setClosed((now) => {
      const next = new Set(now);
      if (!next.delete(span)) next.add(span);
      return next;
    });
  const press = (event: KeyboardEvent) => {
    const move = moveInTree(rows, closed, selected, event.key);
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if ("select" in move) {
      byKey.current = true;
      select(move.select);
    } else toggle("open" in move ? move.open : move.close);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: when another one is chosen
  useEffect(() => {
    if (!byKey.current) return;
    byKey.current = false;
    tree.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }, [selected]);

  return (
    <section className="ar-panel" aria-labelledby={titleId}>
      <div className="ar-panel-head">
        <Title order={2} size="h3" id={titleId}>
          {texts.timeline}
        </Title>
      </div>
      <div className="ar-axis" aria-hidden="true">
        <span>{texts.span}</span>
        <span className="ar-axis-ticks">
          {axisTicks(timeline.totalMs).map((tick) => (
            <i
              key={tick}
              // At the end of the axis, a label in the middle of its tick would leave the panel.
              className={tick > timeline.totalMs * 0.85 ? "ar-last-tick" : undefined}
              style={{ left: `${(tick / timeline.totalMs) * 100}%` }}
            >
              {tick === 0 ? "0" : formatDuration(tick)}
            </i>
          ))}
        </span>
      </div>
      <div role="tree" ref={tree} aria-labelledby={titleId} onKeyDown={press}>
        {rows.map((row, at) => {
          const isSelected = row.span.span_id === selected;
          return (
            <SpanRow
              key={row.span.span_id}
              row={row}
              isSelected={isSelected}
              // If the selected span is folded away, the first row takes the focus.
              isEntry={hasSelected ? isSelected : at === 0}
              isClosed={closed.has(row.span.span_id)}
              select={() => select(row.span.span_id)}
              toggle={() => toggle(row.span.span_id)}
            />
          );
        })}
      </div>
      <p className="ar-soft ar-tree-hint">{texts.timelineHint}</p>
    </section>
  );
}

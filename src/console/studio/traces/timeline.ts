import type { Span, Trace } from "../../../contracts/daemon/runs/run.ts";

/** A span in the tree, and on the trace's time axis. */
export interface TimelineRow {
  span: Span;
  /** 0 for the root. */
  depth: number;
  parent: string | undefined;
  hasChildren: boolean;
  /** Milliseconds since the start of the trace. */
  startMs: number;
  /** Shares of the whole axis, 0 to 1. */
  offset: number;
  width: number;
  /** Milliseconds in which none of its children was running. */
  ownMs: number;
}

export interface Timeline {
  /** Rows depth first, siblings by start. */
  rows: TimelineRow[];
  totalMs: number;
}

/** Lays out the spans of a trace as a tree over time. A span whose parent is missing is at the top level. */
export function layoutTimeline({ spans, start_time: start, duration_ms: durationMs }: Trace): Timeline {
  const originMs = Date.parse(start);
  const startOf = (span: Span) => Math.max(0, Date.parse(span.start_time) - originMs);
  const totalMs = Math.max(durationMs, ...spans.map((span) => startOf(span) + span.duration_ms));
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const parentOf = ({ parent_span_id: parent }: Span) =>
    parent !== undefined && ids.has(parent) ? parent : undefined;
  // Starts are in whole milliseconds. Spans with equal starts keep the order of the trace, in which they began.
  const children = Map.groupBy(
    spans.toSorted((a, b) => startOf(a) - startOf(b)),
    parentOf,
  );
  const rows: TimelineRow[] = [];
  const visit = (parent: string | undefined, depth: number) => {
    for (const span of children.get(parent) ?? []) {
      const below = children.get(span.span_id) ?? [];
      const startMs = startOf(span);
      const offset = totalMs === 0 ? 0 : Math.min(1, startMs / totalMs);
      const width = totalMs === 0 ? 1 : Math.min(1 - offset, span.duration_ms / totalMs);
      const ownMs = Math.max(0, span.duration_ms - coveredMs(below, startOf));
      rows.push({ span, depth, parent, hasChildren: below.length > 0, startMs, offset, width, ownMs });
      visit(span.span_id, depth + 1);
    }
  };
  visit(undefined, 0);
  return { rows, totalMs };
}

/** Returns the time in which at least one span was running. Expects the spans in order of start. */
function coveredMs(spans: readonly Span[], startOf: (span: Span) => number): number {
  let covered = 0;
  let reached = 0;
  for (const span of spans) {
    const from = Math.max(reached, startOf(span));
    const to = startOf(span) + span.duration_ms;
    covered += Math.max(0, to - from);
    reached = Math.max(reached, to);
  }
  return covered;
}

/** Returns the rows that remain visible if some spans are folded. */
export function visibleRows(rows: readonly TimelineRow[], closed: ReadonlySet<string>): TimelineRow[] {
  const hidden = new Set<string>();
  return rows.filter(({ span, parent }) => {
    const isHidden = parent !== undefined && (closed.has(parent) || hidden.has(parent));
    if (isHidden) hidden.add(span.span_id);
    return !isHidden;
  });
}

export type TreeMove = { select: string } | { open: string } | { close: string };

/** Returns the effect of a key in the tree, as in standard tree widgets; undefined if it has none. */
export function moveInTree(
  rows: readonly TimelineRow[],
  closed: ReadonlySet<string>,
  current: string,
  key: string,
): TreeMove | undefined {
  const at = rows.findIndex(({ span }) => span.span_id === current);
  const row = rows[at];
  if (row === undefined) return undefined;
  const to = (target: TimelineRow | undefined): TreeMove | undefined =>
    target === undefined || target === row ? undefined : { select: target.span.span_id };
  switch (key) {
    case "ArrowDown":
      return to(rows[at + 1]);
    case "ArrowUp":
      return to(rows[at - 1]);
    case "Home":
      return to(rows[0]);
    case "End":
      return to(rows.at(-1));
    case "ArrowRight":
      if (!row.hasChildren) return undefined;
      return closed.has(current) ? { open: current } : to(rows[at + 1]);
    case "ArrowLeft":
      if (row.hasChildren && !closed.has(current)) return { close: current };
      return row.parent === undefined ? undefined : { select: row.parent };
    default:
      return undefined;
  }
}

const steps = [1, 2, 5, 10, 20];

/** Returns round values for the axis: at most `most` after 0, the last within `totalMs`. */
export function axisTicks(totalMs: number, most = 3): number[] {
  // A microsecond is less than any axis shows; below it, the arithmetic has no digits left.
  if (!(totalMs > 0.001) || !Number.isFinite(totalMs)) return [0];
  const size = 10 ** Math.floor(Math.log10(totalMs / most));
  const step = size * (steps.find((wide) => totalMs / (size * wide) <= most) ?? 10);
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, count) => count * step);
}

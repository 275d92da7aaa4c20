import type { Span, Trace } from "../../contracts/daemon/runs/run.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { layoutTable } from "../terminal/table.ts";

/** Formats a trace as lines: a head, then its spans indented under their parents, each with its duration and attributes. */
export function traceLines(trace: Trace, widthMax?: number): Inline[][] {
  const head: Inline[] = [
    paint("bold", trace.agent),
    ` ${trace.status} ${milliseconds(trace.duration_ms)} ${trace.start_time} `,
    paint("dim", `trace ${trace.trace_id} session ${trace.session_id}`),
  ];
  const rows = spansInOrder(trace.spans).map(({ span, depth }): Inline[] => [
    // A table cell drops leading blanks, so the indent is drawn.
    `${"│ ".repeat(depth)}${span.name}`,
    milliseconds(span.duration_ms),
    span.status === "ERROR" ? paint("red", span.status) : span.status,
    paint("dim", attributes(span)),
  ]);
  return [head, ...layoutTable(rows, widthMax)];
}

/** Orders spans depth first, siblings by start. A span whose parent is not in the trace is at the top level. */
function spansInOrder(spans: readonly Span[]): { span: Span; depth: number }[] {
  const ids = new Set(spans.map((span) => span.span_id));
  const children = Map.groupBy(
    spans.toSorted((a, b) => a.start_time.localeCompare(b.start_time)),
    (span) =>
      span.parent_span_id !== undefined && ids.has(span.parent_span_id) ? span.parent_span_id : undefined,
  );
  const ordered: { span: Span; depth: number }[] = [];
  const visit = (parent: string | undefined, depth: number) => {
    for (const span of children.get(parent) ?? []) {
      ordered.push({ span, depth });
      visit(span.span_id, depth + 1);
    }
  };
  visit(undefined, 0);
  return ordered;
}

function attributes(span: Span): string {
  return Object.entries(span.attributes)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

/** Formats a duration for people, with three significant digits. */
export function milliseconds(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
}

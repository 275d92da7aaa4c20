import { formatDuration } from "../../parts/text/format.ts";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { spanKind, spanLabel, spanSubject } from "./span-names.ts";
import type { TimelineRow } from "./timeline.ts";

interface SpanRowProps {
  row: TimelineRow;
  isSelected: boolean;
  /** True for the row that takes the keyboard focus. */
  isEntry: boolean;
  isClosed: boolean;
  select: () => void;
  toggle: () => void;
}

/** A span of the timeline: its name, its duration and its bar. */
export function SpanRow({ row, isSelected, isEntry, isClosed, select, toggle }: SpanRowProps) {
  const { span, depth, hasChildren, offset, width } = row;
  const subject = spanSubject(span);
  const duration = formatDuration(span.duration_ms);
  const hasFailed = span.status === "ERROR";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? !isClosed : undefined}
      tabIndex={isEntry ? 0 : -1}
      className="ar-span-row"
      data-kind={spanKind(span)}
      data-failed={hasFailed || undefined}
      onClick={select}
    >
      <span className="ar-span-name" style={{ paddingLeft: depth * 14 }}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: left and right do the same */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: for the mouse alone */}
        <span
          className="ar-span-fold"
          data-open={(hasChildren && !isClosed) || undefined}
          data-fold={hasChildren || undefined}
          onClick={(event) => {
            if (!hasChildren) return;
            event.stopPropagation();
            toggle();
          }}
        />
        <span className="ar-clip">
          {spanLabel(span)} <b>{subject}</b>
        </span>
        {hasFailed && <span className="ar-span-failed">{texts.failed}</span>}
      </span>
      <span className="ar-span-time">{duration}</span>
      <span className="ar-span-track">
        <span
          className="ar-span-bar"
          style={{ left: `${offset * 100}%`, width: `max(2px, ${width * 100}%)` }}
        />
      </span>
    </div>
  );
}

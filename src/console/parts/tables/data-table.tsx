import { VisuallyHidden } from "@mantine/core";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { partTexts } from "../../texts/parts.ts";
import { aligned, fractionWidths } from "./decimals.ts";
import { TableExport } from "./table-export.tsx";

export interface Column<Row> {
  id: string;
  header: string;
  /** True if only screen readers get the header, for columns of labelled buttons. */
  hidesHeader?: true;
  cell: (row: Row) => ReactNode;
  /** Grid track: `minmax(120px, 1fr)`, `90px`. */
  width: string;
  /** "decimal": at the end, with the decimal points below each other. Its cells are texts. */
  align?: "end" | "decimal";
  /** Hidden on windows narrower than this. */
  from?: "sm" | "md" | "lg";
}

export interface DataTableProps<Row> {
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Called near the end of the rows if there are more. Absent while the next ones can't be loaded. */
  onEnd?: () => void;
  hasMore?: boolean;
  /** Shown if there are no rows. */
  empty?: ReactNode;
  /** Reads all rows for an export; without it, an export has the loaded ones. */
  readAll?: () => Promise<readonly Row[]>;
}

const rowHeight = 38;
const endRows = 50;

/** A table of one-line rows that renders only the visible ones, so tens of thousands of rows scroll smoothly. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  onEnd,
  hasMore,
  empty,
  readAll,
}: DataTableProps<Row>) {
  const body = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  // Measured again with each scroll: what is above the table may have become higher since.
  useLayoutEffect(() => {
    if (body.current !== null)
      setOffset(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
  });
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useLayoutEffect(() => {
    if (hasMore && rows.length > 0 && last >= rows.length - endRows) onEnd?.();
  }, [hasMore, last, rows.length, onEnd]);

  const widths = useMemo(() => fractionWidths(columns, rows), [columns, rows]);

  if (rows.length === 0) return <>{empty ?? <p className="ar-soft">{partTexts.noRows}</p>}</>;
  const tracks = {
    "--ar-tracks": tracksOf(columns, ["sm", "md", "lg"]),
    "--ar-tracks-md": tracksOf(columns, ["sm", "md"]),
    "--ar-tracks-sm": tracksOf(columns, ["sm"]),
    "--ar-tracks-xs": tracksOf(columns, []),
  } as CSSProperties;
  return (
    <div className="ar-table-frame">
      <TableExport label={label} columns={columns} rows={rows} readAll={readAll} />
      <div
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className="ar-table"
        style={tracks}
      >
        <div role="rowgroup" className="ar-table-head">
          <div role="row" aria-rowindex={1} className="ar-row">
            {columns.map(({ id, header, hidesHeader, align, from }) => (
              <div role="columnheader" key={id} data-align={align && "end"} data-from={from}>
                {hidesHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={body} className="ar-table-body" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                role="row"
                key={key}
                aria-rowindex={index + 2}
                className="ar-row"
                style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
              >
                {columns.map(({ id, cell, align, from }) => (
                  <div
                    role="cell"
                    key={id}
                    // A name from right to left is cut at its end, not at its beginning.
                    dir={align === undefined ? "auto" : undefined}
                    data-align={align && "end"}
                    data-from={from}
                  >
                    {aligned(cell(row), widths.get(id))}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
        {hasMore && onEnd !== undefined && (
          <div className="ar-table-more ar-soft">{partTexts.loadingMore}</div>
        )}
      </div>
    </div>
  );
}

/** Returns the grid's tracks for a window that shows the columns of these widths. */
const tracksOf = <Row,>(columns: readonly Column<Row>[], shown: readonly Column<Row>["from"][]): string =>
  columns
    .filter(({ from }) => from === undefined || shown.includes(from))
    .map(({ width }) => width)
    .join(" ");

import { Table, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { Column } from "./data-table.tsx";
import { aligned, fractionWidths } from "./decimals.ts";
import { TableExport } from "./table-export.tsx";

export interface PlainColumn<Row> extends Omit<Column<Row>, "width"> {
  /** Class of its cells: `ar-soft`, `ar-mono`, `ar-break`, `ar-narrow`. */
  className?: string;
}

interface PlainTableProps<Row> {
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly PlainColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Shown instead of the table if there are no rows. */
  empty?: ReactNode;
  /** Footer with the total of the last column; a total to pay is in cents, whatever the decimals of the column. */
  foot?: { label: string; value: ReactNode };
}

/** A table of few rows of variable height. */
export function PlainTable<Row>({ label, columns, rows, keyOf, empty, foot }: PlainTableProps<Row>) {
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>;
  const widths = fractionWidths(columns, rows);
  const hasHead = columns.some(({ hidesHeader }) => !hidesHeader);
  return (
    <div className="ar-table-frame">
      {hasHead && rows.length > 0 && <TableExport label={label} columns={columns} rows={rows} />}
      <Table aria-label={label}>
        <Table.Thead {...(hasHead ? {} : { className: "ar-no-head" })}>
          <Table.Tr>
            {columns.map(({ id, header, hidesHeader, align, from }) => (
              <Table.Th key={id} {...placeOf(align, from)}>
                {hidesHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ id, cell, className, align, from }) => (
                <Table.Td key={id} {...placeOf(align, from, className)}>
                  {aligned(cell(row), widths.get(id))}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {foot !== undefined && (
          <Table.Tfoot>
            <Table.Tr>
              <Table.Th>{foot.label}</Table.Th>
              {/* One by one: a cell over all of them would keep the width of those that a narrow window hides. */}
              {columns.slice(1, -1).map(({ id, align, from }) => (
                <Table.Td key={id} {...placeOf(align, from)} />
              ))}
              <Table.Th className="ar-end">{foot.value}</Table.Th>
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </div>
  );
}

const placeOf = (align: Column<never>["align"], from: Column<never>["from"], className?: string) => ({
  className: [align === undefined ? "" : "ar-end", className ?? ""].join(" ").trim(),
  "data-from": from,
});

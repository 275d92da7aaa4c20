import { ActionIcon } from "@mantine/core";
import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useReducer, useRef, useState } from "react";
import { csvText } from "../../../contracts/csv-text.ts";
import { saveFile } from "../../api/save-file.ts";
import { tableTexts as texts } from "../../texts/parts.ts";
import { Icon } from "../icon.tsx";
import { notify } from "../notices.tsx";
import { plainNumber } from "../text/plain-number.ts";

/** The part of a column that an export needs. */
interface ExportedColumn<Row> {
  id: string;
  header: string;
  hidesHeader?: true;
  align?: "end" | "decimal";
  cell: (row: Row) => ReactNode;
}

interface TableExportProps<Row> {
  label: string;
  columns: readonly ExportedColumn<Row>[];
  rows: readonly Row[];
  /** Reads the rows that are not loaded yet. */
  readAll?: (() => Promise<readonly Row[]>) | undefined;
}

/** Rows of one file: more would take a browser seconds. */
export const exportedRowsMax = 10_000;
/** Rows that are drawn at once. */
const pieceRows = 500;

/** A button that saves a table as CSV, with all its rows and columns as they read. */
export function TableExport<Row>({ label, columns, rows, readAll }: TableExportProps<Row>) {
  const [wanted, want] = useState<readonly Row[]>();
  const [isReading, setReading] = useState(false);
  const written = columns.filter(({ hidesHeader }) => !hidesHeader);
  const start = async () => {
    setReading(true);
    try {
      want((await (readAll?.() ?? rows)).slice(0, exportedRowsMax));
    } catch {
      notify(texts.exportFailed);
      setReading(false);
    }
  };
  const save = (lines: string[][]) => {
    const kept = lines.map((line) =>
      line.map((text, at) => (written[at]?.align === undefined ? text : plainNumber(text))),
    );
    const header = written.map((column) => column.header);
    saveFile(`${fileName(label)}.csv`, "text/csv", csvText(header, kept));
    if (lines.length === exportedRowsMax) notify(texts.exportCut(exportedRowsMax));
    want(undefined);
    setReading(false);
  };
  return (
    <>
      <ActionIcon
        className="ar-table-export ar-no-print"
        variant="default"
        size="sm"
        aria-label={texts.exportOf(label)}
        title={texts.export}
        loading={isReading}
        onClick={() => void start()}
      >
        <Icon name="down" />
      </ActionIcon>
      {wanted !== undefined && <DrawnRows columns={written} rows={wanted} done={save} />}
    </>
  );
}

interface DrawnRowsProps<Row> {
  columns: readonly ExportedColumn<Row>[];
  rows: readonly Row[];
  done: (lines: string[][]) => void;
}

/** Draws rows unseen, some at once, and reads their texts: only a drawn cell knows the name that it shows. */
function DrawnRows<Row>({ columns, rows, done }: DrawnRowsProps<Row>) {
  const queries = useQueryClient();
  const [looks, look] = useReducer((count: number) => count + 1, 0);
  const [from, setFrom] = useState(0);
  const holder = useRef<HTMLDivElement>(null);
  const lines = useRef<string[][]>([]);
  // A cell may read the name that it shows. Each event counts: a number of reads that is again what it was would wake nothing.
  useEffect(() => queries.getQueryCache().subscribe(notifyManager.batchCalls(look)), [queries]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `looks` says when to look again.
  useEffect(() => {
    if (queries.isFetching() > 0 || lines.current.length > from) return;
    for (const row of holder.current?.children ?? []) lines.current.push([...row.children].map(textOf));
    if (lines.current.length < rows.length) setFrom(lines.current.length);
    else done(lines.current);
  }, [looks, queries, from, rows, done]);
  return (
    <div ref={holder} hidden>
      {rows.slice(from, from + pieceRows).map((row, at) => (
        <div key={String(from + at)}>
          {columns.map(({ id, cell }) => (
            <div key={id}>{cell(row)}</div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Text of a cell; of a relative time the instant. */
function textOf(cell: Element): string {
  const time = cell.querySelector("time[datetime]");
  return time?.getAttribute("datetime") ?? (cell.textContent ?? "").replaceAll(/\s+/g, " ").trim();
}

const fileName = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "") || "table";

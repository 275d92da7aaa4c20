import type {
  RetentionRule,
  StorageReport,
  StoredDatabase,
  StoredFolder,
  StoredTable,
} from "../../../contracts/daemon/storage-report.ts";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatBytes, formatNumber } from "../../parts/text/format.ts";
import { storageTexts as texts } from "../../texts/operations/storage.ts";

const none = <span className="ar-soft">–</span>;
const bytesOrNone = (bytes: number | null) => (bytes === null ? none : formatBytes(bytes));

export const DatabaseTable = ({ databases }: { databases: readonly StoredDatabase[] }) => (
  <>
    <PlainTable
      label={texts.databases}
      rows={databases}
      keyOf={({ service }) => service}
      columns={[
        { id: "service", header: texts.service, cell: ({ service }) => service },
        { id: "log", header: texts.log, from: "sm", align: "end", cell: (row) => bytesOrNone(row.log_bytes) },
        {
          id: "reusable",
          header: texts.reusable,
          from: "sm",
          align: "end",
          cell: (row) => bytesOrNone(row.reusable_bytes),
        },
        { id: "size", header: texts.size, align: "end", cell: (row) => formatBytes(row.size_bytes) },
      ]}
    />
    {databases.some(({ reusable_bytes }) => reusable_bytes !== null) && (
      <p className="ar-soft ar-panel-body">{texts.reusableNote}</p>
    )}
  </>
);

export const FolderTable = ({ folders }: { folders: readonly StoredFolder[] }) => (
  <PlainTable
    label={texts.folders}
    rows={folders}
    keyOf={({ name }) => name}
    empty={<EmptyState text={texts.noFolders} />}
    columns={[
      {
        id: "folder",
        header: texts.folder,
        className: "ar-break",
        cell: ({ name }) =>
          name === "." ? (
            texts.otherFiles
          ) : (
            <>
              <span className="ar-mono">{name}</span>
              <div className="ar-soft">{noteOf(name)}</div>
            </>
          ),
      },
      {
        id: "files",
        header: texts.files,
        from: "sm",
        align: "end",
        cell: ({ files, complete }) => atLeast(formatNumber(files), complete),
      },
      {
        id: "size",
        header: texts.size,
        align: "end",
        cell: ({ size_bytes, complete }) => atLeast(formatBytes(size_bytes), complete),
      },
    ]}
  />
);

const noteOf = (name: string) => (name.startsWith("before-restore-") ? texts.replaced : texts.known[name]);

const atLeast = (value: string, isComplete: boolean) => (isComplete ? value : texts.atLeast(value));

export const RetentionTable = ({ rules }: { rules: readonly RetentionRule[] }) => (
  <PlainTable
    label={texts.retention}
    rows={rules}
    keyOf={({ service, what }) => `${service} ${what}`}
    columns={[
      {
        id: "what",
        header: texts.what,
        className: "ar-break",
        cell: ({ service, what }) => (
          <>
            {what} <div className="ar-soft">{service}</div>
          </>
        ),
      },
      { id: "kept", header: texts.kept, align: "end", cell: ({ days }) => texts.days(formatNumber(days)) },
      {
        id: "limit",
        header: texts.limit,
        from: "sm",
        align: "end",
        cell: ({ bytes_max }) => bytesOrNone(bytes_max),
      },
      {
        id: "due",
        header: texts.due,
        align: "end",
        cell: ({ due }) =>
          due === null
            ? none
            : texts.dueRows(
                atLeast(formatNumber(due.rows), due.complete),
                atLeast(formatBytes(due.size_bytes), due.complete),
              ),
      },
      {
        id: "setting",
        header: texts.setting,
        from: "md",
        cell: ({ setting }) =>
          setting === null ? (
            <span className="ar-soft">{texts.fixed}</span>
          ) : (
            <span className="ar-mono">{setting}</span>
          ),
      },
    ]}
  />
);

interface SizeTableProps {
  tables: readonly StoredTable[];
  engine: StorageReport["engine"];
}

export const SizeTable = ({ tables, engine }: SizeTableProps) => (
  <>
    <PlainTable
      label={texts.tables}
      rows={tables}
      keyOf={({ service, table }) => `${service} ${table}`}
      columns={[
        {
          id: "table",
          header: texts.table,
          className: "ar-break",
          cell: ({ table }) => <span className="ar-mono">{table}</span>,
        },
        { id: "service", header: texts.service, from: "sm", cell: ({ service }) => service },
        {
          id: "rows",
          header: texts.rows,
          align: "end",
          cell: ({ rows }) => {
            if (rows === null) return none;
            return engine === "sqlite" ? texts.atMost(formatNumber(rows)) : texts.about(formatNumber(rows));
          },
        },
        ...(engine === "postgres"
          ? [
              {
                id: "size",
                header: texts.size,
                align: "end" as const,
                cell: ({ size_bytes }: StoredTable) => bytesOrNone(size_bytes),
              },
            ]
          : []),
      ]}
    />
    <p className="ar-soft ar-panel-body">{texts.rowNotes[engine]}</p>
  </>
);

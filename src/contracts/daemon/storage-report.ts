import { type Static, Type } from "@sinclair/typebox";

const Bytes = (description: string) => Type.Integer({ minimum: 0, description: `${description} Bytes.` });
const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const StoredDatabase = Type.Object({
  service: Type.String(),
  size_bytes: Bytes("Size of the database, in PostgreSQL of the service's tables with their indexes."),
  log_bytes: OrNull(Bytes("Size of SQLite's write-ahead log; null in PostgreSQL.")),
  reusable_bytes: OrNull(
    Bytes("Empty pages in a SQLite file, which new rows use; the file does not shrink. Null in PostgreSQL."),
  ),
});
export type StoredDatabase = Static<typeof StoredDatabase>;

const StoredFolder = Type.Object({
  name: Type.String({ description: "Folder in the data folder; `.` for the files outside of folders." }),
  size_bytes: Bytes("Size of the files that were counted."),
  files: Type.Integer(),
  complete: Type.Boolean({ description: "False if the report counted only a part: 50,000 files in all." }),
});
export type StoredFolder = Static<typeof StoredFolder>;

const StoredTable = Type.Object({
  service: Type.String(),
  table: Type.String(),
  rows: OrNull(
    Type.Integer({
      description:
        "In SQLite, the most rows that it can have: the span of its row numbers. In PostgreSQL, the planner's estimate; null before its first `ANALYZE`.",
    }),
  ),
  size_bytes: OrNull(
    Bytes("Size with indexes in PostgreSQL; null in SQLite, which would read the file for it."),
  ),
});
export type StoredTable = Static<typeof StoredTable>;

const RetentionRule = Type.Object({
  service: Type.String(),
  what: Type.String({ description: "Records that the service deletes when they are too old." }),
  days: Type.Integer(),
  bytes_max: OrNull(Bytes("Size above which the oldest go first.")),
  setting: OrNull(
    Type.String({ description: "Setting of runtime.yaml for the days; null if they are fixed." }),
  ),
  due: OrNull(
    Type.Object(
      {
        rows: Type.Integer(),
        size_bytes: Bytes("Their size."),
        complete: Type.Boolean({ description: "False if there are more than the 10,000 counted." }),
      },
      { description: "Records that reach their age within a day; null if that isn't known cheaply." },
    ),
  ),
});
export type RetentionRule = Static<typeof RetentionRule>;

/** Sizes of the data of a process, measured without reading it. */
export const StorageReport = Type.Object({
  at: Type.String({ description: "Time of the measurement. ISO 8601. A report is at most 10 seconds old." }),
  data_folder: Type.String(),
  engine: Type.Union([Type.Literal("sqlite"), Type.Literal("postgres")]),
  disk: OrNull(
    Type.Object(
      { free_bytes: Bytes("Free for this user."), total_bytes: Bytes("Size of the file system.") },
      { description: "File system of the data folder; null if it doesn't tell." },
    ),
  ),
  databases: Type.Array(StoredDatabase),
  folders: Type.Array(StoredFolder, { description: "Largest first." }),
  tables: Type.Array(StoredTable, {
    description: "The 20 largest tables, by size or else by rows; in SQLite without empty ones.",
  }),
  retention: Type.Array(RetentionRule),
  days: Type.Array(
    Type.Object({
      day: Type.String({ description: "YYYY-MM-DD, UTC." }),
      size_bytes: Bytes("Databases and folders together, as last measured on that day."),
    }),
    { description: "One entry for each day on which this process ran, oldest first, 90 at most." },
  ),
});
export type StorageReport = Static<typeof StorageReport>;

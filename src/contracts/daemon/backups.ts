import { type Static, Type } from "@sinclair/typebox";

const Instant = (description: string) => Type.String({ description: `${description} ISO 8601.` });
const Count = (description: string) => Type.Integer({ minimum: 0, description });
const OrNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** A backup as the data folder remembers it. */
export const RecordedBackup = Type.Object({
  place: Type.String({ description: "Path of the file, or s3://bucket/key." }),
  taken_at: Instant("Instant of all data in it."),
  argosy: Type.String({ description: "Version that made it." }),
  databases: Count("Databases; SQLite checked each with integrity_check."),
  files: Count("Other files."),
  size_bytes: Count("Bytes before compression."),
  archive_bytes: OrNull(Count("Bytes of the file; null in an object store.")),
  has_external_database: Type.Boolean({
    description: "True if the services' tables are in PostgreSQL, and so not in the backup.",
  }),
});
export type RecordedBackup = Static<typeof RecordedBackup>;

const KnownBackup = Type.Intersect([
  RecordedBackup,
  Type.Object({
    state: Type.Union(
      [Type.Literal("present"), Type.Literal("changed"), Type.Literal("missing"), Type.Literal("elsewhere")],
      {
        description:
          "`changed`: the file has another size than when it was written. `elsewhere`: in an object store, which the daemon doesn't ask.",
      },
    ),
    restore_command: Type.String({
      description: "Restores it over the present data. Stop the server first.",
    }),
    trial_command: Type.String({ description: "Restores it into a new folder, to check it." }),
  }),
]);
export type KnownBackup = Static<typeof KnownBackup>;

/** The backup that the daemon makes, or the last one that it made since its start. */
export const BackupJob = Type.Object({
  state: Type.Union([Type.Literal("running"), Type.Literal("done"), Type.Literal("failed")]),
  place: Type.String(),
  started_at: Instant("Start of the job."),
  ended_at: OrNull(Instant("End of the job; null while it runs.")),
  files: Count("Files written so far. 0 while the databases are copied and checked."),
  of_files: Count("All files; 0 until they are known."),
  bytes: Count("Bytes written so far, before compression."),
  of_bytes: Count("All bytes; 0 until they are known."),
  error: OrNull(
    Type.Object(
      { error: Type.String(), message: Type.String(), hint: OrNull(Type.String()) },
      {
        description: "Reason of a failure.",
      },
    ),
  ),
});
export type BackupJob = Static<typeof BackupJob>;

/** Backups of the data folder, newest first. */
export const BackupList = Type.Object({
  backups: Type.Array(KnownBackup, { description: "The newest 100." }),
  job: OrNull(BackupJob),
  folder: Type.String({ description: "Folder of backups that name no place." }),
  missing: Type.Array(Type.String(), { description: "Data that no backup contains, in sentences." }),
});
export type BackupList = Static<typeof BackupList>;

export const BackupStart = Type.Object(
  {
    place: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        description:
          "Absolute path of a new file, or s3://bucket/key. Default: a file in the folder `archives` of the data folder, named by the time.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type BackupStart = Static<typeof BackupStart>;

/** Returns the file name of a backup that names no place. */
export const backupFileName = (at: Date): string =>
  `argosy-${at.toISOString().slice(0, 19).replaceAll(":", "-")}Z.tar.zst`;

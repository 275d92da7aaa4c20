import { type Static, Type } from "@sinclair/typebox";

export const JobStatus = Type.Unsafe<JobStatus>(
  Type.Union(
    ["queued", "running", "completed", "failed", "cancelled", "interrupted"].map((name) =>
      Type.Literal(name),
    ),
    {
      description:
        "Status of the job. `failed`: see `error`; completed work is kept. `interrupted`: the process ended before the job. Repeating the request continues where the job stopped.",
    },
  ),
);
export type JobStatus = "queued" | "running" | "completed" | "failed" | "cancelled" | "interrupted";

export const RagJob = Type.Object({
  job_id: Type.String(),
  kind: Type.Union([Type.Literal("ingest"), Type.Literal("reindex")]),
  collection: Type.String(),
  status: JobStatus,
  documents_done: Type.Integer(),
  documents_total: Type.Integer(),
  chunks: Type.Integer({ description: "Number of chunks created so far." }),
  reading: Type.Optional(
    Type.Object(
      { page: Type.Integer(), pages: Type.Integer() },
      { description: "The page of a file that text recognition reads now, which takes seconds." },
    ),
  ),
  failed: Type.Array(
    Type.Object({
      index: Type.Integer({ description: "Index of the document in the request, starting at 0." }),
      id: Type.Optional(Type.String()),
      error: Type.String({ description: "Error code." }),
      message: Type.String(),
    }),
    { description: "First 100 documents that could not be stored. The other documents are stored." },
  ),
  losses: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ description: "Id of the document." }),
        kind: Type.String(),
        count: Type.Integer(),
        detail: Type.String(),
      }),
      { description: "What files lost when they were read; the first 100." },
    ),
  ),
  error: Type.Optional(
    Type.Object(
      { error: Type.String(), message: Type.String() },
      { description: "Error that made the job fail." },
    ),
  ),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
  ended_at: Type.Optional(Type.String()),
});
export type RagJob = Static<typeof RagJob>;

export const RagJobList = Type.Object({ jobs: Type.Array(RagJob, { description: "Jobs, newest first." }) });
export type RagJobList = Static<typeof RagJobList>;

export const RagJobEnded = Type.Object({
  job_id: Type.String(),
  status: Type.Union([Type.Literal("cancelled"), Type.Literal("deleted")], {
    description: "`deleted`: the job had already ended, and its record was deleted.",
  }),
});
export type RagJobEnded = Static<typeof RagJobEnded>;

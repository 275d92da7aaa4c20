import { type Static, Type } from "@sinclair/typebox";

export const JobStatus = Type.Unsafe<JobStatus>(
  Type.Union(
    ["queued", "running", "completed", "failed", "cancelled", "interrupted"].map((name) =>
      Type.Literal(name),
    ),
    {
      description:
        "`failed`: see `error`; what was done until then stays. `interrupted`: the process ended before the job did. The same request again goes on where it ended.",
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
  chunks: Type.Integer({ description: "Chunks made so far." }),
  failed: Type.Array(
    Type.Object({
      index: Type.Integer({ description: "Which document of the request, from 0." }),
      id: Type.Optional(Type.String()),
      error: Type.String({ description: "The code." }),
      message: Type.String(),
    }),
    { description: "Documents that could not be taken, the first 100; the others are in." },
  ),
  error: Type.Optional(
    Type.Object({ error: Type.String(), message: Type.String() }, { description: "Why it failed." }),
  ),
  created_at: Type.String({ description: "ISO 8601 UTC." }),
  ended_at: Type.Optional(Type.String()),
});
export type RagJob = Static<typeof RagJob>;

export const RagJobList = Type.Object({ jobs: Type.Array(RagJob, { description: "The newest first." }) });
export type RagJobList = Static<typeof RagJobList>;

export const RagJobEnded = Type.Object({
  job_id: Type.String(),
  status: Type.Union([Type.Literal("cancelled"), Type.Literal("deleted")], {
    description: "`deleted`: it had ended and is forgotten.",
  }),
});
export type RagJobEnded = Static<typeof RagJobEnded>;

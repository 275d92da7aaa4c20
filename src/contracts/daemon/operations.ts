import { type Static, Type } from "@sinclair/typebox";

const Instant = (description: string) => Type.String({ description: `${description} ISO 8601.` });

const OperatedWorker = Type.Object({
  name: Type.String(),
  service: Type.String({ description: "The worker's service; `process` for those of the whole process." }),
  status: Type.Union(
    [
      Type.Literal("idle"),
      Type.Literal("running"),
      Type.Literal("stuck"),
      Type.Literal("waiting"),
      Type.Literal("stopped"),
    ],
    {
      description:
        "`waiting`: it ended before it was stopped, and starts again soon. `stuck`: it runs, but has ended no round for longer than its rounds may take.",
    },
  ),
  failures: Type.Integer({ description: "Times that it ended before it was stopped." }),
  started_at: Type.Optional(Instant("Start of its present attempt.")),
  last_round_at: Type.Optional(Instant("End of its last round. Only workers with rounds have it.")),
  last_failure: Type.Optional(Type.Object({ at: Instant("Time of the failure."), message: Type.String() })),
});
export type OperatedWorker = Static<typeof OperatedWorker>;

const HeldLease = Type.Object({
  service: Type.String(),
  name: Type.String(),
  owner: Type.String({ description: "Id of one run of a process." }),
  term: Type.Integer({ description: "Grows with each new owner." }),
  expires_at: Instant("End of the lease, unless its owner renews it."),
  held: Type.Boolean({ description: "False if it is free: released or expired." }),
});
export type HeldLease = Static<typeof HeldLease>;

/** The background work of a process, and the leases in its databases. */
export const WorkerReport = Type.Object({
  at: Instant("Time of the report."),
  node: Type.Union([Type.String(), Type.Null()], {
    description: "This node of the mesh; null if the mesh is off.",
  }),
  shared: Type.Boolean({
    description: "True if the leases are in PostgreSQL, and so those of every process on it.",
  }),
  workers: Type.Array(OperatedWorker),
  leases: Type.Array(HeldLease),
});
export type WorkerReport = Static<typeof WorkerReport>;

export const LogLineLevel = Type.Union([
  Type.Literal("debug"),
  Type.Literal("info"),
  Type.Literal("warning"),
  Type.Literal("error"),
]);
export type LogLineLevel = Static<typeof LogLineLevel>;

export interface LogQuery {
  /** Lowest level. */
  level?: LogLineLevel;
  /** Text that the line contains as JSON, in any case. */
  text?: string;
  /** Most lines, the newest. */
  limit?: number;
}

const LogLine = Type.Object({
  number: Type.Integer({ description: "Counts the lines of the process from 1." }),
  level: LogLineLevel,
  time: Instant("Time of the event."),
  event: Type.String(),
  fields: Type.Record(Type.String(), Type.Unknown()),
});
export type LogLine = Static<typeof LogLine>;

export const LogPage = Type.Object({
  lines: Type.Array(LogLine, { description: "Oldest first." }),
  oldest: Type.Integer({ description: "Number of the oldest line that is kept; 0 without lines." }),
  last: Type.Integer({ description: "Number of the newest line." }),
});
export type LogPage = Static<typeof LogPage>;

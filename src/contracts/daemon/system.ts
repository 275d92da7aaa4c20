import { type Static, Type } from "@sinclair/typebox";

export const Health = Type.Object({
  status: Type.Literal("healthy"),
  version: Type.String(),
  uptime_seconds: Type.Number(),
  agents_loaded: Type.Integer(),
});
export type Health = Static<typeof Health>;

export const SystemStatus = Type.Object({
  version: Type.String(),
  status: Type.String({
    description: "`healthy`, or `degraded` if an agent failed to load or a provider is unavailable.",
  }),
  mode: Type.Union([Type.Literal("standalone"), Type.Literal("mesh")]),
  pid: Type.Integer(),
  uptime_seconds: Type.Number(),
  agents_loaded: Type.Integer(),
  providers: Type.Object({
    healthy: Type.Integer(),
    degraded: Type.Integer(),
    unavailable: Type.Integer(),
  }),
});
export type SystemStatus = Static<typeof SystemStatus>;

const DoctorFinding = Type.Object({
  subject: Type.String({ description: "Agent or provider that the finding concerns." }),
  message: Type.String(),
  mend: Type.Optional(Type.String({ description: "Command or change that fixes the problem." })),
});
export type DoctorFinding = Static<typeof DoctorFinding>;

export const DoctorCheck = Type.Object({
  name: Type.String(),
  status: Type.Union([Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("failing")]),
  message: Type.String(),
  mend: Type.Optional(Type.String({ description: "Command or change that fixes the problem." })),
  findings: Type.Optional(
    Type.Array(DoctorFinding, {
      description:
        "For checks of several subjects: one finding for each subject that is not healthy, with the same severity as the check.",
    }),
  ),
});
export type DoctorCheck = Static<typeof DoctorCheck>;

export const RetriedWorkInput = Type.Object(
  {
    kind: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Kind of the work, as the check names it.",
    }),
    key: Type.String({
      minLength: 1,
      maxLength: 512,
      description: "Key of the work. A key that ends with `*` stands for all that begin so.",
    }),
  },
  { additionalProperties: false },
);
export type RetriedWorkInput = Static<typeof RetriedWorkInput>;

export const RetriedWork = Type.Object({ retried: Type.Integer({ minimum: 1 }) });
export type RetriedWork = Static<typeof RetriedWork>;

export const DoctorReport = Type.Object({
  checks: Type.Array(DoctorCheck),
  summary: Type.Object({ healthy: Type.Integer(), degraded: Type.Integer(), failing: Type.Integer() }),
});
export type DoctorReport = Static<typeof DoctorReport>;

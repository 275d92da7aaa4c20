import { type Static, Type } from "@sinclair/typebox";

export const Liveness = Type.Object(
  { status: Type.Literal("ok"), service: Type.String(), version: Type.String() },
  { $id: "Liveness", description: "The process answers; nothing else is looked at." },
);
export type Liveness = Static<typeof Liveness>;

export const ReadinessCheck = Type.Object({
  name: Type.String({ description: "What was looked at: `storage`." }),
  ok: Type.Boolean(),
  message: Type.Optional(Type.String({ description: "Why it isn't ready." })),
});
export type ReadinessCheck = Static<typeof ReadinessCheck>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal("ready"), Type.Literal("not_ready")]),
    checks: Type.Array(ReadinessCheck),
  },
  {
    $id: "Readiness",
    description: "Whether the service can take work; 503 with the same body when it can't.",
  },
);
export type Readiness = Static<typeof Readiness>;

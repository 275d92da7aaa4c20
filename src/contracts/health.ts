import { type Static, Type } from "@sinclair/typebox";

export const Liveness = Type.Object(
  { status: Type.Literal("ok"), service: Type.String(), version: Type.String() },
  { $id: "Liveness", description: "The process responds. Nothing else is checked." },
);
export type Liveness = Static<typeof Liveness>;

export const ReadinessCheck = Type.Object({
  name: Type.String({ description: "Name of the check, such as `storage`." }),
  ok: Type.Boolean(),
  message: Type.Optional(
    Type.String({ description: "Why the check failed, or what is wrong all the same." }),
  ),
});
export type ReadinessCheck = Static<typeof ReadinessCheck>;

export const Readiness = Type.Object(
  {
    status: Type.Union([Type.Literal("ready"), Type.Literal("not_ready")]),
    checks: Type.Array(ReadinessCheck),
  },
  {
    $id: "Readiness",
    description:
      "Readiness of the service for requests. If it is not ready, the status code is 503 with the same body.",
  },
);
export type Readiness = Static<typeof Readiness>;

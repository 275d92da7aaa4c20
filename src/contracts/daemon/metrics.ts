import { type Static, Type } from "@sinclair/typebox";

export const MetricsSnapshot = Type.Object({
  counters: Type.Record(Type.String(), Type.Number()),
  histograms: Type.Record(
    Type.String(),
    Type.Object({
      count: Type.Integer(),
      sum: Type.Number(),
      avg: Type.Number(),
      min: Type.Number(),
      max: Type.Number(),
    }),
  ),
});
export type MetricsSnapshot = Static<typeof MetricsSnapshot>;

export const MetricsReset = Type.Object({ status: Type.Literal("reset") });
export type MetricsReset = Static<typeof MetricsReset>;

import { type Static, Type } from "@sinclair/typebox";
import type { SourceFilter } from "./run-sources.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });
const latency = (share: string) =>
  Type.Optional(
    Type.Number({
      description: `${share} of the runs took this many milliseconds or less: exact, by nearest rank. Absent without runs.`,
    }),
  );

const figures = {
  runs: count("Finished runs."),
  errors: count("Runs that failed. A run that paused for a person did not fail."),
  p50_ms: latency("Half"),
  p95_ms: latency("95 %"),
  input_tokens: count("Input tokens of all model calls."),
  output_tokens: count("Output tokens of all model calls."),
  cost_usd: Type.Number({ description: "Cost of the model calls with a known price, in US dollars." }),
  unpriced_calls: count("Model calls without a known price, which the cost does not include."),
};

export const RunFigures = Type.Object(figures);
export type RunFigures = Static<typeof RunFigures>;

export const RunBucket = Type.Object({
  start: Type.String({ description: "Start of the bucket, ISO 8601 UTC." }),
  ...figures,
});
export type RunBucket = Static<typeof RunBucket>;

export const RunGroup = Type.Object({
  key: Type.Optional(
    Type.String({
      description:
        "Agent, model, source or tenant. Empty: runs without a model call. Absent: all groups beyond the ten largest.",
    }),
  ),
  total: RunFigures,
  buckets: Type.Array(RunBucket, { description: "Buckets with runs of this group, oldest first." }),
});
export type RunGroup = Static<typeof RunGroup>;

/** Lengths of buckets, in milliseconds. */
export const bucketLengths = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "1h": 3_600_000,
  "6h": 21_600_000,
  "1d": 86_400_000,
} as const;
export type BucketLength = keyof typeof bucketLengths;

export type RunGrouping = "agent" | "model" | "source" | "tenant";

export const RunStats = Type.Object({
  since: Type.String({ description: "Start of the first bucket, ISO 8601 UTC." }),
  until: Type.String({ description: "End of the range, ISO 8601 UTC." }),
  counted_from: Type.String({
    description:
      "The figures are complete from this time, ISO 8601 UTC: `since`, or later if older runs were deleted.",
  }),
  bucket: Type.String({ description: "Length of a bucket: `1m`, `5m`, `15m`, `30m`, `1h`, `6h` or `1d`." }),
  total: RunFigures,
  buckets: Type.Array(RunBucket, { description: "All buckets of the range, also those without runs." }),
  groups: Type.Optional(Type.Array(RunGroup, { description: "With `group_by`: the largest groups first." })),
});
export type RunStats = Static<typeof RunStats>;

/** Range, filter and grouping of the statistics. */
export interface RunStatsQuery {
  /** ISO 8601. */
  since?: string;
  until?: string;
  bucket?: BucketLength;
  /** Time zone of the IANA in which days begin; without it they have 24 hours. */
  time_zone?: string;
  group_by?: RunGrouping;
  agent?: string;
  model?: string;
  /** Default: `traffic`; with a grouping by source `all`. */
  source?: SourceFilter;
  /** Tenant of the platform; only the owner of the machine may name one. */
  tenant?: string;
}

import { type Static, Type } from "@sinclair/typebox";
import { type FeedbackSource, RunFeedback } from "./feedback.ts";
import { Trace } from "./run.ts";
import { RunSource } from "./run-source.ts";
import type { SourceFilter } from "./run-sources.ts";

/** Summary of a run for a list without spans. */
export const TraceSummary = Type.Object({
  source: RunSource,
  provider: Type.Optional(
    Type.String({
      description: "Provider of the agent's last answer; without an answer, the provider called last.",
    }),
  ),
  model: Type.Optional(Type.String()),
  input_tokens: Type.Integer({
    minimum: 0,
    description: "Input tokens of all model calls, including those of other agents in the run.",
  }),
  output_tokens: Type.Integer({ minimum: 0 }),
  total_tokens: Type.Integer({ minimum: 0 }),
  cost_usd: Type.Optional(
    Type.Number({
      description: "Cost of the calls with a known price, in US dollars; absent if no call had one.",
    }),
  ),
  unpriced_calls: Type.Integer({
    minimum: 0,
    description: "Model calls without a known price, which `cost_usd` does not include.",
  }),
  model_calls: Type.Integer({ minimum: 0 }),
  tool_calls: Type.Integer({ minimum: 0 }),
  error: Type.Optional(Type.String({ description: "Code of the error that ended the run." })),
  reason: Type.Optional(Type.String({ description: "Message of the error that ended the run." })),
  overridden: Type.Optional(
    Type.Array(Type.String(), { description: "Agent settings overridden for this run." }),
  ),
  question: Type.Optional(
    Type.String({ description: "Beginning of the question, if the trace keeps questions and answers." }),
  ),
  answer: Type.Optional(Type.String({ description: "Beginning of the answer." })),
});
export type TraceSummary = Static<typeof TraceSummary>;

/** A trace with the verdicts on its run. */
export const JudgedTrace = Type.Composite([Trace, RunFeedback]);
export type JudgedTrace = Static<typeof JudgedTrace>;

/** A list leaves out the spans of traces with more. */
export const listedSpansMax = 200;

export const ListedTrace = Type.Composite([
  JudgedTrace,
  Type.Object({
    span_count: Type.Integer({
      minimum: 0,
      description: `Spans of the trace. \`spans\` is empty if there are more than ${listedSpansMax}: read the trace by its id.`,
    }),
    summary: TraceSummary,
  }),
]);
export type ListedTrace = Static<typeof ListedTrace>;

export const TraceList = Type.Object({
  traces: Type.Array(ListedTrace),
  next_cursor: Type.Optional(Type.String({ description: "Cursor for the next traces." })),
});
export type TraceList = Static<typeof TraceList>;

/** Orders of the trace list: start, duration, or known cost. */
export type TraceSortKey = "time" | "latency" | "cost";

/** Filter of the trace list. */
export interface TraceListQuery {
  agent?: string;
  /** Only runs with this model in their summary. */
  model?: string;
  status?: "OK" | "ERROR";
  session_id?: string;
  /** Default: `all`. */
  source?: SourceFilter;
  /** ISO 8601; only runs that started at this time or later. */
  since?: string;
  /** ISO 8601; only runs that started before this time. */
  until?: string;
  /** Only runs that someone judged so, or at all. */
  feedback?: "up" | "down" | "any";
  /** With `feedback`: only verdicts of this source. */
  feedback_source?: FeedbackSource;
  /** Only runs whose question or answer contains this text, as typed but in any case. */
  search?: string;
  /** Default: `time`. */
  sort?: TraceSortKey;
  /** Default: `desc`. */
  order?: "asc" | "desc";
  /** Tenant of the platform; only the owner of the machine may name one. */
  tenant?: string;
  cursor?: string;
  limit?: number;
  /** If `false`, the lists of spans are empty. */
  spans?: boolean;
}

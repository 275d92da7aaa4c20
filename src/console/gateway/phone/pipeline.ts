import type { Span, Trace } from "../../../contracts/daemon/runs/run.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { TrailEvent, TrailMessage } from "../../../contracts/gateway/trail.ts";
import type { AdminInvocationDetail } from "../../../contracts/platform/admin.ts";
import { type SpanKind, spanKind, spanSubject } from "../../studio/traces/span-names.ts";

/** Stages of a message, in its order. */
export const stageNames = [
  "webhook",
  "inbox",
  "guardrails",
  "memory",
  "model",
  "tools",
  "outbox",
  "receipt",
] as const;
export type StageName = (typeof stageNames)[number];

/** `waiting`: not reached; `skipped`: the message does not pass it. */
export type StageState = "waiting" | "active" | "done" | "failed" | "held" | "skipped";

export interface PipelineStage {
  name: StageName;
  state: StageState;
  /** Milliseconds since the message was received. */
  startMs?: number;
  durationMs?: number;
  creditsMicros?: number;
  note?: StageNote;
}

/** Remark shown with a stage. */
export type StageNote =
  | { kind: "duplicate"; times: number }
  | { kind: "outcome"; outcome: string }
  | { kind: "calls"; count: number; subjects: readonly string[] }
  | { kind: "no_receipts" }
  | { kind: "no_trace" }
  | { kind: "error"; error: string }
  | { kind: "receipt"; event: "delivered" | "read" | "played" };

export interface Pipeline {
  stages: readonly PipelineStage[];
  /** Time from the delivery to the last step so far. */
  totalMs: number;
  /** True as long as something is still to happen by itself. */
  isOpen: boolean;
  creditsMicros: number | undefined;
}

/** Known facts about a message. */
export interface PipelineFacts {
  message: TrailMessage;
  /** Its answers, the oldest first. */
  answers: readonly TrailMessage[];
  invocation: AdminInvocationDetail | undefined;
  trace: Trace | undefined;
  /** False if this session may not see runs or traces. */
  seesRuns: boolean;
}

/** Channels whose providers report that a message arrived. */
export const receiptChannels: ReadonlySet<ChannelName> = new Set(["phone_messenger", "photo_social"]);

const runKinds: readonly [StageName, SpanKind][] = [
  ["guardrails", "guardrail"],
  ["memory", "memory"],
  ["model", "model"],
  ["tools", "tool"],
];

/** Outcomes that end a message before an agent runs. */
const unanswered: ReadonlySet<string> = new Set([
  "human",
  "unbound",
  "limited",
  "empty",
  "stale",
  "account_deleted",
  "forwarded",
]);

/** Returns the stages of a message from its trail and the trace of its run. */
export function pipelineOf(facts: PipelineFacts): Pipeline {
  const { message, answers, invocation } = facts;
  const received = eventOf(message, "received");
  const originMs = Date.parse(received?.at ?? message.events[0]?.at ?? "");
  const since = (at: string | undefined) =>
    at === undefined ? undefined : Math.max(0, Date.parse(at) - originMs);
  const closed = message.events.find(({ event }) => event === "closed" || event === "parked");
  const forwarded = eventOf(message, "forwarded");
  const ending = closed?.event === "parked" ? "parked" : textOf(closed, "outcome");
  const outcome = forwarded === undefined ? ending : "forwarded";
  const startedMs = since(invocation?.started_at);
  const stopsEarly = outcome !== undefined && unanswered.has(outcome);
  const stages: PipelineStage[] = [
    webhookStage(message, since(received?.at)),
    inboxStage({ outcome, stopsEarly, closedMs: since(closed?.at), startedMs }),
    ...runStages(facts, { outcome, stopsEarly, since }),
    ...sendStages(message.channel, answers, { outcome, stopsEarly, isClosed: closed !== undefined, since }),
  ];
  const times = [...message.events, ...answers.flatMap(({ events }) => events)].map(({ at }) =>
    Date.parse(at),
  );
  return {
    stages,
    totalMs: Math.max(0, ...times.map((ms) => ms - originMs).filter(Number.isFinite)),
    isOpen: stages.some(({ state }) => state === "active" || state === "waiting"),
    creditsMicros: invocation?.credits_charged_micros,
  };
}

function webhookStage(message: TrailMessage, startMs: number | undefined): PipelineStage {
  const times = message.events.filter(({ event }) => event === "duplicate").length;
  return {
    name: "webhook",
    state: "done",
    ...(startMs !== undefined && { startMs }),
    ...(times > 0 && { note: { kind: "duplicate", times } }),
  };
}

interface InboxFacts {
  outcome: string | undefined;
  stopsEarly: boolean;
  closedMs: number | undefined;
  startedMs: number | undefined;
}

function inboxStage({ outcome, stopsEarly, closedMs, startedMs }: InboxFacts): PipelineStage {
  const endMs = startedMs ?? (stopsEarly ? closedMs : undefined);
  return {
    name: "inbox",
    state: stopsEarly && outcome !== "forwarded" ? "held" : "done",
    startMs: 0,
    ...(endMs !== undefined && { durationMs: endMs }),
    ...(stopsEarly && outcome !== undefined && { note: { kind: "outcome", outcome } }),
  };
}

interface Progress {
  outcome: string | undefined;
  stopsEarly: boolean;
  since: (at: string | undefined) => number | undefined;
}

function runStages(
  { trace, invocation, seesRuns }: PipelineFacts,
  { outcome, stopsEarly, since }: Progress,
): PipelineStage[] {
  const hasRun = outcome !== undefined && !stopsEarly;
  const isBroken = outcome === "failed" || outcome === "fallback" || outcome === "parked";
  return runKinds.map(([name, kind]): PipelineStage => {
    if (stopsEarly) return { name, state: "skipped" };
    if (!hasRun) return { name, state: "active" };
    if (trace === undefined) {
      // The trace is on its way, or this session may not see it.
      if (seesRuns && invocation === undefined && !isBroken) return { name, state: "active" };
      const isWhere = name === "model";
      const state = isBroken && isWhere ? "failed" : "done";
      return {
        name,
        state: isWhere ? state : "skipped",
        ...creditsOf(name, invocation),
        ...(isWhere && {
          note: isBroken ? { kind: "outcome", outcome: outcome ?? "" } : { kind: "no_trace" },
        }),
      };
    }
    const spans = trace.spans.filter((span) => spanKind(span) === kind);
    if (spans.length === 0) return { name, state: "skipped", ...creditsOf(name, invocation) };
    const startMs = Math.min(...spans.flatMap(({ start_time }) => since(start_time) ?? []));
    return {
      name,
      state: spans.some(({ status }) => status === "ERROR") ? "failed" : "done",
      startMs,
      durationMs: spans.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
      note: { kind: "calls", count: spans.length, subjects: subjectsOf(spans) },
      ...creditsOf(name, invocation),
    };
  });
}

const creditsOf = (
  name: StageName,
  invocation: AdminInvocationDetail | undefined,
): Pick<PipelineStage, "creditsMicros"> =>
  name === "model" && invocation !== undefined ? { creditsMicros: invocation.credits_charged_micros } : {};

const subjectsOf = (spans: readonly Span[]): string[] => [
  ...new Set(spans.map(spanSubject).filter((subject) => subject !== "")),
];

function sendStages(
  channel: ChannelName,
  answers: readonly TrailMessage[],
  { outcome, stopsEarly, isClosed, since }: Progress & { isClosed: boolean },
): PipelineStage[] {
  const isSilent = isClosed && answers.length === 0;
  if (stopsEarly && outcome !== "forwarded") {
    return [
      { name: "outbox", state: "skipped" },
      { name: "receipt", state: "skipped" },
    ];
  }
  if (answers.length === 0) {
    const state = isSilent ? "skipped" : "waiting";
    return [
      { name: "outbox", state },
      { name: "receipt", state },
    ];
  }
  const outbox = outboxStage(answers, since);
  return [outbox, receiptStage(channel, answers, outbox, since)];
}

function outboxStage(answers: readonly TrailMessage[], since: Progress["since"]): PipelineStage {
  const first = since(eventOf(answers[0], "queued")?.at);
  const sent = answers.map((answer) => since(eventOf(answer, "sent")?.at));
  const failed = answers.find((answer) => eventOf(answer, "failed") !== undefined);
  const errors = answers.flatMap(({ events }) => events).flatMap((event) => textOf(event, "error") ?? []);
  const error = errors.at(-1);
  const isSent = sent.every((ms) => ms !== undefined);
  const endMs = Math.max(...sent.flatMap((ms) => ms ?? []));
  const state: StageState =
    failed !== undefined && eventOf(failed, "sent") === undefined
      ? "failed"
      : isSent
        ? "done"
        : error === undefined
          ? "active"
          : "held";
  return {
    name: "outbox",
    state,
    ...(first !== undefined && { startMs: first }),
    ...(isSent && first !== undefined && { durationMs: Math.max(0, endMs - first) }),
    ...(error !== undefined && { note: { kind: "error", error } }),
  };
}

function receiptStage(
  channel: ChannelName,
  answers: readonly TrailMessage[],
  outbox: PipelineStage,
  since: Progress["since"],
): PipelineStage {
  if (outbox.state === "failed") return { name: "receipt", state: "skipped" };
  const last = answers.at(-1);
  for (const event of ["played", "read", "delivered"] as const) {
    const found = eventOf(last, event);
    if (found === undefined) continue;
    const startMs = since(eventOf(last, "delivered")?.at ?? found.at);
    return {
      name: "receipt",
      state: "done",
      ...(startMs !== undefined && { startMs }),
      note: { kind: "receipt", event },
    };
  }
  if (!receiptChannels.has(channel))
    return { name: "receipt", state: "skipped", note: { kind: "no_receipts" } };
  return { name: "receipt", state: outbox.state === "done" ? "active" : "waiting" };
}

const eventOf = (message: TrailMessage | undefined, name: TrailEvent["event"]): TrailEvent | undefined =>
  message?.events.find(({ event }) => event === name);

function textOf(event: TrailEvent | undefined, name: string): string | undefined {
  const value = event?.details?.[name];
  return typeof value === "string" ? value : undefined;
}

/** Splits the trail of one message: the message itself, and its answers, the oldest first. */
export function messageWithAnswers(
  messages: readonly TrailMessage[],
  channelMessageId: string,
): { message: TrailMessage; answers: TrailMessage[] } | undefined {
  const message = messages.find(
    ({ direction, channel_message_id }) => direction === "inbound" && channel_message_id === channelMessageId,
  );
  if (message === undefined) return undefined;
  const ids = new Set(message.events.flatMap(({ related_id }) => related_id ?? []));
  const answers = messages.filter(({ message_id }) => ids.has(message_id)).toReversed();
  return { message, answers };
}

/** Returns the run of a message, if there is one. */
export const invocationOf = (message: TrailMessage | undefined): string | undefined =>
  message?.events.map((event) => textOf(event, "invocation")).find((id) => id !== undefined);

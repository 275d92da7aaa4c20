import type { Attributes, HrTime, SpanContext } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { spanIdOf } from "../../../../engine/telemetry/present-trace.ts";
import type { RecordedSpan, RecordedTrace } from "../../../../engine/telemetry/trace.ts";

/** Origin that every exported span carries. */
export interface SpanOrigin {
  resource: Resource;
  scope: { name: string; version: string };
}

/** OpenTelemetry's numbers. Importing them would load the library at startup. */
const kinds = { internal: 0, client: 2 } as const;
const statusCodes = { unset: 0, error: 2 } as const;
const sampled = 1;

/**
 * Converts a trace for OpenTelemetry. Below `agent.run.<name>` are `provider.call.<provider>` spans. Below each of these are the
 * `tool.execute.<tool>` spans that it requested, and below a tool the runs of the agents that worked for it. All other spans are below
 * their run. Attributes follow the semantic conventions for generative AI, version 1.37.
 */
export function otlpSpans(trace: RecordedTrace, origin: SpanOrigin): ReadableSpan[] {
  const parents = exportedParents(trace.spans);
  const caller = callerOf(trace);
  const contextOf = (spanId: string): SpanContext => ({
    traceId: caller?.traceId ?? trace.trace_id.replaceAll("-", ""),
    spanId,
    traceFlags: sampled,
  });
  const context = (number: number) => contextOf(spanIdOf(trace.trace_id, number));
  return trace.spans.flatMap((span, number) => {
    const [name, , startMs, durationMs] = span;
    if (name === "orchestration") return [];
    const parent = parents[number] ?? -1;
    const startedAtMs = trace.started_at_ms + startMs;
    return {
      ...describe(span, trace),
      spanContext: () => context(number),
      ...parentOf(parent === -1 ? caller && contextOf(caller.spanId) : context(parent)),
      startTime: hrTime(startedAtMs),
      endTime: hrTime(startedAtMs + durationMs),
      duration: hrTime(durationMs),
      status: statusOf(span),
      links: [],
      events: [],
      ended: true,
      resource: origin.resource,
      instrumentationScope: origin.scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
  });
}

const parentOf = (parentSpanContext: SpanContext | undefined) => parentSpanContext && { parentSpanContext };

/** Span of another service that the run works for. */
function callerOf({ spans: [root] }: RecordedTrace): { traceId: string; spanId: string } | undefined {
  const { parent_trace: traceId, parent_span: spanId } = root?.[5] ?? {};
  return typeof traceId === "string" && typeof spanId === "string" ? { traceId, spanId } : undefined;
}

/** Includes the reason of a failed span, if known. */
function statusOf([, , , , status, { reason }]: RecordedSpan): ReadableSpan["status"] {
  if (status !== "ERROR") return { code: statusCodes.unset };
  return { code: statusCodes.error, ...(typeof reason === "string" && { message: reason }) };
}

/** Index of the exported parent of each span; -1 for the root. */
function exportedParents(spans: readonly RecordedSpan[]): number[] {
  /** Latest model call below each span. It requests the tools that follow it. */
  const latestCall = new Map<number, number>();
  return spans.map(([name, parent], number) => {
    if (parent === -1) return -1;
    if (name === "llm.complete") latestCall.set(parent, number);
    if (name === "agent.run") return parent;
    if (name === "tool.call") return latestCall.get(parent) ?? runAbove(spans, parent);
    return runAbove(spans, parent);
  });
}

function runAbove(spans: readonly RecordedSpan[], from: number): number {
  let at = from;
  for (let span = spans[at]; span && span[0] !== "agent.run" && span[1] !== -1; span = spans[at])
    at = span[1];
  return at;
}

/** Returns the name, kind and attributes of a span. */
function describe(
  [name, , , , , own]: RecordedSpan,
  { session_id }: RecordedTrace,
): Pick<ReadableSpan, "name" | "kind" | "attributes"> {
  const attributes = plainAttributes(own);
  const text = (key: string) => String(own[key] ?? "unknown");
  switch (name) {
    case "agent.run":
      return {
        name: `agent.run.${text("agent")}`,
        kind: kinds.internal,
        attributes: {
          ...attributes,
          "agent.name": text("agent"),
          "session.id": session_id,
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": text("agent"),
          "gen_ai.conversation.id": session_id,
          ...errorType(own.error),
        },
      };
    case "llm.complete":
      return {
        name: `provider.call.${text("provider")}`,
        kind: kinds.client,
        attributes: {
          ...attributes,
          "provider.name": text("provider"),
          "model.name": text("model"),
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": text("provider"),
          "gen_ai.request.model": text("model"),
          ...(own.error === undefined ? { "gen_ai.response.model": text("model") } : {}),
          ...numbers({
            "gen_ai.usage.input_tokens": own.input_tokens,
            "gen_ai.usage.output_tokens": own.output_tokens,
          }),
          ...errorType(own.error),
          ...(own.finish === undefined ? {} : { "gen_ai.response.finish_reasons": [text("finish")] }),
        },
      };
    case "tool.call":
      return {
        name: `tool.execute.${text("tool")}`,
        kind: kinds.internal,
        attributes: {
          ...attributes,
          "tool.name": text("tool"),
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": text("tool"),
          ...(own.ok === false ? errorType("tool_failed") : {}),
        },
      };
    default:
      return { name, kind: kinds.internal, attributes };
  }
}

function errorType(code: unknown): Attributes {
  return typeof code === "string" ? { "error.type": code } : {};
}

function numbers(values: Record<string, unknown>): Attributes {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/** OpenTelemetry's attributes are flat, so objects are converted to JSON text. */
function plainAttributes(attributes: Record<string, unknown>): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      `argosy.${name}`,
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? value
        : (JSON.stringify(value) ?? ""),
    ]),
  );
}

function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1_000_000)];
}

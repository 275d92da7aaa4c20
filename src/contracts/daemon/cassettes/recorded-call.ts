import type { Span } from "../runs/run.ts";
import type { Cassette, CassetteEntry, EntryOf } from "./cassette-file.ts";

/** Attribute of `llm.complete` and `tool.call` spans in a recorded run: the `seq` of the cassette's entry. */
export const entryAttribute = "cassette_entry";

/** A recorded model call, as the model received it. */
export interface ModelCallRequest {
  messages: readonly RecordedMessage[];
  tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[];
  toolChoice: "auto" | "none" | "required" | { tool: string };
  stream: boolean;
  /** The caller's parameters that differ from the agent's. */
  parameters?: Record<string, unknown>;
  answerTokensMax?: number;
  answerSchema?: { name: string; schema: Record<string, unknown> };
}

export type RecordedMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string; images?: readonly { mediaType: string; data: string }[] }
  | {
      role: "assistant";
      content: string;
      toolCalls?: readonly {
        id: string;
        name: string;
        input: Record<string, unknown>;
        unparsable?: string;
      }[];
    }
  | { role: "tool"; callId: string; name: string; content: string };

/** A model's answer, assembled from its events. */
export interface ModelCallAnswer {
  /** Undefined if no model answered. */
  provider?: string;
  model?: string;
  text: string;
  toolCalls: { id: string; name: string; input: Record<string, unknown>; unparsable?: string }[];
  finish?: string;
  usage?: { inputTokens: number; outputTokens: number; cachedTokens: number; estimated: boolean };
  error?: { code: string; message: string };
}

/** Returns the entry for a span of the recorded run; undefined for other spans, and for calls that ended at their beginning. */
export function entryOfSpan({ entries }: Cassette, { attributes }: Span): CassetteEntry | undefined {
  const seq = attributes[entryAttribute];
  return typeof seq === "number" ? entries.find((entry) => entry.seq === seq) : undefined;
}

/** Returns the request and answer of the model call in this `llm.complete` span; undefined for other spans. */
export function modelCallOfSpan(
  cassette: Cassette,
  span: Span,
): { request: ModelCallRequest; answer: ModelCallAnswer } | undefined {
  const entry = entryOfSpan(cassette, span);
  if (entry?.kind !== "model") return undefined;
  return { request: entry.request as ModelCallRequest, answer: recordedAnswer(entry) };
}

/** Assembles an answer from a model's events. */
export function recordedAnswer({ answer: { events, error } }: EntryOf<"model">): ModelCallAnswer {
  const answer: ModelCallAnswer = { text: "", toolCalls: [] };
  for (const event of events) {
    if (event.type === "text") answer.text += event.text;
    else if (event.type === "tool_call") answer.toolCalls.push(event.call);
    else if (event.type === "chosen") {
      answer.provider = event.provider;
      answer.model = event.model;
    } else if (event.type === "end") {
      answer.finish = event.finish;
      answer.usage = event.usage;
    }
  }
  if (error !== undefined) answer.error = { code: error.code, message: error.message };
  return answer;
}

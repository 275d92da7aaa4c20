import type { Cassette, CassetteEntry, EntryOf } from "./cassette-file.ts";
import type { Span } from "./run.ts";

/** The attribute of `llm.complete` and `tool.call` spans of a recorded run: the `seq` of the cassette's entry. */
export const entryAttribute = "cassette_entry";

/** A model call as it was recorded: what the model saw. */
export interface RecordedRequest {
  messages: readonly RecordedMessage[];
  tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[];
  toolChoice: "auto" | "none" | "required" | { tool: string };
  stream: boolean;
  /** What the caller wanted other than the agent's own. */
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

/** What a model answered, put together from its events. */
export interface RecordedAnswer {
  /** Undefined: nobody answered. */
  provider?: string;
  model?: string;
  text: string;
  toolCalls: { id: string; name: string; input: Record<string, unknown>; unparsable?: string }[];
  finish?: string;
  usage?: { inputTokens: number; outputTokens: number; cachedTokens: number; estimated: boolean };
  error?: { code: string; message: string };
}

/** The entry behind a span of the recorded run; undefined for other spans, and for calls that got no further than their beginning. */
export function entryOfSpan({ entries }: Cassette, { attributes }: Span): CassetteEntry | undefined {
  const seq = attributes[entryAttribute];
  return typeof seq === "number" ? entries.find((entry) => entry.seq === seq) : undefined;
}

/** What the model saw and said in the call of this `llm.complete` span; undefined for other spans. */
export function modelCallOfSpan(
  cassette: Cassette,
  span: Span,
): { request: RecordedRequest; answer: RecordedAnswer } | undefined {
  const entry = entryOfSpan(cassette, span);
  if (entry?.kind !== "model") return undefined;
  return { request: entry.request as RecordedRequest, answer: recordedAnswer(entry) };
}

/** What a model's events come to. */
export function recordedAnswer({ answer: { events, error } }: EntryOf<"model">): RecordedAnswer {
  const answer: RecordedAnswer = { text: "", toolCalls: [] };
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

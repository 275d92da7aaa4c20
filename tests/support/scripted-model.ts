import type { Model, ModelEvent, ModelRequest } from "../../src/engine/models/model.ts";

/** A scripted model's behaviour in one call: a text, all these events, a failure before or after some text, or any function. */
export type ScriptedCall =
  | string
  | readonly ModelEvent[]
  | Error
  | { text: string; cutBy: Error }
  | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export interface ScriptedModel extends Model {
  /** Its requests, in order. */
  readonly requests: ModelRequest[];
}

/** A model in this process that plays its calls one after the other; the last repeats. Default: it says `hi from <provider>`. */
export function scriptedModel(
  fields: Partial<Model> & { provider: string },
  calls: readonly ScriptedCall[] = [`hi from ${fields.provider}`],
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    model: "m",
    local: false,
    simulated: false,
    contextWindow: 8000,
    ...fields,
    requests,
    async *call(request, signal) {
      const call = calls[Math.min(requests.push(request), calls.length) - 1] ?? "";
      if (typeof call === "function") return yield* call(request, signal);
      if (call instanceof Error) throw call;
      if (isEvents(call)) return yield* call;
      yield { type: "text", text: typeof call === "string" ? call : call.text };
      if (typeof call !== "string") throw call.cutBy;
      yield endOfAnswer;
    },
  };
}

function isEvents(call: ScriptedCall): call is readonly ModelEvent[] {
  return Array.isArray(call);
}

export const endOfAnswer: Extract<ModelEvent, { type: "end" }> = {
  type: "end",
  finish: "stop",
  usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0, estimated: false },
};

/** A request with one user message and no tools. */
export function requestOf(query: string, fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: "user", content: query }],
    tools: [],
    toolChoice: "auto",
    stream: true,
    ...fields,
  };
}

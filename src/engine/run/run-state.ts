import type { ToolCallRecord } from "../../contracts/daemon/run.ts";
import type { FinishReason, Message, Usage } from "../models/model.ts";

/** Everything a run has gathered so far, as plain data: what a paused run would be stored as. */
export interface RunState {
  version: 1;
  /** What the model has seen and said, oldest first, without the system prompt. */
  messages: Message[];
  /** The answer so far: what was streamed, joined. */
  answer: string;
  /** Model calls of the orchestration loop. */
  iterations: number;
  toolCalls: ToolCallRecord[];
  usage: Usage;
  /** Why the last model call ended. */
  finish: FinishReason;
  modelMs: number;
  toolMs: number;
  /** Who gave the last answer. */
  provider: string;
  model: string;
  simulated: boolean;
}

export function newRunState(messages: Message[]): RunState {
  return {
    version: 1,
    messages,
    answer: "",
    iterations: 0,
    toolCalls: [],
    finish: "stop",
    usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: false },
    modelMs: 0,
    toolMs: 0,
    provider: "",
    model: "",
    simulated: false,
  };
}

export function addUsage(total: Usage, call: Usage): void {
  total.inputTokens += call.inputTokens;
  total.outputTokens += call.outputTokens;
  total.cachedTokens += call.cachedTokens;
  total.estimated ||= call.estimated;
}

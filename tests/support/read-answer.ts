import type { Model, ModelEvent, ModelRequest, ToolCall } from "../../src/engine/models/model.ts";
import { ModelFailure } from "../../src/engine/models/model-failure.ts";
import { requestOf } from "./scripted-model.ts";

export interface Answer {
  /** The text joined. */
  text: string;
  calls: ToolCall[];
  end: Extract<ModelEvent, { type: "end" }> | undefined;
  /** The failure that ended it, if one did. */
  failure: ModelFailure | undefined;
}

/** Calls a model and reads its answer to the end, or to the failure; any other error is thrown. */
export async function readAnswer(
  model: Model,
  request: ModelRequest = requestOf("hi"),
  signal: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const answer: Answer = { text: "", calls: [], end: undefined, failure: undefined };
  try {
    for await (const event of model.call(request, signal)) {
      if (event.type === "text") answer.text += event.text;
      else if (event.type === "texts") answer.text += event.texts.join("");
      else if (event.type === "tool_call") answer.calls.push(event.call);
      else if (event.type === "end") answer.end = event;
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelFailure)) throw thrown;
    answer.failure = thrown;
  }
  return answer;
}

import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import { type AwaitedRun, awaitedIn } from "../paused-runs/paused-runs.ts";
import type { EventForm } from "../runs/stream-run.ts";
import { OpenCalls } from "./open-calls.ts";

type Chunk = { type: string } & Record<string, unknown>;

const finishReasons = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
} as const;

/** Writes the events of a run as chunks of the AI SDK's UI message stream (ai-sdk.dev, "Stream protocols"). */
export function uiMessageForm(ports: {
  clientTools: ReadonlySet<string>;
  newId: NewId;
  /** True if the chunks go on with the interface's last message. */
  isContinued: boolean;
}): EventForm {
  const { clientTools, newId, isContinued } = ports;
  const calls = new OpenCalls(clientTools);
  let hasBegun = false;
  let textId: string | undefined;

  function* begin(): Generator<Chunk> {
    if (hasBegun) return;
    hasBegun = true;
    yield { type: "start", ...(!isContinued && { messageId: newId() }) };
    yield { type: "start-step" };
  }
  function* text(delta: string): Generator<Chunk> {
    if (delta === "") return;
    if (textId === undefined) {
      textId = newId();
      yield { type: "text-start", id: textId };
    }
    yield { type: "text-delta", id: textId, delta };
  }
  function* endText(): Generator<Chunk> {
    if (textId !== undefined) yield { type: "text-end", id: textId };
    textId = undefined;
  }
  function* call(toolCallId: string, toolName: string, input: unknown, isOurs: boolean): Generator<Chunk> {
    yield* endText();
    const part = { toolCallId, toolName, dynamic: true, ...(isOurs && { providerExecuted: true }) };
    yield { type: "tool-input-start", ...part };
    yield { type: "tool-input-available", ...part, input };
  }
  function* finish(finishReason: string): Generator<Chunk> {
    yield* endText();
    yield { type: "finish-step" };
    yield { type: "finish", finishReason };
  }
  function* chunksOf(event: RunEvent): Generator<Chunk> {
    yield* begin();
    switch (event.type) {
      case "token":
        return yield* text(event.content);
      case "tokens":
        return yield* text(event.contents.join(""));
      case "tool_call":
        calls.begin(event);
        if (!calls.isCallers(event)) yield* call(event.id, event.tool, event.input, true);
        return;
      case "tool_result": {
        calls.end(event.id);
        if (calls.isCallers(event)) return;
        yield* endText();
        const part = { toolCallId: event.id, dynamic: true, providerExecuted: true };
        const output = event.output ?? null;
        return yield event.ok
          ? { type: "tool-output-available", ...part, output }
          : { type: "tool-output-error", ...part, errorText: JSON.stringify(output) };
      }
      case "step":
      case "handoff":
      case "guardrail":
        return yield { type: `data-${event.type}`, data: event, transient: true };
      case "done":
        yield* finish(finishReasons[event.finish]);
    }
  }
  function* wait(awaited: AwaitedRun): Generator<Chunk> {
    if (awaited.status === "awaiting_tool_result") {
      yield* call(awaited.call_id, awaited.tool, awaited.input, false);
      return yield* finish("tool-calls");
    }
    yield* endText();
    let toolCallId = calls.waiting(awaited.tool)?.id;
    if (toolCallId === undefined) {
      toolCallId = awaited.approval_id;
      yield* call(toolCallId, awaited.tool, {}, true);
    }
    const { approval_id, question } = awaited;
    if (question !== undefined)
      yield { type: "data-question", id: approval_id, data: { approval_id, question } };
    yield { type: "tool-approval-request", approvalId: awaited.approval_id, toolCallId };
    yield* finish("tool-calls");
  }
  function* fail(error: AppError): Generator<Chunk> {
    yield* begin();
    const awaited = awaitedIn(error);
    if (awaited !== undefined) return yield* wait(awaited);
    yield* endText();
    yield { type: "error", errorText: error.message };
  }
  const isOver = new Set(["finish", "error"]);
  const encoded = (chunks: Iterable<Chunk>) => {
    let written = "";
    for (const chunk of chunks) {
      written += `data: ${JSON.stringify(chunk)}\n\n`;
      if (isOver.has(chunk.type)) written += "data: [DONE]\n\n";
    }
    return written;
  };
  return { encode: (event) => encoded(chunksOf(event)), encodeError: (error) => encoded(fail(error)) };
}

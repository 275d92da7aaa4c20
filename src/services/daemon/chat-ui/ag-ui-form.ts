import type { AgUiInput } from "../../../contracts/daemon/chat-ui.ts";
import { answerSchema } from "../../../contracts/daemon/questions/check-answer.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import { type AwaitedRun, awaitedIn } from "../paused-runs/paused-runs.ts";
import type { EventForm } from "../runs/stream-run.ts";
import { OpenCalls } from "./open-calls.ts";

const approvalSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, comment: { type: "string" } },
  required: ["approved"],
};

type AgUiEvent = { type: string } & Record<string, unknown>;

/** Writes the events of a run as those of AG-UI 1.0 (docs.ag-ui.com, "Events"). */
export function agUiForm(
  { threadId, runId, state }: AgUiInput,
  { clientTools, newId }: { clientTools: ReadonlySet<string>; newId: NewId },
): EventForm {
  const calls = new OpenCalls(clientTools);
  let hasBegun = false;
  let messageId: string | undefined;

  function* begin(): Generator<AgUiEvent> {
    if (hasBegun) return;
    hasBegun = true;
    yield { type: "RUN_STARTED", threadId, runId };
    if (state != null) yield { type: "STATE_SNAPSHOT", snapshot: state };
  }
  function* text(delta: string): Generator<AgUiEvent> {
    if (delta === "") return;
    if (messageId === undefined) {
      messageId = newId();
      yield { type: "TEXT_MESSAGE_START", messageId, role: "assistant" };
    }
    yield { type: "TEXT_MESSAGE_CONTENT", messageId, delta };
  }
  function* endText(): Generator<AgUiEvent> {
    if (messageId !== undefined) yield { type: "TEXT_MESSAGE_END", messageId };
    messageId = undefined;
  }
  function* call(toolCallId: string, toolCallName: string, input: unknown): Generator<AgUiEvent> {
    yield* endText();
    yield { type: "TOOL_CALL_START", toolCallId, toolCallName };
    yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input) };
    yield { type: "TOOL_CALL_END", toolCallId };
  }
  function* step(stepName: string): Generator<AgUiEvent> {
    yield* endText();
    yield { type: "STEP_STARTED", stepName };
    yield { type: "STEP_FINISHED", stepName };
  }
  function* eventsOf(event: RunEvent): Generator<AgUiEvent> {
    yield* begin();
    switch (event.type) {
      case "token":
        return yield* text(event.content);
      case "tokens":
        return yield* text(event.contents.join(""));
      case "tool_call":
        calls.begin(event);
        if (!calls.isCallers(event)) yield* call(event.id, event.tool, event.input);
        return;
      case "tool_result": {
        calls.end(event.id);
        if (calls.isCallers(event)) return;
        yield* endText();
        const content = JSON.stringify(event.output ?? null);
        return yield {
          type: "TOOL_CALL_RESULT",
          messageId: newId(),
          toolCallId: event.id,
          content,
          role: "tool",
        };
      }
      case "step":
        return yield* step(event.name);
      case "handoff":
        return yield* step(`${event.from} → ${event.to}`);
      case "guardrail":
        return yield { type: "CUSTOM", name: "guardrail", value: event };
      case "done":
        yield* endText();
        yield { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } };
    }
  }
  function* wait(awaited: AwaitedRun): Generator<AgUiEvent> {
    if (awaited.status === "awaiting_tool_result") {
      yield* call(awaited.call_id, awaited.tool, awaited.input);
      return yield { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } };
    }
    yield* endText();
    const toolCallId = calls.waiting(awaited.tool)?.id;
    const { question } = awaited;
    const interrupt = {
      id: awaited.approval_id,
      ...(toolCallId !== undefined && { toolCallId }),
      expiresAt: awaited.expires_at,
      ...(question === undefined
        ? { reason: "tool_call", message: `${awaited.tool} needs approval.`, responseSchema: approvalSchema }
        : {
            reason: "input_required",
            message: question.message,
            responseSchema: answerSchema(question),
            metadata: { question },
          }),
    };
    yield { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts: [interrupt] } };
  }
  function* fail(error: AppError): Generator<AgUiEvent> {
    yield* begin();
    const awaited = awaitedIn(error);
    if (awaited !== undefined) return yield* wait(awaited);
    yield* endText();
    yield { type: "RUN_ERROR", message: error.message, code: error.code };
  }
  return { encode: (event) => encoded(eventsOf(event)), encodeError: (error) => encoded(fail(error)) };
}

function encoded(events: Iterable<AgUiEvent>): string {
  let text = "";
  for (const event of events) text += `data: ${JSON.stringify(event)}\n\n`;
  return text;
}

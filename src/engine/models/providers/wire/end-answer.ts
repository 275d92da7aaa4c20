import type { NewId } from "../../../../kit/id.ts";
import type { FailureSign } from "../../judge-call.ts";
import type { Echo, ModelEvent, ModelRequest, ThoughtDetail, ToolCall, Usage } from "../../model.ts";
import { ModelFailure } from "../../model-failure.ts";
import { usedCallIds } from "./call-ids.ts";
import type { Subject } from "./failure.ts";
import { readFinishReason } from "./finish-reason.ts";
import { extraOf, finishToolCalls, type ToolCallDraft } from "./tool-calls.ts";
import { completeUsage, type ReportedUsage } from "./usage.ts";

/** The parts of a complete answer. */
export interface ReadAnswer {
  text: string;
  drafts: readonly ToolCallDraft[];
  /** Why the model stopped, in the server's words; undefined if the server did not say. */
  reason: unknown;
  usage: ReportedUsage | undefined;
  thoughts?: string;
  /** The thoughts as clients carry them back, by what the provider needs of them. */
  details?: readonly ThoughtDetail[];
  /** Returns the data that the provider needs back with these calls. */
  echo?: ((calls: readonly ToolCall[]) => Echo | undefined) | undefined;
}

const toolCallsMax = 128;
/** Thoughts that are kept for the trace. */
const thoughtsCharsMax = 256 * 1024;

/** The closing events of an answer: the tool calls, then the end. Throws ModelFailure if there was no answer. */
export function endAnswer(
  subject: Subject,
  request: ModelRequest,
  answer: ReadAnswer,
  newId: NewId,
): ModelEvent[] {
  const { text, usage } = answer;
  const { finish: special, end } = readFinishReason(answer.reason);
  const toolCalls = finishToolCalls(answer.drafts, newId, end, usedCallIds(answer.drafts, request.messages));
  const finish = special ?? (toolCalls.length > 0 ? "tool_calls" : "stop");
  // Calls in an answer that a filter interrupted are not carried out.
  const calls = finish === "content_filter" ? [] : toolCalls;
  const spent = () => usage && completeUsage(usage, request, text, toolCalls);
  if (calls.length > toolCallsMax) {
    throw unusable(subject, `asked for more than ${toolCallsMax} tool calls`, spent());
  }
  if (calls.some((call) => call.name === "")) {
    throw unusable(subject, "asked for a tool without naming it", spent());
  }
  if (text === "" && calls.length === 0 && finish !== "length") {
    if (finish === "content_filter") {
      const message = `${subject.name} refused to answer this request.`;
      throw new ModelFailure("content_refused", message, { usage: spent() });
    }
    const spoke = (usage?.outputTokens ?? 0) > 0;
    throw unusable(subject, "gave an empty answer", spent(), { sign: "empty", spoke });
  }
  const isWhole = finish !== "content_filter";
  const echo = isWhole ? answer.echo?.(calls) : undefined;
  const details = isWhole && answer.details?.length ? answer.details : undefined;
  const extra = extraOf(answer.drafts, calls);
  return [
    ...calls.map((call): ModelEvent => ({ type: "tool_call", call })),
    {
      type: "end",
      finish,
      usage: completeUsage(usage, request, text, calls),
      ...(echo && { echo }),
      ...(details && { details }),
      ...(extra && { extra }),
      ...(answer.thoughts && { thoughts: answer.thoughts.slice(0, thoughtsCharsMax) }),
    },
  ];
}

/** The failure of a model whose answer is unusable. */
export function unusable(
  subject: Subject,
  what: string,
  usage?: Usage,
  sign: FailureSign = { sign: "garbled" },
): ModelFailure {
  return new ModelFailure("unusable", `${subject.name} ${what}.`, { usage, sign });
}

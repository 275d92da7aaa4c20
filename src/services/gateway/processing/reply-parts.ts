import {
  type AnswerFormat,
  formatAnswer,
  type MessageText,
} from "../../../channels/formatting/format-answer.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { PlatformRunResult } from "../../../contracts/platform/runs/runs.ts";
import { fieldsOf } from "../../../kit/json/is-record.ts";

/** Divides an answer into messages. */
const mark = "[[+]]";
const partsMax = 5;
/** Messages that one part may need on a channel with short texts. */
const piecesMax = 100;

/**
 * Divides an answer at each `[[+]]` into at most five messages, writes them as the channel shows them, and divides one that is too long for
 * the channel at a sentence or line.
 */
export function replyParts(channel: ChannelName, answer: string, format: AnswerFormat): MessageText[] {
  const marked = answer
    .split(mark)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const rest = marked.slice(partsMax - 1).join("\n");
  const parts = [...marked.slice(0, partsMax - 1), ...(rest === "" ? [] : [rest])];
  return parts.flatMap((part) => formatAnswer(channel, part, { format, partsMax: piecesMax }));
}

/** What an answer decides about its conversation. */
export interface AnswerRoute {
  text: string;
  /** False: the next message begins a new conversation. */
  opens: boolean;
  /** Agent that serves from the next message on. */
  handoffAgent: string | undefined;
  /** Why a person is to look; undefined: none is asked for. */
  takeover: string | undefined;
}

/** Reads an answer. An agent with an output schema puts its text into `answer` or `text`, and its decisions into `route`. */
export function routeOf({ answer, data }: PlatformRunResult): AnswerRoute {
  const fields = fieldsOf(data);
  const route = fieldsOf(fields.route);
  const said = [fields.answer, fields.text].find((text) => typeof text === "string");
  const { start_session: opens, handoff_agent: handoffAgent } = route;
  const { reason } = fieldsOf(route.takeover);
  const isAgent = typeof handoffAgent === "string" && handoffAgent !== "" && handoffAgent.length <= 63;
  return {
    text: typeof said === "string" ? said : answer,
    opens: opens !== false,
    handoffAgent: isAgent ? handoffAgent : undefined,
    takeover: typeof reason === "string" && reason.trim() !== "" ? reason : asksPerson(route.takeover),
  };
}

/** A wish without a reason is a wish. */
const asksPerson = (takeover: unknown): string | undefined =>
  takeover === true || (typeof takeover === "object" && takeover !== null) ? "takeover" : undefined;

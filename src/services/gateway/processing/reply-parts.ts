import type { OutgoingLimits } from "../../../channels/sending/outgoing-message.ts";
import { splitText } from "../../../channels/sending/split-text.ts";
import type { PlatformRunResult } from "../../../contracts/platform/runs/runs.ts";
import { fieldsOf } from "../../../kit/json/is-record.ts";

/** Divides an answer into messages. */
const mark = "[[+]]";
const partsMax = 5;
/** Messages that one part may need on a channel with short texts. */
const piecesMax = 100;

/** Divides an answer at each `[[+]]` into at most five messages, and a message that is too long for the channel at a sentence or line. */
export function replyParts(answer: string, { max, unit }: OutgoingLimits["text"]): string[] {
  const marked = answer
    .split(mark)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const rest = marked.slice(partsMax - 1).join("\n");
  const parts = [...marked.slice(0, partsMax - 1), ...(rest === "" ? [] : [rest])];
  return parts.flatMap((part) =>
    unit === "bytes" ? splitBytes(part, max) : splitText(part, max, piecesMax),
  );
}

/** Splits into parts of at most `bytesMax` bytes of UTF-8: by characters first, and smaller while a part is too long. */
function splitBytes(text: string, bytesMax: number, charsMax = bytesMax): string[] {
  return splitText(text, charsMax, piecesMax).flatMap((part) => {
    const bytes = Buffer.byteLength(part);
    if (bytes <= bytesMax) return [part];
    return splitBytes(part, bytesMax, Math.max(4, Math.floor((part.length * bytesMax) / bytes)));
  });
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

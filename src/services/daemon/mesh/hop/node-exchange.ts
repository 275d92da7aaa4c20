import { refusalOf } from "../../../../contracts/service-call.ts";
import { readBounded, readShortText } from "../../../../kit/fetch/bounded-body.ts";
import { answerHeader, signatureHeader } from "../../../../mesh/message-signature.ts";
import { lineCharsMax } from "./run-lines.ts";
import { linesType, wholeType } from "./whole-answer.ts";

export const runPath = "/v1/mesh/run";

/** The answer of a node to a run: whole, or its head and then its lines, in pieces. The seal proves who wrote the whole, or the head. */
export type NodeAnswer = { seal: string | null } & (
  | { whole: string | Promise<string> }
  | { pieces: AsyncIterable<string | Uint8Array> }
);

/** A run that was sent to another node. */
export interface NodeExchange {
  /** Rejects with the node's refusal, with the reason for which this node left, or if the connection failed. */
  answer: Promise<NodeAnswer>;
  /** Stops waiting, and lets the node know. */
  leave(reason: unknown): void;
}

type NodeFetch = (url: string, init: RequestInit) => Promise<Response>;

const sentHeaders = { "content-type": "application/json", accept: `${linesType}, ${wholeType}` };

/** Sends a run in a request of its own. */
export function postRun(fetch: NodeFetch, baseUrl: string, signature: string, text: string): NodeExchange {
  const over = new AbortController();
  const init: RequestInit = {
    method: "POST",
    body: text,
    headers: { ...sentHeaders, [signatureHeader]: signature },
    signal: over.signal,
  };
  return {
    answer: answerOf(fetch(`${baseUrl}${runPath}`, init)),
    leave: (reason) => over.abort(reason),
  };
}

async function answerOf(posted: Promise<Response>): Promise<NodeAnswer> {
  const response = await posted;
  if (!response.ok) throw await refusalOf(response);
  const seal = response.headers.get(answerHeader);
  if (response.headers.get("content-type") !== wholeType) return { seal, pieces: response.body ?? nothing() };
  return { seal, whole: readShortText(response, lineCharsMax) ?? readText(response) };
}

const readText = async (response: Response) =>
  new TextDecoder().decode(await readBounded(response, lineCharsMax));

async function* nothing(): AsyncGenerator<Uint8Array, void> {}

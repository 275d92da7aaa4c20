import type { Clock } from "../../../kit/clock.ts";
import { sleep } from "../../../kit/clock.ts";
import type { ModelStandIn } from "../../../kit/outages/fault-switch.ts";

/** Behaviour of a model server of the drill. */
export type Behaviour = "answers" | "silent" | "throttled" | "failing" | "slow" | "cut";

export const modelNames = ["first", "second", "neighbour"] as const;
export type ModelName = (typeof modelNames)[number];

/** Model servers that exist only inside this process, for the agents of a drill. No call to them leaves it or costs anything. */
export interface DrillModels {
  standIn: ModelStandIn;
  set(name: ModelName, behaviour: Behaviour): void;
  /** Number of completions asked of a server so far. */
  calls(name: ModelName): number;
}

/** Pieces of every answer; together they are `wholeAnswer`. */
const pieces = ["All ", "five ", "pieces ", "have ", "arrived."];
export const wholeAnswer = pieces.join("");

/** Pause between two pieces of a slow stream. */
export const slowPieceMs = 200;
/** Wait that a throttled server asks for. */
export const retryAfterMs = 1000;
/** Pieces sent before a stream is cut. */
export const piecesBeforeCut = 2;

/** The reserved domain `invalid` never resolves, so these addresses reach no server when no drill runs. */
export const endpointOf = (name: ModelName): string => `http://${name}.argosy-drill.invalid/v1`;

export function createDrillModels(clock: Clock): DrillModels {
  const behaviours = new Map<ModelName, Behaviour>();
  const counts = new Map<ModelName, number>();
  return {
    set: (name, behaviour) => void behaviours.set(name, behaviour),
    calls: (name) => counts.get(name) ?? 0,
    standIn(url, init) {
      const name = modelNames.find((each) => url.startsWith(`${endpointOf(each)}/`));
      if (name === undefined) return undefined;
      if (!url.endsWith("/chat/completions")) return Promise.resolve(modelList());
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return answer(behaviours.get(name) ?? "answers", init, clock);
    },
  };
}

const modelList = () => Response.json({ object: "list", data: [{ id: "drill", object: "model" }] });

function answer(behaviour: Behaviour, init: RequestInit, clock: Clock): Promise<Response> {
  if (behaviour === "silent") return silence(init.signal ?? undefined);
  if (behaviour === "throttled")
    return Promise.resolve(
      refusal(429, "The drill asks for fewer requests.", { "retry-after": String(retryAfterMs / 1000) }),
    );
  if (behaviour === "failing") return Promise.resolve(refusal(500, "The drill fails."));
  const isStream = typeof init.body === "string" && init.body.includes('"stream":true');
  if (!isStream && behaviour !== "cut") return Promise.resolve(wholeCompletion());
  return Promise.resolve(streamed(behaviour, clock));
}

/** Never answers; rejects when the caller gives up. */
function silence(signal: AbortSignal | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { message, type: "drill" } }, { status, headers });

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const wholeCompletion = () =>
  Response.json({
    id: "drill",
    object: "chat.completion",
    model: "drill",
    choices: [{ index: 0, message: { role: "assistant", content: wholeAnswer }, finish_reason: "stop" }],
    usage,
  });

/** Streams the answer. A slow stream pauses before each piece; a cut one ends in an error of the connection. */
function streamed(behaviour: Behaviour, clock: Clock): Response {
  const encoder = new TextEncoder();
  let sent = 0;
  const chunk = (delta: object, more: object = {}) =>
    encoder.encode(
      `data: ${JSON.stringify({ id: "drill", object: "chat.completion.chunk", model: "drill", choices: [{ index: 0, delta, ...more }] })}\n\n`,
    );
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (behaviour === "slow") await sleep(clock, slowPieceMs);
      if (behaviour === "cut" && sent === piecesBeforeCut) {
        controller.error(new TypeError("The drill closed the connection."));
        return;
      }
      const content = pieces[sent++];
      if (content !== undefined) {
        controller.enqueue(chunk({ content }));
        return;
      }
      controller.enqueue(chunk({}, { finish_reason: "stop" }));
      controller.enqueue(encoder.encode(`data: ${JSON.stringify({ id: "drill", choices: [], usage })}\n\n`));
      controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

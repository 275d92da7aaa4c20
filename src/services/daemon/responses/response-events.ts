import type { ResponseBody } from "../../../contracts/daemon/responses.ts";
import type { ModelEvent, ToolCall } from "../../../engine/models/model.ts";
import { type AppError, toAppError } from "../../../kit/app-error.ts";
import { encodeThoughts } from "./reasoning-item.ts";

/** An event of a streamed response, as OpenAI names it. */
export type ResponseEvent = { type: string; sequence_number: number } & Record<string, unknown>;

type Item = Record<string, unknown>;

/** What a request wants its response to have besides. */
type Include = readonly string[] | null | undefined;

/** Yields the events of one response. A failure is the last of them. */
export async function* responseEvents(
  response: ResponseBody,
  answer: AsyncIterable<ModelEvent>,
  include: Include,
): AsyncGenerator<ResponseEvent, void> {
  const writer = new ResponseWriter(response, include);
  try {
    yield* written(writer, answer);
  } catch (thrown) {
    yield writer.fail(toAppError(thrown));
  }
}

/** Fills a response with its answer. Throws what the answer throws. */
export async function fillResponse(
  response: ResponseBody,
  answer: AsyncIterable<ModelEvent>,
  include: Include,
): Promise<void> {
  for await (const _ of written(new ResponseWriter(response, include), answer)) {
    // The events say what the response has in the end.
  }
}

async function* written(
  writer: ResponseWriter,
  answer: AsyncIterable<ModelEvent>,
): AsyncGenerator<ResponseEvent, void> {
  yield* writer.begin();
  for await (const event of answer) {
    if (event.type === "text") yield* writer.text(event.text);
    else if (event.type === "texts") yield* writer.text(event.texts.join(""));
    else if (event.type === "thoughts") yield* writer.think(event.text);
    else if (event.type === "tool_call") yield* writer.call(event.call);
    else yield* writer.end(event);
  }
}

/** Writes one response piece by piece, and says each piece as an event. */
class ResponseWriter {
  readonly #response: ResponseBody;
  readonly #include: readonly string[];
  #sequence = 0;
  /** The message that is being written. */
  #message: { item: Item; index: number; part: { text: string } } | undefined;
  /** The thoughts that are being written. */
  #thoughts: { item: Item; index: number; part: { text: string } } | undefined;

  constructor(response: ResponseBody, include: Include) {
    this.#response = response;
    this.#include = include ?? [];
  }

  *begin(): Generator<ResponseEvent> {
    this.#response.status = "in_progress";
    yield this.#event("response.created", { response: { ...this.#response } });
    yield this.#event("response.in_progress", { response: { ...this.#response } });
  }

  *text(delta: string): Generator<ResponseEvent> {
    if (delta === "") return;
    yield* this.#closeThoughts();
    if (this.#message === undefined) yield* this.#openMessage();
    const message = this.#message;
    if (message === undefined) return;
    message.part.text += delta;
    yield this.#event("response.output_text.delta", { ...placeOf(message), delta, logprobs: [] });
  }

  *call(call: ToolCall): Generator<ResponseEvent> {
    yield* this.#closeThoughts();
    yield* this.#closeMessage("completed");
    const text = call.unparsable ?? JSON.stringify(call.input);
    const item: Item = {
      id: this.#itemId("fc"),
      type: "function_call",
      status: "completed",
      call_id: call.id,
      name: call.name,
      arguments: text,
    };
    const at = { item_id: item.id, output_index: this.#response.output.length };
    const added = { ...item, status: "in_progress", arguments: "" };
    yield this.#event("response.output_item.added", { output_index: at.output_index, item: added });
    yield this.#event("response.function_call_arguments.delta", { ...at, delta: text });
    yield this.#event("response.function_call_arguments.done", { ...at, name: call.name, arguments: text });
    yield* this.#add(item);
  }

  *think(delta: string): Generator<ResponseEvent> {
    if (this.#thoughts === undefined) {
      yield* this.#closeMessage("completed");
      yield* this.#openThoughts();
    }
    const thoughts = this.#thoughts;
    if (thoughts === undefined) return;
    thoughts.part.text += delta;
    yield this.#event("response.reasoning_summary_text.delta", { ...summaryPlace(thoughts), delta });
  }

  *end(end: Extract<ModelEvent, { type: "end" }>): Generator<ResponseEvent> {
    const { finish, usage } = end;
    const response = this.#response;
    const reason = { length: "max_output_tokens", content_filter: "content_filter" }[finish as string];
    const status = reason === undefined ? "completed" : "incomplete";
    yield* this.#closeThoughts();
    // An answer without a text is an empty message, unless it calls tools.
    if (this.#message === undefined && !response.output.some(isAnswer)) yield* this.#openMessage();
    yield* this.#closeMessage(status);
    yield* this.#broughtBack(encodeThoughts(end));
    response.status = status;
    response.incomplete_details = reason === undefined ? null : { reason };
    response.usage = {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cachedTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    };
    yield this.#event(`response.${status}`, { response: { ...response } });
  }

  fail(error: AppError): ResponseEvent {
    failResponse(this.#response, error);
    return this.#event("response.failed", { response: { ...this.#response } });
  }

  *#openMessage(): Generator<ResponseEvent> {
    const index = this.#response.output.length;
    const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
    const item: Item = {
      id: this.#itemId("msg"),
      type: "message",
      status: "in_progress",
      role: "assistant",
      content: [],
    };
    this.#message = { item, index, part };
    yield this.#event("response.output_item.added", { output_index: index, item: { ...item } });
    yield this.#event("response.content_part.added", { ...placeOf(this.#message), part: { ...part } });
  }

  *#closeMessage(status: "completed" | "incomplete"): Generator<ResponseEvent> {
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    const { item, part } = message;
    const place = placeOf(message);
    yield this.#event("response.output_text.done", { ...place, text: part.text, logprobs: [] });
    yield this.#event("response.content_part.done", { ...place, part });
    yield* this.#add({ ...item, status, content: [part] });
  }

  *#openThoughts(): Generator<ResponseEvent> {
    const index = this.#response.output.length;
    const item: Item = { id: this.#itemId("rs"), type: "reasoning", summary: [] };
    const part = { type: "summary_text", text: "" };
    this.#thoughts = { item, index, part };
    yield this.#event("response.output_item.added", { output_index: index, item: { ...item } });
    yield this.#event("response.reasoning_summary_part.added", {
      ...summaryPlace(this.#thoughts),
      part: { ...part },
    });
  }

  *#closeThoughts(): Generator<ResponseEvent> {
    const thoughts = this.#thoughts;
    if (thoughts === undefined) return;
    this.#thoughts = undefined;
    const { item, part } = thoughts;
    const place = summaryPlace(thoughts);
    yield this.#event("response.reasoning_summary_text.done", { ...place, text: part.text });
    yield this.#event("response.reasoning_summary_part.done", { ...place, part });
    yield* this.#add({ ...item, summary: [part] });
  }

  /** An item of its own, because a provider signs its thoughts at the answer's end. */
  *#broughtBack(encrypted: string | undefined): Generator<ResponseEvent> {
    if (encrypted === undefined || !this.#include.includes("reasoning.encrypted_content")) return;
    const item: Item = {
      id: this.#itemId("rs"),
      type: "reasoning",
      summary: [],
      encrypted_content: encrypted,
    };
    const output_index = this.#response.output.length;
    yield this.#event("response.output_item.added", { output_index, item });
    yield* this.#add(item);
  }

  *#add(item: Item): Generator<ResponseEvent> {
    const output_index = this.#response.output.length;
    this.#response.output = [...this.#response.output, item];
    yield this.#event("response.output_item.done", { output_index, item });
  }

  #itemId(kind: "msg" | "fc" | "rs"): string {
    return itemId(kind, this.#response.id, this.#response.output.length);
  }

  #event(type: string, fields: Record<string, unknown>): ResponseEvent {
    return { type, sequence_number: this.#sequence++, ...fields };
  }
}

const isAnswer = ({ type }: Item) => type !== "reasoning";

const summaryPlace = ({ item, index }: { item: Item; index: number }) => ({
  item_id: item.id,
  output_index: index,
  summary_index: 0,
});

const placeOf = ({ item, index }: { item: Item; index: number }) => ({
  item_id: item.id,
  output_index: index,
  content_index: 0,
});

/** Items are found again by their ids: an id has that of its response and the item's place. */
export function itemId(kind: "msg" | "fc" | "rs" | "in", responseId: string, index: number): string {
  return `${kind}_${responseId.slice("resp_".length)}_${index}`;
}

/** Response and place that an item's id names. */
export function readItemId(id: string): { responseId: string; index: number; isInput: boolean } | undefined {
  const [, kind, response, index] = /^(msg|fc|rs|in)_(.{1,200})_(\d{1,6})$/.exec(id) ?? [];
  if (response === undefined) return undefined;
  return { responseId: `resp_${response}`, index: Number(index), isInput: kind === "in" };
}

/** Writes a failure into a response. */
export function failResponse(
  response: ResponseBody,
  { status, message }: Pick<AppError, "status" | "message">,
): void {
  response.status = "failed";
  response.error = { code: errorCode(status), message };
}

/** The codes that clients of this API know. */
function errorCode(status: number): string {
  if (status === 429) return "rate_limit_exceeded";
  return status < 500 ? "invalid_prompt" : "server_error";
}

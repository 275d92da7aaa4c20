import type { ResponseBody, ResponseItem, ResponseRequest } from "../../../contracts/daemon/responses.ts";
import { AppError } from "../../../kit/app-error.ts";
import { invalid } from "../openai/chat-messages.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { PlacedItem } from "./read-request.ts";
import { readItemId } from "./response-events.ts";
import type { ResponseRow } from "./schema.ts";
import { findResponse, type Responses } from "./store.ts";

/** Limits of what is read for one request: as much as a request may have itself. */
const charactersMax = 1024 * 1024;
const responsesMax = 500;

/** What a request continues. */
export interface ResponseConversation {
  /** Agent that is asked; undefined for a model. */
  agent: string | undefined;
  /** Session in which the agent keeps the conversation itself. */
  sessionId: string | undefined;
  /** Items of the responses before, the oldest first; empty in a session. */
  earlier: readonly PlacedItem[];
  /** The request's own items, with those that it only names. */
  items: readonly PlacedItem[];
}

/** Reads what a request continues and names. Throws `response_not_found` for a response that is gone, never stored, or another caller's. */
export async function readConversation(
  storage: Responses,
  request: ResponseRequest,
  given: readonly PlacedItem[],
): Promise<ResponseConversation> {
  const reader = new StoredReader(storage);
  const agent = request.model.startsWith("agent/") ? request.model.slice("agent/".length) : undefined;
  const previous = request.previous_response_id ? await reader.get(request.previous_response_id) : undefined;
  if (previous?.status === "in_progress")
    throw invalid("previous_response_id", "has not ended; retrieve it until it has");
  const previousSession = previous?.agent === agent ? (previous?.sessionId ?? undefined) : undefined;
  const named = agent === undefined ? undefined : namedSession(request);
  if (previous !== undefined && named !== undefined && named !== previousSession)
    throw invalid("previous_response_id", `is not of the session ${JSON.stringify(named)}; leave one out`);
  const sessionId = agent === undefined ? undefined : (named ?? previousSession);
  const earlier = sessionId === undefined && previous !== undefined ? await reader.before(previous) : [];
  return { agent, sessionId, earlier, items: await reader.resolve(given) };
}

function namedSession({ conversation, metadata, user }: ResponseRequest): string | undefined {
  const id = typeof conversation === "string" ? conversation : conversation?.id;
  return id ?? metadata?.session_id ?? user ?? undefined;
}

/** Reads stored responses for one request, up to its limits. */
class StoredReader {
  readonly #storage: Responses;
  readonly #read = new Map<string, ResponseRow>();
  #characters = 0;

  constructor(storage: Responses) {
    this.#storage = storage;
  }

  async get(id: string): Promise<ResponseRow> {
    const known = this.#read.get(id);
    if (known !== undefined) return known;
    const row = await findResponse(this.#storage, operatorTenant, id);
    if (row === undefined) throw responseNotFound(id);
    this.#characters += row.body.length + row.input.length;
    this.#read.set(id, row);
    if (this.#characters > charactersMax || this.#read.size > responsesMax) throw tooLong();
    return row;
  }

  /** Items of a response and all before it. */
  async before(last: ResponseRow): Promise<PlacedItem[]> {
    const rows = [last];
    for (let { previousId } = last; previousId !== null; ) {
      const row = await this.get(previousId);
      rows.unshift(row);
      previousId = row.previousId;
    }
    return rows.flatMap(({ id, input, body }) =>
      [...itemsOf(input), ...outputOf(body)].map((item) => ({ item, path: `previous_response_id ${id}` })),
    );
  }

  /** Puts the items in place of those that only name them. */
  async resolve(given: readonly PlacedItem[]): Promise<PlacedItem[]> {
    const items: PlacedItem[] = [];
    for (const placed of given)
      items.push(placed.item.type === "item_reference" ? await this.#named(placed) : placed);
    return items;
  }

  async #named({ item: { id }, path }: PlacedItem): Promise<PlacedItem> {
    const place = readItemId(id ?? "");
    if (place === undefined) throw invalid(`${path}.id`, "names no item");
    const { input, body } = await this.get(place.responseId);
    const item = (place.isInput ? itemsOf(input) : outputOf(body))[place.index];
    if (item === undefined || item.id !== id) throw invalid(`${path}.id`, "names no item");
    return { item, path };
  }
}

const itemsOf = (input: string) => JSON.parse(input) as ResponseItem[];
const outputOf = (body: string) => (JSON.parse(body) as ResponseBody).output as ResponseItem[];

function tooLong(): AppError {
  return new AppError(
    "too_large",
    "conversation_too_long",
    "The responses before this one have more than 1 Mi characters, or are more than 500.",
    { details: { hint: "Send what matters of them as input, without previous_response_id." } },
  );
}

/** Another caller's response is as absent as one that never was. */
export function responseNotFound(id: string): AppError {
  return new AppError("not_found", "response_not_found", `There is no response ${JSON.stringify(id)}.`, {
    details: { hint: "Responses are kept for 30 days, except those with store: false." },
  });
}

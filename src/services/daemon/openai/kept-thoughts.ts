import { createHash } from "node:crypto";
import type { BroughtThoughts, Echo, Message, ModelEvent, ToolCall } from "../../../engine/models/model.ts";

/*
 * Some models need their thoughts back with the results of their tool calls: DeepSeek refuses a turn without them, Claude one whose signed
 * blocks have changed. Clients get them in the answer and may bring them back, but most clients of OpenAI's API drop fields that it doesn't
 * have. So this process keeps what the provider needs back, for a client that continues the same conversation.
 */

/** The latest turns that are kept, and the characters of their thoughts together. */
const turnsMax = 1000;
const charsMax = 16 * 1024 * 1024;

interface KeptTurn {
  echo: Echo;
  chars: number;
}

/** Thoughts of turns that called tools, by the conversation up to and including the turn: another conversation never gets them. */
export class KeptThoughts {
  readonly #turns = new Map<string, KeptTurn>();
  #chars = 0;

  /** Adds what is kept to the turns of a conversation that bring no thoughts, or only their text. */
  addTo(model: string, messages: readonly Message[]): readonly Message[] {
    if (this.#turns.size === 0 || !messages.some(calls)) return messages;
    const hash = conversationOf(model);
    return messages.map((message) => {
      hash.update(lineOf(message));
      if (!calls(message) || isWhole(message.thoughts)) return message;
      const turn = this.#turns.get(hash.copy().digest("base64url"));
      return turn === undefined ? message : { ...message, echo: turn.echo };
    });
  }

  /** Passes on an answer, and keeps what its provider needs back with its calls. */
  async *keepFrom(
    events: AsyncIterable<ModelEvent>,
    model: string,
    messages: readonly Message[],
  ): AsyncGenerator<ModelEvent, void> {
    let content = "";
    const toolCalls: ToolCall[] = [];
    for await (const event of events) {
      if (event.type === "text") content += event.text;
      else if (event.type === "texts") content += event.texts.join("");
      else if (event.type === "tool_call") toolCalls.push(event.call);
      else if (event.type === "end" && event.echo !== undefined && toolCalls.length > 0) {
        const hash = conversationOf(model);
        for (const message of [...messages, { role: "assistant", content, toolCalls } as const])
          hash.update(lineOf(message));
        this.#keep(hash.digest("base64url"), event.echo);
      }
      yield event;
    }
  }

  #keep(key: string, echo: Echo): void {
    const chars = JSON.stringify(echo.content).length;
    if (chars > charsMax) return;
    this.#drop(key);
    this.#turns.set(key, { echo, chars });
    this.#chars += chars;
    for (const oldest of this.#turns.keys()) {
      if (this.#turns.size <= turnsMax && this.#chars <= charsMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#chars -= this.#turns.get(key)?.chars ?? 0;
    this.#turns.delete(key);
  }
}

type Turn = Extract<Message, { role: "assistant" }>;

const calls = (message: Message): message is Turn =>
  message.role === "assistant" && message.toolCalls !== undefined;

const isWhole = (thoughts: BroughtThoughts | undefined): boolean =>
  thoughts?.details !== undefined || thoughts?.extra !== undefined;

const conversationOf = (model: string) => createHash("sha256").update(JSON.stringify(model));

/** A message as clients send it back: they may write arguments anew, and leave out blanks beside calls. */
function lineOf(message: Message): string {
  if (!calls(message)) return JSON.stringify(message);
  const { role, content, toolCalls = [] } = message;
  return JSON.stringify([role, content.trim(), toolCalls.map(({ id, name }) => [id, name])]);
}

import type { RunEvent } from "../run-state/run-event.ts";
import type { SentSoFar } from "./paused-run.ts";

/**
 * Events that readers of a run have received, over all its pauses. A resumed run repeats its events from the beginning, and `news` drops
 * the repeated ones. So the tokens of all its streams together are the answer.
 */
export class SentEvents {
  /** Characters that were sent before the pause and have not been repeated yet. */
  #charactersLeft: number;
  readonly #eventsLeft = new Map<string, number>();
  #characters: number;
  readonly #events: string[];

  constructor(sent: SentSoFar = { characters: 0, events: [] }) {
    this.#charactersLeft = sent.characters;
    this.#characters = sent.characters;
    this.#events = [...sent.events];
    for (const digest of sent.events) this.#eventsLeft.set(digest, (this.#eventsLeft.get(digest) ?? 0) + 1);
  }

  /** The part of an event that readers have not received; undefined if there is none. */
  news(event: RunEvent): RunEvent | undefined {
    if (event.type === "done") return event;
    if (event.type === "token") return this.#newText(event.content);
    const digest = digestOf(event);
    const left = this.#eventsLeft.get(digest) ?? 0;
    if (left > 0) {
      this.#eventsLeft.set(digest, left - 1);
      return undefined;
    }
    this.#events.push(digest);
    return event;
  }

  sent(): SentSoFar {
    return { characters: this.#characters, events: this.#events };
  }

  #newText(content: string): RunEvent | undefined {
    const known = Math.min(this.#charactersLeft, content.length);
    this.#charactersLeft -= known;
    if (known === content.length && known > 0) return undefined;
    this.#characters += content.length - known;
    return { type: "token", content: known === 0 ? content : content.slice(known) };
  }
}

function digestOf(event: RunEvent): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(event)).digest("base64url");
}

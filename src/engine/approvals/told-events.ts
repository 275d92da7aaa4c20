import type { RunEvent } from "../run/run-event.ts";
import type { Told } from "./paused-run.ts";

/**
 * What readers of a run have been told, over all its pauses: a run that goes on tells its beginning again, and `news` leaves
 * that out, so that the tokens of all its streams joined are the answer.
 */
export class ToldEvents {
  /** What was told before and has not come again. */
  #charactersLeft: number;
  readonly #eventsLeft = new Map<string, number>();
  #characters: number;
  readonly #events: string[];

  constructor(told: Told = { characters: 0, events: [] }) {
    this.#charactersLeft = told.characters;
    this.#characters = told.characters;
    this.#events = [...told.events];
    for (const digest of told.events) this.#eventsLeft.set(digest, (this.#eventsLeft.get(digest) ?? 0) + 1);
  }

  /** What of an event is new to readers; undefined: nothing. */
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

  told(): Told {
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

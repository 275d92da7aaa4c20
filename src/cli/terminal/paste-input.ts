import { Transform } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type Clock, systemClock } from "../../kit/clock.ts";

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";
/** Alt+Enter, as terminals send it. */
const escapeKey = "\u001b";
const newLineKey = new RegExp(`${escapeKey}(?:\\r\\n?|\\n)`, "g");

/** The rest of a mark follows at once, also over a network. */
const keyMs = 50;

/** Longer pastes are cut: no model reads more, and the rest would be lost in the middle of a query. */
const pasteCharsMax = 1_000_000;

/**
 * What a person types and pastes, for a line editor. A paste of several lines becomes one word that stands for it, such as
 * `[pasted 1: 3 lines]`, so that its line ends submit nothing; `expand` puts the text in its place. Alt+Enter becomes a backslash and Enter.
 */
export class PasteInput extends Transform {
  readonly #terminal: { setRawMode?(raw: boolean): unknown };
  readonly #decoder = new StringDecoder("utf8");
  readonly #pastes = new Map<string, string>();
  /** The text of a paste that has not ended. */
  #open: string | undefined;
  /** The possible beginning of a mark. */
  #held = "";
  readonly #clock: Clock;
  #cancelTimer: (() => void) | undefined;

  constructor(terminal: { setRawMode?(raw: boolean): unknown }, clock: Clock = systemClock) {
    super();
    this.#terminal = terminal;
    this.#clock = clock;
  }

  /** The line editor sets the mode of what it reads from. */
  setRawMode(raw: boolean): this {
    this.#terminal.setRawMode?.(raw);
    return this;
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#take(this.#held + this.#decoder.write(chunk));
    done();
  }

  /** The text with each paste in the place of its word. */
  expand(text: string): string {
    return text.replace(/\[pasted \d+: \d+ lines\]/g, (word) => this.#pastes.get(word) ?? word);
  }

  #take(given: string): void {
    let text = given;
    this.#held = "";
    this.#cancelTimer?.();
    while (text !== "") {
      const mark = this.#open === undefined ? pasteStart : pasteEnd;
      const at = text.indexOf(mark);
      if (at === -1) {
        const pending = heldOf(text, mark);
        this.#pass(text.slice(0, text.length - pending));
        if (pending > 0) this.#hold(text.slice(-pending));
        return;
      }
      this.#pass(text.slice(0, at));
      text = text.slice(at + mark.length);
      if (this.#open === undefined) this.#open = "";
      else {
        const pasted = this.#open;
        this.#open = undefined;
        this.#write(this.#wordOf(pasted));
      }
    }
  }

  /** Keeps the beginning of a mark until more arrives; a key, such as Escape, is passed on when nothing follows. */
  #hold(text: string): void {
    this.#held = text;
    if (this.#open !== undefined) return;
    this.#cancelTimer = this.#clock.timer(keyMs, () => {
      this.#held = "";
      this.#pass(text);
    });
  }

  #pass(text: string): void {
    if (this.#open === undefined) this.#write(text.replace(newLineKey, "\\\r"));
    else this.#open = (this.#open + text).slice(0, pasteCharsMax);
  }

  #write(text: string): void {
    if (text !== "") this.push(text);
  }

  #wordOf(pasted: string): string {
    const text = pasted.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
    const lines = text.split("\n").length;
    // Keys of the line editor are not part of a text.
    if (lines === 1) return text.replaceAll("\t", " ").replace(/\p{Cc}/gu, "");
    const word = `[pasted ${this.#pastes.size + 1}: ${lines} lines]`;
    this.#pastes.set(word, text);
    return word;
  }
}

/** How many characters at the end may be the beginning of `mark`. */
function heldOf(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

import { AppError } from "../app-error.ts";

export interface SseMessage {
  event?: string;
  data: string;
  id?: string;
}

/** Encodes one event as `text/event-stream`. Line breaks in the data are kept; those in a name or an id become spaces. */
export function encodeSse(message: SseMessage): string {
  // Most events are one line of JSON.
  if (message.event === undefined && message.id === undefined && !/[\r\n]/.test(message.data)) {
    return `data: ${message.data}\n\n`;
  }
  let text = "";
  if (message.event !== undefined) text += `event: ${oneLine(message.event)}\n`;
  if (message.id !== undefined) text += `id: ${oneLine(message.id)}\n`;
  for (const line of message.data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`;
  return `${text}\n`;
}

function oneLine(value: string): string {
  return value.replace(/[\r\n\0]+/g, " ");
}

/**
 * Yields, per network chunk, the data of the events that it completes, often none: a comment is a sign of life. Stopping early cancels the body. An incomplete event of more than
 * `charsMax` characters is AppError `upstream_failed`. Invalid UTF-8 is replaced, as the standard requires.
 */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  charsMax = eventCharsMax,
): AsyncGenerator<string[], void> {
  const decoder = new TextDecoder();
  const parser = new SseParser(charsMax);
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const events = done
        ? parser.end(decoder.decode())
        : parser.push(decoder.decode(value, { stream: true }));
      if (!done || events.length > 0) yield events;
      if (done) return;
    }
  } finally {
    // After the end or failure of the body, there is nothing to cancel.
    reader.cancel().catch(() => undefined);
  }
}

const eventCharsMax = 1024 * 1024;

/** Splits text into events (WHATWG HTML, "server-sent events"). Names, ids and retry times are ignored. */
class SseParser {
  /** The incomplete last line. It is never searched again, so tiny chunks of a long line stay cheap. */
  #rest = "";
  #data: string | undefined;
  #afterCarriageReturn = false;
  readonly #charsMax: number;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  /** Returns the events that `chunk` completes. */
  push(chunk: string): string[] {
    const text = this.#withLineFeeds(chunk);
    const events: string[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      if (this.#rest === "") {
        this.#readLine(text, start, end, events);
      } else {
        const line = this.#rest + text.slice(start, end);
        this.#rest = "";
        this.#readLine(line, 0, line.length, events);
      }
      start = end + 1;
    }
    if (start < text.length) this.#rest += text.slice(start);
    this.#requireBounded();
    return events;
  }

  /** Returns the last event, even if the stream ends without the empty line that should complete it. */
  end(chunk: string): string[] {
    return this.push(`${chunk}\n\n`);
  }

  /** Converts CR and CRLF to LF. A CR at the end of a chunk ends the line at once, and an LF that follows belongs to it. */
  #withLineFeeds(chunk: string): string {
    if (chunk === "") return chunk;
    const text = this.#afterCarriageReturn && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    this.#afterCarriageReturn = chunk.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  #readLine(text: string, start: number, end: number, events: string[]): void {
    if (start === end) {
      this.#completeEvent(events);
    } else if (text.startsWith("data:", start)) {
      const value = fieldValue(text, start + 5, end);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (text.slice(start, end) === "data") {
      this.#data = this.#data === undefined ? "" : `${this.#data}\n`;
    }
  }

  #completeEvent(events: string[]): void {
    if (this.#data !== undefined) events.push(this.#data);
    this.#data = undefined;
  }

  #requireBounded(): void {
    if (this.#rest.length + (this.#data?.length ?? 0) <= this.#charsMax) return;
    throw new AppError(
      "upstream_failed",
      "stream_event_too_long",
      `An event of the stream is longer than ${this.#charsMax / 1024 ** 2} MiB.`,
    );
  }
}

/** A field's value: one space after the colon isn't part of it. */
function fieldValue(text: string, start: number, end: number): string {
  return text.slice(text.charCodeAt(start) === 32 ? start + 1 : start, end);
}

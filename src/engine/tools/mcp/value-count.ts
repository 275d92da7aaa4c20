/** Maximum values of one message: parsing them takes about 20 ms, before the SDK validates them. */
export const valuesMax = 200_000;

const quote = 34;
const comma = 44;
const bracket = 91;
const backslash = 92;
const brace = 123;

/**
 * Counts the values of a JSON text while its bytes arrive, so that a message of too many is refused before it is parsed. Each value but the
 * first follows a comma, or begins an array or object.
 */
export class ValueCount {
  #values = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the next byte. Returns true if the values are too many. */
  take(byte: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === quote) this.#isInString = !this.#isInString;
    else if (this.#isInString) this.#isEscaped = byte === backslash;
    else if (byte === comma || byte === bracket || byte === brace) this.#values++;
    return this.#values > valuesMax;
  }

  /** Begins another line of an event. A string of JSON can't contain a line break. */
  nextLine(): void {
    this.#isInString = false;
    this.#isEscaped = false;
  }

  /** Begins another message. */
  restart(): void {
    this.#values = 0;
    this.nextLine();
  }
}

/** Returns true if a whole text has too many values. */
export function hasTooManyValues(text: string): boolean {
  const count = new ValueCount();
  for (let at = 0; at < text.length; at++) if (count.take(text.charCodeAt(at))) return true;
  return false;
}

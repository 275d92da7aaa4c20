/** A line exceeds the limit. */
export class LineTooLong extends Error {}

/**
 * Yields the lines of a stream of UTF-8, without their line feeds. Text after the last line feed is not a line. Throws LineTooLong as soon
 * as a line has more than `bytesMax` bytes, and holds little more than that in memory.
 */
export async function* splitLines(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const begun = new GrowingBytes();
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const piece = chunk.subarray(from, end);
      from = end + 1;
      if (begun.length + piece.length > bytesMax) throw new LineTooLong();
      if (begun.length === 0) yield decoder.decode(piece);
      else {
        begun.add(piece);
        yield decoder.decode(begun.take());
      }
    }
    const rest = chunk.subarray(from);
    if (begun.length + rest.length > bytesMax) throw new LineTooLong();
    begun.add(rest);
  }
}

const lineFeed = 10;

/** A growing array of bytes, efficient for small pieces. */
class GrowingBytes {
  #bytes = new Uint8Array(0);
  length = 0;

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#bytes.length * 2, 1024));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.length);
    this.length = length;
  }

  /** Returns the collected bytes and starts anew. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.length);
    this.#bytes = new Uint8Array(0);
    this.length = 0;
    return taken;
  }
}

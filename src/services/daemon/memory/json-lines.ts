/**
 * Creates a response with one JSON value a line, produced as fast as the client reads. Throws if the first line fails; a later error aborts
 * the response.
 */
export async function jsonLines(lines: AsyncGenerator<unknown, void>, mediaType: string): Promise<Response> {
  const encoder = new TextEncoder();
  let next = await lines.next();
  const body = new ReadableStream<Uint8Array>({
    async pull(out) {
      if (next.done === true) return out.close();
      out.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`));
      next = await lines.next();
    },
    async cancel() {
      await lines.return();
    },
  });
  return new Response(body, {
    headers: { "content-type": mediaType, "content-disposition": 'attachment; filename="memory.jsonl"' },
  });
}

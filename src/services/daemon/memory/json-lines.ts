/**
 * A response of one JSON text a line, made as fast as it is read. What can't be begun at all is thrown here; a fault later
 * breaks the response off.
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

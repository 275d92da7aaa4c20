/** An embedding server's behaviour for one request: its texts, and its number from 0. */
export type EmbeddingScript = (
  texts: readonly string[],
  number: number,
) => Promise<number | undefined> | number | undefined;

/** A server with OpenAI's embeddings protocol on a real socket; vectors depend on the texts' words. */
export interface EmbeddingServer extends Disposable {
  /** The base address, ending in `/v1`. */
  url: string;
  /** The texts of each request, in order. */
  requests: string[][];
}

/** Starts a server on a free port. The script may wait, and may return an error status. */
export function startEmbeddingServer(
  script: EmbeddingScript = () => undefined,
  dimension = 32,
): EmbeddingServer {
  const requests: string[][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { input } = (await request.json()) as { input: string | string[] };
      const texts = [input].flat();
      const number = requests.push(texts) - 1;
      const status = await script(texts, number);
      if (status !== undefined) return Response.json({ error: { message: "no" } }, { status });
      const data = texts.map((text, index) => ({
        index,
        object: "embedding",
        embedding: vectorOf(text, dimension),
      }));
      return Response.json({
        object: "list",
        data,
        model: "test",
        usage: { prompt_tokens: 1, total_tokens: 1 },
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function vectorOf(text: string, dimension: number): number[] {
  const vector = Array.from({ length: dimension }, () => 0);
  for (const word of text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []) {
    const at = Number(Bun.hash(word) % BigInt(dimension));
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}

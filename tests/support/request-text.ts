import type { IncomingMessage } from "node:http";

/** Returns the body of a request to a stand-in. */
export async function requestText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

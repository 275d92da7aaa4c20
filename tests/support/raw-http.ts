import { connect, type Socket } from "node:net";

/** The bytes that a raw connection received until it closed or `until` returned true. */
export interface RawAnswer {
  text: string;
  /** The status of the first answer, undefined if there was none. */
  status: number | undefined;
  /** True if the server closed the connection. */
  closed: boolean;
}

export interface RawOptions {
  /** Ends the reading early; by default after a complete answer with Content-Length, or the last chunk. */
  until?: (text: string) => boolean;
}

/** Opens a socket, sends `bytes` unchanged, and reads the answer, for requests that no HTTP client would send. */
export async function rawRequest(
  port: number,
  bytes: string | Uint8Array,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const isDone = options.until ?? isComplete;
  const socket = await openSocket(port);
  const received = Promise.withResolvers<RawAnswer>();
  let text = "";
  const finish = (closed: boolean) => {
    const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
    received.resolve({ text, closed, status: status === undefined ? undefined : Number(status) });
  };
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    if (isDone(text)) finish(false);
  });
  socket.on("close", () => finish(true));
  socket.on("error", () => finish(true));
  socket.write(bytes);
  const answer = await received.promise;
  socket.destroy();
  return answer;
}

/** Returns a connected socket; the test handles later errors. */
export function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Returns the body of an answer in one piece. */
export function bodyOf(answer: RawAnswer): string {
  return answer.text.slice(answer.text.indexOf("\r\n\r\n") + 4);
}

function isComplete(text: string): boolean {
  const headersEnd = text.indexOf("\r\n\r\n");
  if (headersEnd === -1) return false;
  if (/^HTTP\/1\.1 101/.test(text)) return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length !== undefined) return text.length >= headersEnd + 4 + Number(length);
  return text.endsWith("0\r\n\r\n");
}

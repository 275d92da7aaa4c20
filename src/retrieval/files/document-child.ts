import { toAppError } from "../../kit/app-error.ts";
import { dieWithParent } from "../../kit/process/die-with-parent.ts";
import type { PageProgress, ReadDocument } from "./document-file.ts";
import type { DocumentForm } from "./document-kind.ts";
import { readBytes } from "./read-bytes.ts";

/** One line sent to the child; the file's bytes follow it. */
export interface ChildRequest extends DocumentForm {
  bytes: number;
}

/** One line received from the child. */
export type ChildAnswer = { document: ReadDocument } | { code: string; message: string };

/** A line between the request and its answer begins like this; its JSON is a `PageProgress`. */
export const progressStart = '{"page":';

const progressLine = ({ page, pages }: PageProgress) => `${JSON.stringify({ page, pages })}\n`;

const never = new AbortController().signal;

/**
 * The child's side of `createDocumentReader`: reads one file per request until its input or its parent ends. It runs as its own process,
 * because only a process can be stopped reliably.
 */
export async function runDocumentChild(): Promise<void> {
  dieWithParent();
  // Standard output is for answers, so console output of libraries is discarded.
  for (const method of ["log", "info", "debug", "warn", "error"] as const) console[method] = () => {};
  process.stdout.write("\n");
  for await (const { request, body } of requestsOf(Bun.stdin.stream())) {
    process.stdout.write(`${JSON.stringify(await answer(request, body))}\n`);
  }
}

async function answer(request: ChildRequest, body: Uint8Array): Promise<ChildAnswer> {
  try {
    const progressed = (at: PageProgress) => void process.stdout.write(progressLine(at));
    return { document: await readBytes(body, request, { signal: never, progressed }) };
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    return { code, message };
  }
}

const lineFeed = 10;

async function* requestsOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ request: ChildRequest; body: Uint8Array }> {
  let line: Uint8Array[] = [];
  let open: { request: ChildRequest; body: Uint8Array; filled: number } | undefined;
  for await (const chunk of stream) {
    let rest = chunk;
    while (rest.length > 0 || (open !== undefined && open.filled === open.body.length)) {
      if (open === undefined) {
        const feed = rest.indexOf(lineFeed);
        line.push(feed === -1 ? rest : rest.subarray(0, feed));
        rest = feed === -1 ? rest.subarray(rest.length) : rest.subarray(feed + 1);
        if (feed === -1) continue;
        const request: ChildRequest = JSON.parse(Buffer.concat(line).toString("utf8"));
        line = [];
        open = { request, body: new Uint8Array(request.bytes), filled: 0 };
      }
      const piece = rest.subarray(0, open.body.length - open.filled);
      open.body.set(piece, open.filled);
      open.filled += piece.length;
      rest = rest.subarray(piece.length);
      if (open.filled < open.body.length) continue;
      const { request, body } = open;
      open = undefined;
      yield { request, body };
    }
  }
}

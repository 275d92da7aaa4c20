import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { createZstdDecompress } from "node:zlib";
import { AppError } from "../../kit/app-error.ts";
import { type Fetch, type ReleasedFile, unreachable } from "./release-list.ts";

const downloadMs = 3_600_000;

/** Downloads and unpacks an executable to `path`, and compares its size and checksum. The caller removes the file if this throws. */
export async function downloadExecutable(
  fetch: Fetch,
  url: string,
  { sha256, size }: ReleasedFile,
  path: string,
): Promise<void> {
  const hash = createHash("sha256");
  let received = 0;
  const damaged = (how: string) =>
    new AppError(
      "unprocessable",
      "download_damaged",
      `${url} is not the executable of the release: ${how}.`,
      {
        details: { hint: "Nothing was changed. Try again." },
      },
    );
  const response = await fetch(url, { signal: AbortSignal.timeout(downloadMs) }).catch((thrown) => {
    throw unreachable(url, thrown instanceof Error ? thrown.message : String(thrown));
  });
  if (!response.ok || response.body === null) throw unreachable(url, `status ${response.status}`);
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > size) throw damaged(`it has more than ${size} bytes`);
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(
      Readable.fromWeb(response.body as unknown as WebStream),
      createZstdDecompress(),
      counted,
      createWriteStream(path, { mode: 0o755, flush: true }),
    );
  } catch (thrown) {
    const { code = "" } = thrown as NodeJS.ErrnoException;
    if (thrown instanceof AppError || /^E(NOSPC|ACCES|ROFS|PERM|DQUOT)$/.test(code)) throw thrown;
    throw damaged(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (received !== size) throw damaged(`it has ${received} bytes and not ${size}`);
  const found = hash.digest("hex");
  if (found !== sha256) throw damaged(`its checksum is ${found} and not ${sha256}`);
}

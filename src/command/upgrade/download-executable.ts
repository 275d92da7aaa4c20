import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { createZstdDecompress } from "node:zlib";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { type Fetch, type ReleasedFile, unreachable } from "./release-list.ts";

/** A download may take as long as it likes, but not stand still for this long. */
const stillMs = 60_000;

/** Downloads and unpacks an executable to `path`, and compares its size and checksum. The caller removes the file if this throws. */
export async function downloadExecutable(
  { fetch, clock }: { fetch: Fetch; clock: Clock },
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
  const stoodStill = () => unreachable(url, `nothing came for ${stillMs / 1000} s`);
  const deadline = startDeadline(clock, stillMs, stoodStill);
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      deadline.restart(stillMs, stoodStill);
      received += chunk.length;
      if (received > size) throw damaged(`it has more than ${size} bytes`);
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    const response = await fetch(url, { signal: deadline.signal }).catch((thrown) => {
      throw unreachable(url, thrown instanceof Error ? thrown.message : String(thrown));
    });
    if (!response.ok || response.body === null) throw unreachable(url, `status ${response.status}`);
    await pipeline(
      Readable.fromWeb(response.body as unknown as WebStream),
      createZstdDecompress(),
      counted,
      createWriteStream(path, { mode: 0o755, flush: true }),
      { signal: deadline.signal },
    );
  } catch (thrown) {
    if (deadline.expired) throw stoodStill();
    if (thrown instanceof AppError) throw thrown;
    const { code = "", message = String(thrown) } = thrown as NodeJS.ErrnoException;
    if (/^E(NOSPC|DQUOT)$/.test(code))
      throw new AppError("unprocessable", "place_full", `${path} could not be written: ${message}`);
    throw damaged(message);
  } finally {
    deadline.dispose();
  }
  if (received !== size) throw damaged(`it has ${received} bytes and not ${size}`);
  const digest = hash.digest("hex");
  if (digest !== sha256) throw damaged(`its checksum is ${digest} and not ${sha256}`);
}

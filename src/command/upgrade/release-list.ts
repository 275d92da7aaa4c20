import { createPublicKey, verify } from "node:crypto";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { startDeadline } from "../../kit/deadline.ts";
import { readBounded } from "../../kit/fetch/bounded-body.ts";

/** One executable of a release. */
export interface ReleasedFile {
  /** Name of the download, compressed with zstd, beside the list. */
  file: string;
  /** Checksum and size of the executable in it. */
  sha256: string;
  size: number;
}

/** `release.json`: the latest version, and its executables by system. */
export interface ReleaseList {
  product: "argosy";
  version: string;
  files: Readonly<Record<string, ReleasedFile>>;
}

export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const listBytesMax = 256 * 1024;
const listMs = 30_000;

/** Fetches the list of the latest release and checks its signature before it is read. */
export async function readReleaseList(
  { fetch, clock }: { fetch: Fetch; clock: Clock },
  url: string,
  key: string,
): Promise<ReleaseList> {
  const [bytes, signature] = await Promise.all([
    fetched(fetch, clock, `${url}/release.json`),
    fetched(fetch, clock, `${url}/release.json.sig`),
  ]);
  if (!isSigned(bytes, Buffer.from(signature).toString("latin1"), key))
    throw new AppError(
      "unprocessable",
      "release_not_signed",
      `${url}/release.json does not have the signature of this program's publisher.`,
      { details: { hint: "Nothing was changed. Somebody may have replaced the file: tell the publisher." } },
    );
  const list = parsed(bytes);
  if (list === undefined)
    throw new AppError("unprocessable", "release_damaged", `${url}/release.json is not a list of a release.`);
  return list;
}

function isSigned(bytes: Uint8Array, signature: string, key: string): boolean {
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(key, "base64")]);
  try {
    const publisher = createPublicKey({ key: der, format: "der", type: "spki" });
    return verify(null, bytes, publisher, Buffer.from(signature.trim(), "base64"));
  } catch {
    return false;
  }
}

async function fetched(fetch: Fetch, clock: Clock, url: string): Promise<Uint8Array> {
  const deadline = startDeadline(clock, listMs, () => unreachable(url, `no answer in ${listMs / 1000} s`));
  const { signal } = deadline;
  let reason: string;
  try {
    const response = await fetch(url, { signal });
    if (response.ok) return await readBounded(response, listBytesMax, signal);
    reason = `status ${response.status}`;
  } catch (thrown) {
    if (deadline.expired) throw signal.reason;
    reason = thrown instanceof Error ? thrown.message : String(thrown);
  } finally {
    deadline.dispose();
  }
  throw unreachable(url, reason);
}

export const unreachable = (url: string, reason: string): AppError =>
  new AppError("unavailable", "release_unreachable", `${url} could not be read: ${reason}`, {
    details: { hint: "Nothing was changed. Look at the network, HTTPS_PROXY included, and try again." },
  });

function parsed(bytes: Uint8Array): ReleaseList | undefined {
  try {
    const list = JSON.parse(new TextDecoder().decode(bytes));
    const files: unknown[] = Object.values(list.files);
    const isSound = list.product === "argosy" && /^\d+\.\d+\.\d+/.test(list.version) && files.every(isFile);
    return isSound ? list : undefined;
  } catch {
    return undefined;
  }
}

const isFile = (value: unknown): boolean => {
  const { file, sha256, size } = (value ?? {}) as Record<string, unknown>;
  return (
    typeof file === "string" &&
    /^[\w][\w.+-]*$/.test(file) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    Number.isSafeInteger(size)
  );
};

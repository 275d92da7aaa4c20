import { constants, existsSync } from "node:fs";
import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Connection } from "@lancedb/lancedb";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { isMissingTable } from "./lance-fault.ts";
import type { LanceStoreOptions } from "./lance-options.ts";
import { vectorsUnavailable } from "./native/lance-addon-error.ts";

/** Path of a store's folder; undefined for an object store. */
export function folderOfPlace(place: string): string | undefined {
  if (place.startsWith("file://")) return fileURLToPath(place);
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(place) ? undefined : place;
}

/** Overrides LanceDB's defaults, which wait up to three minutes for a request and repeat it ten times. */
const storageDefaults = { connect_timeout: "5s", timeout: "20s", client_max_retries: "3" };
const connectMs = 30_000;

/** Returns the result of `connect`. Throws AppError `vectors_unavailable` if the store does not answer within half a minute. */
export async function connectObjectStore<T>(
  { clock, storageOptions }: Pick<LanceStoreOptions, "clock" | "storageOptions">,
  connect: (storage: Record<string, string>) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(clock, connectMs, () =>
    vectorsUnavailable(
      `The object store of the vectors gave no answer within ${connectMs / 1000} s.`,
      "See that it can be reached from here, and that spec.vectors in runtime.yaml names it rightly.",
    ),
  );
  try {
    return await untilAborted(deadline.signal, () => connect({ ...storageDefaults, ...storageOptions }));
  } finally {
    deadline.dispose();
  }
}

const droppedName = /^\.dropped-/;

/** Creates the folder, and removes leftovers of collections that were being dropped when a process ended. */
export async function prepareFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK);
  } catch (thrown) {
    throw notWritable(folder, thrown);
  }
  for (const name of await readdir(folder))
    if (droppedName.test(name)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Throws AppError `vectors_unavailable` unless files can be created in the folder. */
export async function requireWritable(folder: string): Promise<void> {
  await access(folder, constants.R_OK | constants.W_OK).catch((thrown) => {
    throw notWritable(folder, thrown);
  });
}

/** As `requireWritable`, for a folder that may not exist yet. */
export async function requireVectorsFolder(folder: string): Promise<void> {
  await requireWritable(folder).catch(async (thrown) => {
    if (existsSync(folder)) throw thrown;
    await requireWritable(dirname(folder));
  });
}

/** Removes a table; a missing one is not an error. On a disk the removal is atomic, even if the process ends. */
export async function dropTable(
  connection: Connection,
  folder: string | undefined,
  name: string,
): Promise<void> {
  if (folder === undefined) {
    await connection.dropTable(name).catch((thrown) => {
      if (!isMissingTable(thrown)) throw thrown;
    });
    return;
  }
  const dropped = join(folder, `.dropped-${crypto.randomUUID()}`);
  try {
    await rename(join(folder, `${name}.lance`), dropped);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return;
    throw notWritable(folder, thrown);
  }
  await rm(dropped, { recursive: true, force: true });
}

function notWritable(folder: string, cause: unknown) {
  return vectorsUnavailable(
    `The folder of the vectors, ${folder}, can't be written to.`,
    "Make it writable for this user, move the data folder with ARGOSY_DATA, or free its disk.",
    cause,
  );
}

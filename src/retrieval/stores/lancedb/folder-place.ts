import { link, open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { VectorPlace } from "../vector-store.ts";
import { prepareFolder } from "./lance-place.ts";
import { vectorsUnavailable } from "./native/lance-addon-error.ts";

const fileName = "place.json";

/**
 * The id of a vectors folder. Its file is stored durably before the id is returned. Otherwise a database could record an id that the disk
 * then loses, and would treat its own vectors as those of another.
 */
export async function folderPlace(folder: string): Promise<VectorPlace> {
  const path = join(folder, fileName);
  return (await readPlace(path)) ?? (await makePlace(folder, path));
}

async function readPlace(path: string): Promise<VectorPlace | undefined> {
  try {
    const { ino, birthtimeMs } = await stat(path);
    const { id } = JSON.parse(await readFile(path, "utf8"));
    if (typeof id === "string" && id !== "") return { id, instance: `${ino} ${birthtimeMs}` };
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    if (!(thrown instanceof SyntaxError)) throw unreadable(path, thrown);
  }
  throw unreadable(path);
}

async function makePlace(folder: string, path: string): Promise<VectorPlace> {
  await prepareFolder(folder);
  const id = Bun.randomUUIDv7();
  const made = join(folder, `.place-${id}`);
  try {
    const file = await open(made, "wx", 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ id })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // Fails if another process was first; then its id is used.
    await link(made, path).catch((thrown) => {
      if (thrown.code !== "EEXIST") throw thrown;
    });
    const directory = await open(folder, "r");
    await directory.sync().finally(() => directory.close());
  } catch (thrown) {
    throw unreadable(path, thrown);
  } finally {
    await rm(made, { force: true });
  }
  const place = await readPlace(path);
  if (place === undefined) throw unreadable(path);
  return place;
}

const unreadable = (path: string, cause?: unknown) =>
  vectorsUnavailable(
    `${path}, which tells whose vectors these are, can't be read or written.`,
    "Make the folder writable for this user, or restore that file from the backup of the folder.",
    cause,
  );

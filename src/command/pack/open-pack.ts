import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "../../engine/tools/files/file-reach.ts";
import { AppError } from "../../kit/app-error.ts";
import { bytesOf, type Pack, packBytesMax, readPack, sha256 } from "./pack-file.ts";

/** Reads the pack at a path, and checks it. */
export function openPack(path: string, publicKeyPem?: string): Pack {
  const status = statSync(path, { throwIfNoEntry: false });
  if (!status?.isFile()) throw new AppError("invalid", "pack_invalid", `${path} is not a file.`);
  if (status.size > packBytesMax)
    throw new AppError("too_large", "pack_invalid", `${path} is larger than ${packBytesMax} bytes.`);
  return readPack(readFileSync(path, "utf8"), publicKeyPem);
}

/**
 * Writes the files of a checked pack into a workspace. Nothing is written if one of them is there with another content, unless `force`, or
 * if a link leads outside. Returns the paths that were written.
 */
export function unpack({ files }: Pack, folder: string, { force }: { force: boolean }): string[] {
  mkdirSync(folder, { recursive: true });
  const root = realpathSync(folder);
  const changed: string[] = [];
  const wanted = files.filter((file) => {
    const target = join(root, file.path);
    if (!isInside(root, realOfNearest(target))) throw leadsOutside(file.path);
    const status = statSync(target, { throwIfNoEntry: false });
    if (status === undefined) return true;
    if (status.isFile() && sha256(readFileSync(target)) === file.sha256) return false;
    changed.push(file.path);
    return true;
  });
  if (changed.length > 0 && !force)
    throw new AppError(
      "conflict",
      "files_differ",
      `${changed.length} files are there with another content: ${changed.slice(0, 10).join(", ")}.`,
      {
        details: { hint: "Nothing was written. Unpack into another folder, or replace them with --force." },
      },
    );
  for (const file of wanted) writeWhole(join(root, file.path), bytesOf(file));
  return wanted.map(({ path }) => path);
}

/** The real path of what exists of a path, with the rest. */
function realOfNearest(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : realOfNearest(parent);
}

function writeWhole(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  try {
    writeFileSync(draft, bytes, { flag: "wx", mode: 0o644 });
    renameSync(draft, path);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}

const leadsOutside = (path: string) =>
  new AppError(
    "forbidden",
    "leads_outside",
    `${path} would be written through a link to outside of the workspace. Nothing was written.`,
  );

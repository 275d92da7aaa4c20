import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../../kit/app-error.ts";
import { replaceFile } from "../../storage/files/replace-file.ts";
import { makePack, type PackRequest } from "./make-pack.ts";
import { openPack, unpack } from "./open-pack.ts";
import { type Pack, programsIn } from "./pack-file.ts";

/** What a command shows of a pack. */
export interface ShownPack {
  agent: string;
  files: string[];
  programs: string[];
  variables: string[];
  left_out: Pack["left_out"];
  signed: boolean;
}

const shown = (pack: Pack): ShownPack => ({
  agent: pack.agent,
  files: pack.files.map(({ path }) => path),
  programs: programsIn(pack),
  variables: pack.variables,
  left_out: pack.left_out,
  signed: pack.signature !== undefined,
});

/** Packs an agent into a file. */
export function packHere({
  file,
  force,
  keyFile,
  ...request
}: Omit<PackRequest, "signingKey"> & { file: string; force: boolean; keyFile?: string }): ShownPack & {
  file: string;
} {
  if (existsSync(file) && !force)
    throw new AppError("conflict", "file_exists", `${file} is there.`, {
      details: { hint: "Name another file with --out, or replace it with --force." },
    });
  const pack = makePack({ ...request, ...(keyFile !== undefined && { signingKey: keyIn(keyFile) }) });
  replaceFile(file, `${JSON.stringify(pack, null, 1)}\n`, 0o644);
  return { file, ...shown(pack) };
}

export const openPackHere = (path: string, keyFile: string | undefined): ShownPack =>
  shown(openPack(path, keyFile === undefined ? undefined : keyIn(keyFile)));

export function unpackHere({
  pack,
  workspace,
  force,
  keyFile,
}: {
  pack: string;
  workspace: string;
  force: boolean;
  keyFile?: string;
}): string[] {
  return unpack(openPack(pack, keyFile === undefined ? undefined : keyIn(keyFile)), workspace, { force });
}

function keyIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new AppError("invalid", "pack_key_invalid", `${path} can't be read.`, { cause });
  }
}

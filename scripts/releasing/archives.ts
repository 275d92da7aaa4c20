import { readFileSync } from "node:fs";
import { join } from "node:path";
import { completionScript } from "../../src/cli/operate/completion-script.ts";
import { manPage } from "../../src/cli/operate/install/man-page.ts";
import { createProgram } from "../../src/cli/program.ts";
import { type Member, writeTarGz } from "./tar-file.ts";
import type { ReleaseTarget } from "./targets.ts";
import { writeZip } from "./zip-file.ts";

export interface ArchiveFacts {
  root: string;
  executable: string;
  version: string;
  licenses: string;
  /** The time of every file, in seconds. */
  mtime: number;
}

/** Name of the archive that people open with what their system has. */
export const archiveName = (version: string, { name }: Pick<ReleaseTarget, "name">): string =>
  `${folderName(version, name)}.${name.startsWith("windows") ? "zip" : "tar.gz"}`;

const folderName = (version: string, name: string) => `argosy-${version}-${name}`;

/** Writes the archive of one system: the executable, its licences and, where shells use them, completion and man page. */
export async function writeArchive(
  path: string,
  { name }: ReleaseTarget,
  facts: ArchiveFacts,
): Promise<void> {
  const { root, executable, version, licenses, mtime } = facts;
  const program = createProgram(async () => {});
  const text = (place: string, content: string): Member => ({
    path: `${folderName(version, name)}/${place}`,
    mode: 0o644,
    content: Buffer.from(content.endsWith("\n") ? content : `${content}\n`),
  });
  const isWindows = name.startsWith("windows");
  const members: Member[] = [
    text("LICENSE", readFileSync(join(root, "LICENSE"), "utf8")),
    {
      path: `${folderName(version, name)}/argosy${isWindows ? ".exe" : ""}`,
      mode: 0o755,
      content: { file: executable },
    },
    text("licenses.txt", licenses),
  ];
  if (isWindows) return writeZip(path, members, mtime);
  const shells = [
    text("completions/argosy.bash", completionScript("bash", program)),
    text("completions/argosy.fish", completionScript("fish", program)),
    text("completions/_argosy", completionScript("zsh", program)),
    text("man/argosy.1", manPage(program, version)),
  ];
  await writeTarGz(path, [...members, ...shells], mtime);
}

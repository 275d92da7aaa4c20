import { createHash } from "node:crypto";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { noReference } from "../../../engine/skills/bind-skills.ts";
import type { Skill, Skills } from "../../../engine/skills/skill.ts";
import { isInside } from "../../../engine/tools/files/file-reach.ts";
import { readInside } from "../../../engine/tools/files/read-inside.ts";
import type { OwnTools } from "../../../engine/tools/own/own-tools.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import type { Logger } from "../../../kit/log.ts";
import { skillCharsMax } from "../../../manifest/agent/skills.ts";
import { readSkillFile, type SkillFile } from "../../../manifest/skill/skill-file.ts";
import { readManifestFile, seeFile } from "../manifests/manifest-files.ts";

/** A folder of `skills/`, with its skill or its faults. */
export interface SkillFolder {
  /** Name of the folder. */
  name: string;
  /** Path of its SKILL.md relative to the workspace. */
  file: string;
  skill?: Skill;
  about?: SkillFile;
  problems: readonly Problem[];
}

export interface SkillFilesParts {
  workspace: string;
  /** Runs scripts; absent: there are none. */
  programs?: Pick<OwnTools, "run">;
  log: Logger;
}

const foldersMax = 200;
const filesMax = 200;
const depthMax = 4;
const isScript = (path: string) => /^scripts\/.*\.[tj]s$/.test(path) && !/\.d\.ts$/.test(path);

/** Skills in the workspace's `skills/` folder. A folder with faults provides no skill. */
export class SkillFiles implements Skills {
  readonly #parts: SkillFilesParts;
  #folders: ReadonlyMap<string, SkillFolder> = new Map();
  #seen = "";
  #revision = 0;

  constructor(parts: SkillFilesParts) {
    this.#parts = parts;
  }

  /** Another value after each change. */
  revision(): string {
    return String(this.#revision);
  }

  /** All folders, by name. */
  list(): SkillFolder[] {
    return [...this.#folders.values()];
  }

  find(name: string): Skill | { fault: string } | undefined {
    const folder = this.#folders.get(name);
    if (folder === undefined || folder.skill !== undefined) return folder?.skill;
    const [first] = folder.problems;
    return { fault: `${folder.file}: ${[first?.path, first?.message].filter(Boolean).join(" ")}` };
  }

  /** Reads the folders again if anything in them changed. */
  look(): void {
    const names = skillFolders(this.#parts.workspace);
    const paths = names.map((name) => [name, filesOf(join(this.#parts.workspace, "skills", name))] as const);
    const seen = JSON.stringify(
      paths.map(([name, files]) => [
        name,
        "fault" in files ? files : files.map((file) => [file, seeFile(this.#path(name, file))?.stamp]),
      ]),
    );
    if (seen === this.#seen) return;
    const folders = new Map(paths.map(([name, files]) => [name, this.#load(name, files)] as const));
    for (const { file, problems } of folders.values())
      for (const { message } of problems) this.#parts.log.warn("skill.refused", { file, message });
    this.#folders = folders;
    this.#seen = seen;
    this.#revision++;
  }

  #path(name: string, file: string): string {
    return join(this.#parts.workspace, "skills", name, file);
  }

  #load(name: string, files: readonly string[] | { fault: string }): SkillFolder {
    const file = `skills/${name}/SKILL.md`;
    const refused = (message: string) => ({ name, file, problems: [{ path: "", message }] });
    if ("fault" in files) return refused(files.fault);
    if (!files.includes("SKILL.md")) return refused("is missing");
    const text = textAt(this.#path(name, "SKILL.md"));
    if (typeof text !== "string") return refused(text.fault);
    const read = readSkillFile(text, name);
    if ("problems" in read) return { name, file, problems: read.problems };
    if (read.skill.instructions.length > skillCharsMax)
      return refused(`has more than ${skillCharsMax} characters after its front matter`);
    return { name, file, about: read.skill, skill: this.#skill(name, read.skill, files), problems: [] };
  }

  #skill(folder: string, { name, description, instructions }: SkillFile, files: readonly string[]): Skill {
    const { workspace, programs } = this.#parts;
    const scripts = files.filter(isScript);
    const references = files.filter((file) => file !== "SKILL.md" && !isScript(file));
    const hash = createHash("sha256");
    for (const file of files) {
      const text = textAt(this.#path(folder, file));
      hash.update(`${file}\0${typeof text === "string" ? text : ""}\0`);
    }
    return {
      ...{ name, description, instructions, references, scripts },
      hash: hash.digest("hex"),
      read: async (path) => {
        // Only what was found without leaving the folder has a name here.
        if (!references.includes(path)) throw noReference(name, path);
        const real = realpathSync(join(workspace, "skills", folder));
        const place = { root: { written: real, real }, names: path.split("/") };
        const reach = { workspace, offLimits: [], onlyBelow: real };
        return decoded(await readInside(place, reach, skillCharsMax), path);
      },
      ...(programs && {
        run: (path, input, { sessionId, agent, signal, log }) =>
          programs.run(this.#path(folder, path), `skills/${folder}/${path}`, {
            input,
            context: { session_id: sessionId, agent, secrets: {} },
            signal,
            log,
          }),
      }),
    };
  }
}

/** Names of the folders in `skills/`, hidden ones left out. */
function skillFolders(workspace: string): string[] {
  const folder = join(workspace, "skills");
  return namesIn(folder)
    .filter((name) => !name.startsWith(".") && statOf(join(folder, name))?.isDirectory())
    .sort()
    .slice(0, foldersMax);
}

/** Paths of the scripts of all skills, which are programs. */
export const skillScripts = (workspace: string): string[] =>
  skillFolders(workspace).flatMap((name) => {
    const folder = join(workspace, "skills", name);
    const files = filesOf(folder);
    return "fault" in files ? [] : files.filter(isScript).map((file) => join(folder, file));
  });

/** Paths of the files of a skill, inside it and sorted. Links count if they lead inside. */
function filesOf(folder: string): readonly string[] | { fault: string } {
  const real = realOf(folder);
  const home = realOf(join(folder, "../.."));
  if (real === undefined || home === undefined) return { fault: "can't be read" };
  if (!isInside(home, real)) return { fault: "is in a folder that is a link to outside of the workspace" };
  const files: string[] = [];
  const walk = (path: string, depth: number): string | undefined => {
    for (const name of namesIn(path)) {
      if (name.startsWith(".")) continue;
      const inner = join(path, name);
      const target = realOf(inner);
      if (target === undefined || !isInside(real, target))
        return `has a link that leads outside of its folder: ${relative(folder, inner)}`;
      const isLink = target !== join(realOf(path) ?? "", name);
      const status = statOf(inner);
      if (status?.isFile()) files.push(relative(folder, inner).replaceAll(sep, "/"));
      else if (status?.isDirectory() && !isLink) {
        if (depth === depthMax) return `has folders deeper than ${depthMax} levels`;
        const fault = walk(inner, depth + 1);
        if (fault !== undefined) return fault;
      }
      if (files.length > filesMax) return `has more than ${filesMax} files`;
    }
    return undefined;
  };
  const fault = walk(folder, 1);
  return fault === undefined ? files.sort() : { fault };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const statOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function textAt(path: string): string | { fault: string } {
  try {
    return readManifestFile(path, path);
  } catch (thrown) {
    if (thrown instanceof AppError) return { fault: "is not UTF-8 text of at most 1 MiB that can be read" };
    throw thrown;
  }
}

function decoded(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("unprocessable", "no_text", `${JSON.stringify(path)} is not UTF-8 text.`);
  }
}

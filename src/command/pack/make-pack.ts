import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isInside } from "../../engine/tools/files/file-reach.ts";
import { AppError } from "../../kit/app-error.ts";
import { isRecord } from "../../kit/json/is-record.ts";
import { redactText } from "../../kit/secrets/redact-text.ts";
import { readYaml } from "../../manifest/yaml/read-yaml.ts";
import { variablesIn } from "../../manifest/yaml/variables.ts";
import { type Pack, type PackedFile, packBytesMax, packedFile, pathFault, signPack } from "./pack-file.ts";

export interface PackRequest {
  workspace: string;
  agent: string;
  /** Further files, relative to the workspace, such as cassettes. */
  more?: readonly string[];
  /** Files that look as if they had secrets, and were looked through. */
  checked?: readonly string[];
  /** PEM of an Ed25519 key. */
  signingKey?: string;
}

const filesMax = 2_000;

/** Packs an agent with all that it needs from its workspace. Throws AppError if a file has what looks like a secret. */
export function makePack({ workspace, agent, more = [], checked = [], signingKey }: PackRequest): Pack {
  const packer = new Packer(realpathSync(workspace));
  packer.agent(agent);
  packer.evals();
  for (const path of more) packer.file(path);
  const files = packer.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const file of files) if (!checked.includes(file.path)) requireNoSecret(file);
  const variables = new Set(
    files.flatMap(({ path, text = "" }) => (/\.ya?ml$/.test(path) ? variablesIn(text) : [])),
  );
  const pack: Pack = {
    format: "argosy-pack/1",
    agent,
    variables: [...variables].sort(),
    files,
    left_out: packer.leftOut,
  };
  return signingKey === undefined ? pack : signPack(pack, signingKey);
}

interface Manifest {
  path: string;
  spec: Record<string, unknown>;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const recordsOf = (value: unknown) => listOf(value).filter(isRecord);

class Packer {
  readonly #workspace: string;
  readonly #paths = new Map<string, PackedFile>();
  readonly #agents = new Set<string>();
  readonly leftOut: { path: string; reason: string }[] = [];
  #bytes = 0;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  get files(): PackedFile[] {
    return [...this.#paths.values()];
  }

  agent(name: string): void {
    if (this.#agents.has(name)) return;
    const manifest = this.#find("agents", /\.ya?ml$/, name);
    if (manifest === undefined) {
      if (this.#agents.size > 0) {
        this.#leave(`agent ${name}`, "has no file in agents/");
        return;
      }
      throw new AppError("not_found", "agent_not_found", `No file in agents/ has the agent ${name}.`);
    }
    this.#agents.add(name);
    this.file(manifest.path);
    const { tools, chain, knowledge, skills } = manifest.spec;
    for (const { type, config, name: tool } of recordsOf(tools)) {
      const { agent, collection, connection } = isRecord(config) ? config : {};
      if (type === "agent" && typeof agent === "string") this.agent(agent);
      if (type === "internal") this.#folder("tools");
      if (type === "rag")
        this.#leave(
          `collection ${String(collection)}`,
          `of the tool ${String(tool)}: documents without a pipeline are not packed`,
        );
      if (typeof connection === "string")
        this.#leave(`connection ${connection}`, "has credentials; declare it in connections.yaml");
    }
    if (isRecord(chain))
      for (const { agent, on_error } of recordsOf(chain.on_complete)) {
        if (typeof agent === "string") this.agent(agent);
        if (typeof on_error === "string" && on_error !== "stop" && on_error !== "continue")
          this.agent(on_error);
      }
    if (isRecord(knowledge) && typeof knowledge.pipeline === "string") this.#pipeline(knowledge.pipeline);
    for (const skill of listOf(skills)) if (typeof skill === "string") this.#folder(`skills/${skill}`);
  }

  /** The evals of the packed agents, with their cases. */
  evals(): void {
    for (const path of this.#scan("evals", /\.eval\.ya?ml$/)) {
      const { spec } = this.#read(path) ?? {};
      if (typeof spec?.agent !== "string" || !this.#agents.has(spec.agent)) continue;
      this.file(path);
      if (typeof spec.cases === "string")
        this.file(relative(this.#workspace, resolve(this.#workspace, dirname(path), spec.cases)));
    }
  }

  /** Adds a file of the workspace. Throws AppError if it is not inside, can't be read, or there is too much. */
  file(given: string): void {
    const path = given.replaceAll(sep, "/").replace(/^\.\//, "");
    if (this.#paths.has(path)) return;
    const fault = pathFault(path);
    if (fault !== undefined) throw notPackable(path, fault);
    let bytes: Uint8Array;
    try {
      const real = realpathSync(join(this.#workspace, path));
      if (!isInside(this.#workspace, real)) throw notPackable(path, "leads outside of the workspace");
      if (!statSync(real).isFile()) throw notPackable(path, "is not a file");
      bytes = readFileSync(real);
    } catch (thrown) {
      throw thrown instanceof AppError ? thrown : notPackable(path, "can't be read");
    }
    this.#bytes += bytes.length;
    if (this.#bytes > packBytesMax / 2 || this.#paths.size >= filesMax)
      throw notPackable(
        path,
        `would make the pack larger than ${packBytesMax / 2} bytes or ${filesMax} files`,
      );
    this.#paths.set(path, packedFile(path, bytes));
  }

  #pipeline(name: string): void {
    const manifest = this.#find("rag", /\.ya?ml$/, name);
    if (manifest === undefined) {
      this.#leave(`pipeline ${name}`, "has no file in rag/");
      return;
    }
    this.file(manifest.path);
    for (const { path } of recordsOf(manifest.spec.sources)) {
      if (typeof path !== "string" || path.startsWith("/") || path.split("/").includes("..")) {
        this.#leave(`source ${String(path)}`, "is not below the workspace");
        continue;
      }
      for (const found of new Bun.Glob(path).scanSync({ cwd: this.#workspace, dot: false })) {
        if (pathFault(found) === undefined) this.file(found);
        else this.#leave(found, "is not in a folder of its own");
      }
    }
  }

  #folder(folder: string): void {
    const paths = this.#scan(folder, /./);
    if (paths.length === 0) this.#leave(folder, "has no files");
    for (const path of paths) this.file(path);
  }

  #find(folder: string, ending: RegExp, name: string): Manifest | undefined {
    for (const path of this.#scan(folder, ending)) {
      const read = this.#read(path);
      if (read?.name === name) return { path, spec: read.spec };
    }
    return undefined;
  }

  #read(path: string): { name: unknown; spec: Record<string, unknown> } | undefined {
    const read = readYaml(readFileSync(join(this.#workspace, path), "utf8"));
    if ("problem" in read) return undefined;
    const { metadata, spec } = read.value;
    return { name: isRecord(metadata) ? metadata.name : undefined, spec: isRecord(spec) ? spec : {} };
  }

  /** Paths of a folder's files, hidden ones and installed packages left out. */
  #scan(folder: string, ending: RegExp): string[] {
    let names: string[];
    try {
      names = readdirSync(join(this.#workspace, folder), { recursive: true }) as string[];
    } catch {
      return [];
    }
    return names
      .map((name) => `${folder}/${name.replaceAll(sep, "/")}`)
      .filter((path) => ending.test(path) && pathFault(path) === undefined)
      .filter((path) => statSync(join(this.#workspace, path), { throwIfNoEntry: false })?.isFile())
      .sort();
  }

  #leave(path: string, reason: string): void {
    this.leftOut.push({ path, reason });
  }
}

const notPackable = (path: string, fault: string) =>
  new AppError("invalid", "not_packable", `${path} can't be packed: it ${fault}.`);

function requireNoSecret({ path, text = "" }: PackedFile): void {
  const line = text.split("\n").findIndex((one) => redactText(one) !== one);
  if (line === -1) return;
  throw new AppError(
    "invalid",
    "secret_in_pack",
    `${path}:${line + 1} has what looks like a secret. Nothing was packed.`,
    {
      details: {
        hint: `Name a variable instead, or repeat the command with --checked ${path} if there is none.`,
      },
    },
  );
}

import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { type EvalSubject, readSubject } from "../../../evals/dataset/eval-subject.ts";
import { loadEval } from "../../../evals/dataset/load-eval.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { type SerialQueue, serialQueue } from "../../../kit/concurrency/serial-queue.ts";
import { didYouMean } from "../../../kit/text/did-you-mean.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";
import { type ManifestNaming, manifestFiles, seeFile } from "../manifests/manifest-files.ts";

/** An eval file of the workspace. */
export interface EvalFile extends EvalSubject {
  path: string;
  /** Path relative to the workspace. */
  file: string;
}

const naming: ManifestNaming = { what: "evals", ending: /\.eval\.ya?ml$/, newEnding: ".eval.yaml" };

/** Largest eval file or dataset, in bytes. */
const textBytesMax = 64 * 1024 * 1024;

interface Kept {
  stamp: string;
  subject: EvalSubject;
}

/** Evals in the workspace's files. A file that did not change is not read again. */
export class EvalFiles {
  readonly #workspace: string;
  readonly #folder: string;
  readonly #kept = new Map<string, Kept>();
  /** Changes, one at a time. */
  readonly #turn: SerialQueue = serialQueue();

  constructor(workspace: string) {
    this.#workspace = workspace;
    this.#folder = join(workspace, "evals");
  }

  /** Returns the evals by file, broken ones with their faults. */
  async list(): Promise<EvalFile[]> {
    const paths = manifestFiles(this.#folder, naming);
    for (const path of this.#kept.keys()) if (!paths.includes(path)) this.#kept.delete(path);
    const files: EvalFile[] = [];
    for (const path of paths) files.push(await this.#read(path));
    const first = new Map<string, string>();
    return files.map((one) => {
      const earlier = first.get(one.name);
      if (earlier === undefined) {
        first.set(one.name, one.file);
        return one;
      }
      const fault = { path: "metadata.name", message: `repeats ${JSON.stringify(one.name)} of ${earlier}` };
      return { ...one, faults: [fault, ...one.faults] };
    });
  }

  /** An eval in any file, as runs show it: relative to the workspace, unless it is outside. */
  at(file: string): { path: string; file: string } {
    const path = resolve(this.#workspace, file);
    const inside = relative(this.#workspace, path);
    return { path, file: inside.startsWith("..") || isAbsolute(inside) ? path : inside };
  }

  /** Throws AppError `eval_not_found`. */
  async get(name: string): Promise<EvalFile> {
    const files = await this.list();
    const file = files.find((file) => file.name === name);
    if (file !== undefined) return file;
    const near = didYouMean(
      name,
      files.map((file) => file.name),
    );
    throw new AppError("not_found", "eval_not_found", `There is no eval ${JSON.stringify(name)}.`, {
      details: {
        hint:
          near === undefined ? "GET /v1/evals lists the evals of the workspace." : `Did you mean ${near}?`,
      },
    });
  }

  /** Like `get`, for work that needs a valid file. Throws AppError `invalid_manifest` or `invalid_dataset` with all its faults. */
  async getValid(name: string): Promise<EvalFile> {
    const file = await this.get(name);
    if (file.faults.length === 0) return file;
    await loadEval(file.path, file.file, readText);
    // The file itself is valid: its name is not.
    throw new AppError("unprocessable", "invalid_manifest", `${file.file}: ${file.faults[0]?.message}`, {
      details: { problems: [...file.faults] },
    });
  }

  /**
   * Changes the file that has the cases of an eval. `etag` is the state that the change was made for. Throws AppError `eval_file_changed`
   * if the file has another one, and like the loader if the changed file would not be valid; then nothing is written.
   */
  change(name: string, etag: string | undefined, make: (file: EvalFile) => string): Promise<EvalFile> {
    return this.#turn(async () => {
      const file = await this.getValid(name);
      if (etag !== undefined && etag !== file.etag) throw fileChanged(file.file);
      const target = file.casesPath ?? file.path;
      await this.#write(target, make(file), file);
      return this.get(name);
    });
  }

  /** Writes the file of a new eval. Throws AppError `eval_exists` if the name or the file is taken. */
  create(name: string, text: string): Promise<EvalFile> {
    return this.#turn(async () => {
      const path = join(this.#folder, `${name}${naming.newEnding}`);
      const same = (await this.list()).find((file) => file.name === name);
      const taken = same?.file ?? (existsSync(path) ? this.#shown(path) : undefined);
      if (taken !== undefined) {
        throw new AppError("conflict", "eval_exists", `${taken} is an eval named ${name}.`, {
          details: { hint: "Add cases to it, or choose another name." },
        });
      }
      await this.#write(path, text, { path, file: this.#shown(path), text: undefined });
      return this.get(name);
    });
  }

  async #write(
    target: string,
    text: string,
    { path, file, text: before }: Pick<EvalFile, "path" | "file" | "text">,
  ): Promise<void> {
    await loadEval(path, file, async (wanted) => (wanted === target ? text : readText(wanted)));
    // An editor may have saved the file while it was checked.
    if (before !== undefined && (await readText(path)) !== before) throw fileChanged(file);
    try {
      mkdirSync(dirname(target), { recursive: true });
      const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o644;
      replaceFile(target, text, mode & 0o777);
    } catch (thrown) {
      const code = String((thrown as { code?: unknown }).code);
      const displayPath = this.#shown(target);
      throw new AppError("unavailable", "evals_not_writable", `${displayPath} can't be written (${code}).`, {
        details: { hint: "Free disk space, or allow this user to write to the evals folder." },
        cause: thrown,
      });
    }
  }

  async #read(path: string): Promise<EvalFile> {
    const known = this.#kept.get(path);
    const file = this.#shown(path);
    if (known !== undefined && known.stamp === stampOf(path, known.subject.casesPath))
      return { path, file, ...known.subject };
    const before = stampOf(path, undefined);
    const subject = await readSubject(path, file, readText);
    const stamp = stampOf(path, subject.casesPath);
    // A file that changed while it was read is read again by the next request.
    if (stamp.startsWith(before)) this.#kept.set(path, { stamp, subject });
    return { path, file, ...subject };
  }

  #shown(path: string): string {
    return relative(this.#workspace, path);
  }
}

function stampOf(path: string, casesPath: string | undefined): string {
  const cases = casesPath === undefined ? "" : (seeFile(casesPath)?.stamp ?? "gone");
  return `${seeFile(path)?.stamp ?? "gone"} | ${cases}`.trimEnd();
}

function fileChanged(file: string): AppError {
  return new AppError("conflict", "eval_file_changed", `${file} has changed since it was read.`, {
    details: { hint: "Read it again, then repeat the change." },
  });
}

/** Reads an eval file, dataset or prompt. Throws AppError `file_unreadable`. */
async function readText(path: string): Promise<string> {
  try {
    const status = statSync(path);
    if (!status.isFile()) throw unreadable(path, "is not a regular file");
    if (status.size > textBytesMax) throw unreadable(path, `has more than ${textBytesMax / 1024 / 1024} MiB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(resolve(path)));
  } catch (thrown) {
    if (thrown instanceof AppError) throw toAppError(thrown);
    const { code } = thrown as { code?: unknown };
    throw unreadable(
      path,
      thrown instanceof TypeError
        ? "is not valid UTF-8"
        : code === "ENOENT"
          ? "does not exist"
          : `can't be read (${String(code)})`,
    );
  }
}

const unreadable = (path: string, reason: string) =>
  new AppError("unprocessable", "file_unreadable", `${path} ${reason}.`);

import { basename, dirname, resolve } from "node:path";
import { type Problem, toAppError } from "../../kit/app-error.ts";
import { type EvalCase, type EvalSpec, evalKind, idsOf } from "../../manifest/eval/eval.ts";
import { checkFile } from "../../manifest/schema/manifest-kind.ts";
import { loadEval, type ReadTextFile } from "./load-eval.ts";

/** An eval as its file shows it: to be listed, read and edited. */
export interface EvalSubject {
  /** Name of the eval, or of its file if the text has none that can be read. */
  name: string;
  /** Text of the eval file; undefined if it can't be read. */
  text: string | undefined;
  /** Path of the file with the cases, if it is another one. */
  casesPath: string | undefined;
  casesText: string | undefined;
  /** Changes with the text of either file. */
  etag: string;
  /** Undefined if the file has faults. */
  spec: EvalSpec | undefined;
  /** Cases as written, with their ids; empty if the file has faults. */
  cases: readonly { id: string; case: EvalCase }[];
  tags: readonly string[];
  faults: readonly Problem[];
}

/** Reads an eval with all its faults. Never throws. */
export async function readSubject(path: string, file: string, readText: ReadTextFile): Promise<EvalSubject> {
  const texts = new Map<string, string>();
  const reading: ReadTextFile = async (wanted) => {
    const text = await readText(wanted);
    texts.set(wanted, text);
    return text;
  };
  const casesPath = () => {
    const other = [...texts.keys()].find((read) => read !== path && /\.(jsonl|csv)$/.test(read));
    return other;
  };
  const facts = () => ({
    text: texts.get(path),
    casesPath: casesPath(),
    casesText: texts.get(casesPath() ?? ""),
    etag: etagOf([texts.get(path), texts.get(casesPath() ?? "")]),
  });
  try {
    const { name, spec, written } = await loadEval(path, file, reading);
    const ids = idsOf(written);
    const cases = written.map((one, index) => ({ id: ids[index] ?? "", case: one }));
    const tags = [...new Set(written.flatMap((one) => one.tags))].sort();
    return { name, ...facts(), spec, cases, tags, faults: [] };
  } catch (thrown) {
    const { message, details } = toAppError(thrown);
    const faults = details.problems ?? [{ path: "", message }];
    const known = facts();
    return {
      name: nameIn(known.text) ?? basename(path).replace(/\.eval\.ya?ml$/, ""),
      ...known,
      // A dataset that is missing has no text, but its path tells when to look again.
      casesPath: known.casesPath ?? casesPathIn(known.text, path),
      spec: undefined,
      cases: [],
      tags: [],
      faults,
    };
  }
}

function nameIn(text: string | undefined): string | undefined {
  return text === undefined
    ? undefined
    : /^metadata:\s*(?:\{\s*|\n(?:\s*#.*\n)*\s+)name:\s*["']?([a-z0-9-]{1,63})\b/m.exec(text)?.[1];
}

function casesPathIn(text: string | undefined, path: string): string | undefined {
  if (text === undefined) return undefined;
  const read = checkFile(evalKind, text, (name) => `\${${name}}`);
  if ("problems" in read) return undefined;
  const { cases } = read.manifest.spec;
  return typeof cases === "string" ? resolve(dirname(path), cases) : undefined;
}

function etagOf(texts: readonly (string | undefined)[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const text of texts) hash.update(`${text?.length ?? -1}:${text ?? ""}`);
  return hash.digest("hex").slice(0, 32);
}

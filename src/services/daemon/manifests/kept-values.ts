import { readFileSync } from "node:fs";
import { exceedsSecrets } from "../../../kit/secrets/learn-secret.ts";
import type { Locate } from "../../../manifest/fault.ts";
import { readYaml, type YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";

/** A text and its value, before variables are substituted; undefined if the text has none. */
export interface ReadText {
  text: string | undefined;
  document?: unknown;
}

/** Reads the texts of manifests, and may keep their values for the next start. */
export interface ManifestReader {
  read(text: string): YamlReading;
  /** Keeps the values of these texts, and of no others. */
  keep(texts: readonly ReadText[]): void;
}

/** Reads every text anew. */
export const plainReader: ManifestReader = { read: (text) => readYaml(text), keep() {} };

/** Size limit of the file. Values beyond it are not kept. */
const charactersMax = 16_777_216;

/**
 * Keeps the values of the manifests' texts in a file of the data folder, so that a start doesn't parse YAML that an earlier start has
 * parsed: 100 agents are listed after 332 ms instead of 445, and 7 agents take 107 ms of CPU instead of 126. The file holds what `readYaml`
 * returned, is readable for the owner alone, and is ignored if it is damaged or another program wrote it. `program` changes with every
 * build. Manifests with a secret are not kept: `mask` changes a text that has one of the known secrets.
 */
export function keepValues(path: string, program: string, mask: (text: string) => string): ManifestReader {
  let waiting: Map<string, unknown> | undefined;
  let storedNames = "";
  const open = () => {
    const entries = valuesIn(path, program);
    storedNames = namesOf(entries.map(([sum]) => sum));
    return new Map(entries);
  };
  return {
    read(text) {
      waiting ??= open();
      const sum = sumOf(text);
      const value = waiting.get(sum);
      // Two manifests never share a value, because it belongs to the one that took it.
      waiting.delete(sum);
      return isMapping(value) ? { value, locate: placesIn(text) } : readYaml(text);
    },
    keep(texts) {
      waiting ??= open();
      waiting.clear();
      const values = new Map<string, string>();
      let characters = 0;
      for (const { text, document } of texts) {
        const written = text === undefined || document === undefined ? undefined : exactJson(document);
        if (text === undefined || written === undefined || mask(written) !== written) continue;
        if (exceedsSecrets(document, { secrets: 0, characters: 0 })) continue;
        characters += written.length;
        if (characters > charactersMax) break;
        values.set(sumOf(text), written);
      }
      const names = namesOf([...values.keys()]);
      if (names === storedNames) return;
      storedNames = names;
      const body = `{${[...values].map(([sum, written]) => `"${sum}":${written}`).join(",")}}`;
      try {
        replaceFile(path, `${head(program, body)}\n${body}`, 0o600);
      } catch {
        // The next start then reads the texts themselves.
      }
    },
  };
}

/** Places in a text, which is parsed when the first is needed: only problems have places. */
function placesIn(text: string): Locate {
  let reading: YamlReading | undefined;
  return (path, at) => {
    reading ??= readYaml(text);
    return "problem" in reading ? { line: 1, column: 1 } : reading.locate(path, at);
  };
}

function valuesIn(path: string, program: string): [sum: string, value: unknown][] {
  try {
    const file = readFileSync(path, "utf8");
    const bodyAt = file.indexOf("\n") + 1;
    const body = file.slice(bodyAt);
    if (file.slice(0, bodyAt - 1) !== head(program, body)) return [];
    return Object.entries(JSON.parse(body));
  } catch {
    return [];
  }
}

/** Returns the JSON of a value if reading it gives the same value: not with -0, for example. */
function exactJson(value: unknown): string | undefined {
  const written = JSON.stringify(value);
  return Bun.deepEquals(JSON.parse(written), value, true) ? written : undefined;
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const head = (program: string, body: string) => `${program} ${sumOf(body)}`;
const sumOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const namesOf = (sums: string[]) => sums.sort().join();

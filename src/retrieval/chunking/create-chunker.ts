import type { AppError } from "../../kit/app-error.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { Embedder } from "../embedding/embedder.ts";
import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { createFixed } from "./fixed.ts";
import { createRecursive } from "./recursive.ts";
import { createSemantic } from "./semantic.ts";
import { createSentence } from "./sentence.ts";

const chunkers: ReadonlyMap<string, (settings: ChunkingSettings, embedder: Embedder) => Chunker> = new Map([
  ["fixed", createFixed],
  ["recursive", createRecursive],
  ["sentence", createSentence],
  ["semantic", createSemantic],
]);

/** Every strategy that a pipeline can name. */
export const chunkerNames: readonly string[] = [...chunkers.keys()];

/** Creates the chunker of a strategy; `semantic` compares sentences with `embedder`. Throws `invalid_manifest` with the invalid key. */
export function createChunker(settings: ChunkingSettings, embedder: Embedder): Chunker {
  const { strategy, chunk_size: size, overlap } = settings;
  const create = chunkers.get(strategy);
  if (!create) throw refused("strategy", `must be one of ${chunkerNames.join(", ")}`);
  if (!(Number.isInteger(size) && size >= 1))
    throw refused("chunk_size", "must be a whole number of at least 1");
  if (!(Number.isInteger(overlap) && overlap >= 0 && overlap < size)) {
    throw refused("overlap", `must be a whole number from 0 to less than chunk_size (${size})`);
  }
  return create(settings, embedder);
}

function refused(path: string, message: string): AppError {
  return invalidManifest([{ path, message }]);
}

import { readFileSync } from "node:fs";
import { AppError } from "../kit/app-error.ts";
import { kindOfName, namedFiles } from "./manifest-files.ts";

/** A manifest in a file, for the translator. */
export interface SpecFile {
  path: string;
  yaml: string;
}

/**
 * Reads the manifests of agents and pipelines: of each named file, and of all files of a named folder whose names say so. Pipelines come
 * first, since agents refer to them. Throws `usage` if there are none.
 */
export async function readSpecFiles(paths: readonly string[]): Promise<SpecFile[]> {
  const files = namedFiles(paths).filter((path) => paths.includes(path) || isSpec(path));
  if (files.length === 0) {
    throw new AppError("invalid", "usage", `There are no manifests in ${paths.join(", ")}.`, {
      details: { hint: "Agents are in *.agent.yaml, pipelines in *.rag.yaml." },
    });
  }
  const read = files.map((path) => ({ path, yaml: readFileSync(path, "utf8") }));
  return [...read.filter(isPipeline), ...read.filter((file) => !isPipeline(file))];
}

const isSpec = (path: string) => ["agent", "rag-pipeline"].includes(kindOfName(path) ?? "");

const isPipeline = ({ yaml }: SpecFile) => /^\s*"?kind"?:\s*"?RAGPipeline\b/m.test(yaml);

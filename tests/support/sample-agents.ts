import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const read = (folder: string): [file: string, text: string][] =>
  readdirSync(join(import.meta.dir, "../..", folder))
    .filter((file) => file.endsWith(".agent.yaml"))
    .map((file) => [file, readFileSync(join(import.meta.dir, "../..", folder, file), "utf8")]);

/** Samples in `agents/`, by file. A start over the repository loads them. */
export const repositorySamples: Readonly<Record<string, string>> = Object.fromEntries(read("agents"));

/** All samples by file, sorted: also those that need a server, which are in the gallery alone. */
export const sampleAgents: Readonly<Record<string, string>> = Object.fromEntries(
  [...read("agents"), ...read("src/services/daemon/gallery")].sort(([one], [other]) =>
    one < other ? -1 : 1,
  ),
);

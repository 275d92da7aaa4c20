import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { replaceFile } from "../../../storage/files/replace-file.ts";
import type { CanaryJournal, CanaryLine } from "../canary/canary-journal.ts";

/** Evals that a version must pass. */
export type Requirements = NonNullable<AgentManifest["spec"]["release"]>["requires"];

/** One line of an agent's record: a version that was taken into service, or one that a person lets past the gate. */
type Line =
  | { event: "served"; fingerprint: string; requires: Requirements; at: string }
  | { event: "overridden"; fingerprint: string; reason: string; at: string }
  | CanaryLine;

/** Releases of agents in the data folder, for the next start and for audits. Lines are only added. */
export interface ReleaseRecords extends CanaryJournal {
  /** Path of the folder. */
  folder: string;
  /** Version of an agent that was in service last, with its requirements. */
  last(agent: string): { fingerprint: string; requires: Requirements } | undefined;
  /** Text of the version that was in service last. */
  textOf(agent: string): string | undefined;
  /** Returns the reason with which a person let a version past the gate. */
  reasonFor(agent: string, fingerprint: string): string | undefined;
  /** `text`: undefined if it must not be stored. */
  serve(
    agent: string,
    version: { fingerprint: string; requires: Requirements; text: string | undefined },
    at: Date,
  ): void;
  override(agent: string, fingerprint: string, reason: string, at: Date): void;
  /** Returns true if a version has been in service. */
  hasServed(agent: string, fingerprint: string): boolean;
  /** Deletes the text. */
  forgetText(agent: string): void;
}

/** Opens the records of a data folder. Reads nothing before the first question. */
export function openReleaseRecords({ dataFolder }: { dataFolder: string }): ReleaseRecords {
  const folder = join(dataFolder, "releases");
  const pathOf = (agent: string) => join(folder, `${agent}.jsonl`);
  const textPathOf = (agent: string) => join(folder, `${agent}.agent.yaml`);
  const forgetText = (agent: string) => rmSync(textPathOf(agent), { force: true });
  const read = (agent: string): Line[] => {
    if (!existsSync(pathOf(agent))) return [];
    const lines = readFileSync(pathOf(agent), "utf8").split("\n");
    return lines.flatMap((line) => lineFrom(line) ?? []);
  };
  const add = (agent: string, line: Line) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // A line that a crash cut off stays alone on its line.
    appendFileSync(pathOf(agent), `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
  };
  return {
    folder,
    last: (agent) => read(agent).findLast((line) => line.event === "served"),
    reasonFor(agent, fingerprint) {
      for (const line of read(agent).reverse())
        if (line.event === "overridden" && line.fingerprint === fingerprint) return line.reason;
      return undefined;
    },
    textOf: (agent) => (existsSync(textPathOf(agent)) ? readFileSync(textPathOf(agent), "utf8") : undefined),
    serve(agent, { fingerprint, requires, text }, at) {
      add(agent, { event: "served", fingerprint, requires, at: at.toISOString() });
      if (text === undefined) forgetText(agent);
      else replaceFile(textPathOf(agent), text, 0o600);
    },
    override: (agent, fingerprint, reason, at) =>
      add(agent, { event: "overridden", fingerprint, reason, at: at.toISOString() }),
    hasServed: (agent, fingerprint) =>
      read(agent).some((line) => line.event === "served" && line.fingerprint === fingerprint),
    canaryOf(agent, fingerprint) {
      const steps = read(agent).flatMap((line): CanaryLine[] =>
        line.event === "served" || line.event === "overridden" ? [] : [line],
      );
      const of = fingerprint ?? steps.at(-1)?.fingerprint;
      const own = steps.filter((line) => line.fingerprint === of);
      return own.slice(
        Math.max(
          0,
          own.findLastIndex(({ event }) => event === "canary_started"),
        ),
      );
    },
    step: add,
    forgetText,
  };
}

function lineFrom(text: string): Line | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

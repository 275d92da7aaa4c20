import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestDaemon } from "./daemon.ts";

/** Writes a file of the workspace's evals and returns its path. */
export function writeEval(daemon: Pick<TestDaemon, "workspace">, name: string, text: string): string {
  const path = join(daemon.workspace, "evals", name);
  mkdirSync(join(daemon.workspace, "evals"), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Waits for the end of an eval's run by its stream of events, and returns the run. */
export async function endedRun(daemon: Pick<TestDaemon, "asOwner">, id: string) {
  const { text } = await daemon.asOwner("GET", `/v1/eval-runs/${id}/events`);
  const events = text
    .split("\n\n")
    .flatMap((part) => (part.startsWith("data: ") ? [JSON.parse(part.slice(6))] : []));
  const last = events.at(-1);
  expect(last?.type).toBe("done");
  return last.run;
}

import { statSync } from "node:fs";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { AgentCatalog } from "./agent-catalog.ts";
import { type AgentLoader, agentFiles, loadAgents } from "./load-agents.ts";

const lookEveryMs = 1000;

/** Reads the agent files again when one was added, changed or removed. Looking once a second misses nothing on any file system. */
export function agentWatcher(loader: AgentLoader, catalog: AgentCatalog, clock: Clock, log: Logger): Worker {
  let seen = fingerprint(loader.folder);
  return {
    name: "agent-watcher",
    async run(signal) {
      while (!signal.aborted) {
        await sleep(clock, lookEveryMs, signal).catch(() => undefined);
        if (signal.aborted) return;
        const found = fingerprint(loader.folder);
        if (found === seen) continue;
        seen = found;
        loadAgents(loader, catalog);
        logCatalog(catalog, log);
      }
    },
  };
}

/** Says what was loaded, and what was refused and why. */
export function logCatalog(catalog: AgentCatalog, log: Logger): void {
  for (const { name, file, fault } of catalog.list()) {
    if (fault !== undefined) log.warn("agent.refused", { agent: name, file, message: fault.message });
  }
  log.info("agents.loaded", { ready: catalog.readyCount, refused: catalog.failedCount });
}

function fingerprint(folder: string): string {
  return agentFiles(folder)
    .map((path) => {
      const status = statSync(path, { throwIfNoEntry: false });
      return `${path} ${status?.mtimeMs ?? 0} ${status?.size ?? 0} ${status?.ino ?? 0}`;
    })
    .join("\n");
}

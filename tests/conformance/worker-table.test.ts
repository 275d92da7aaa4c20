import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { workKinds } from "../../src/storage/begun-work.ts";

/*
 * Every background worker: the kinds of work whose interruptions it counts, or why it needs no count.
 */

const root = join(import.meta.dir, "../../src");

/** Workers that take the same rows up again after a crash. */
const counted: Readonly<Record<string, readonly string[]>> = {
  "billing-closing": ["period_closing"],
  "retired-agents": ["retired_agent"],
  "retired-documents": ["retired_documents"],
  "retired-cloud-agents": ["retired_agent"],
  "deployed-agents": ["deployed_agent"],
  "interrupted-reconciles": ["reconcile"],
  "memory-writer": ["memory_writes"],
  "memory-forgetter": ["memory_cleanup"],
  "memory.sweep": ["conversation_cleanup"],
  "rag-sweeper": ["document_cleanup"],
  "gateway-forgetting": ["forgotten_contact"],
  "interrupted-runs": ["run"],
  "caller-runs": ["run"],
  "response-keeper": ["run"],
  triggers: ["run"],
  "eval-runs": ["eval_run"],
  "cloud-eval-runs": ["eval_run"],
};

/** Workers whose rows have a count of their own. */
const ownCount = {
  inbound: "parks an event after three interruptions (inbound-step.ts)",
  outbox: "fails a message after three interruptions (outbox-step.ts)",
  "gateway-media": "gives up a file after five tries, which it counts before it begins (fetch-files.ts)",
  "mcp-task-keeper": "ends a task after three interruptions (mcp-tasks.ts)",
  "channel-inbox": "parks an event after three interruptions (inbound-step.ts)",
  "channel-outbox": "fails a message after three interruptions (outbox-step.ts)",
};

const byAge = "deletes rows by age in one statement and reads no content";
const figures = "reads figures, no content";
const memory = "works on what this process has in memory, which dies with it";
const constant = "sets the same columns of each row, whatever is in it";
const operators = "reads files of the operator, and takes up no rows";

const uncounted: Readonly<Record<string, string>> = {
  "unsettled-runs": memory,
  "ended-run-steps": memory,
  "old-notices": byAge,
  "storage-notices": figures,
  "expired-approvals": constant,
  "approval-keeper": constant,
  "trigger-retention": byAge,
  "run-leftovers": byAge,
  "unattributed-runs": figures,
  "failed-sign-ins": byAge,
  "expired-links": byAge,
  "expired-tokens": byAge,
  "expired-cloud-tokens": byAge,
  "dead-cloud-processes": byAge,
  "retired-cloud-orgs": "deletes rows by their org and reads no content",
  "gateway-retention": byAge,
  "run-step-pruner": byAge,
  "trace-pruner": byAge,
  "cassette-pruner": "deletes files by age and size and reads none",
  "shared-cassette-pruner": byAge,
  "cloud-process": figures,
  "daemon-process": figures,
  "open-cloud-streams": memory,
  "late-cloud-usage": memory,
  "key-uses": memory,
  "stored-bytes": figures,
  "stored-cloud-bytes": figures,
  "gateway-notices": figures,
  "gateway-reports": "adds up rows of a time; a crash leaves the sums and their mark as they were",
  "gateway-transcripts": figures,
  "gateway-room": "deletes the oldest records by age and size, whatever they contain",
  "webchat-watch": figures,
  "gateway-watch": figures,
  "redis-watch": figures,
  "size-recorder": figures,
  "stored-parts": figures,
  "loop-lag": figures,
  "provider-prober": figures,
  "database-clock": figures,
  mesh: figures,
  "mesh-pauses": figures,
  "mesh-messages": figures,
  peers: figures,
  "mcp-servers": memory,
  vectors: "maintains the stores that this process has written",
  "trace-writer": memory,
  "otlp-exporter": memory,
  "budget-writer": memory,
  "config-watcher": operators,
  "shared-files": operators,
  "${what}-watcher": operators,
  "channel-account": constant,
  "channel-retention": byAge,
};

/** Names of workers in the sources: an argument of the makers, or a field beside `run`. */
function workersIn(text: string): string[] {
  const made = text.matchAll(/(?:repeatedWorker|aloneWorker|evalWork\.worker)\(\s*"([^"]+)"/g);
  const written = text.matchAll(
    /name: (?:"([^"]+)"|`([^`]+)`),\s*(?:silenceMaxMs[^\n]*,\s*)?(?:async run\(|run: |run\()/g,
  );
  return [...made, ...written].map(([, name, template]) => name ?? template ?? "");
}

function allWorkers(): string[] {
  const files = [...new Glob("**/*.ts").scanSync(root)];
  return files.flatMap((file) => workersIn(readFileSync(join(root, file), "utf8"))).sort();
}

test("each worker counts interruptions or says why it needs no count", () => {
  const known = [...Object.keys(counted), ...Object.keys(ownCount), ...Object.keys(uncounted)];
  expect(allWorkers()).toEqual(known.sort());
});

test("each kind of work has a worker", () => {
  expect([...new Set(Object.values(counted).flat())].sort()).toEqual([...workKinds].sort());
});

import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult, EvalRunHead } from "../../../../src/contracts/evals/eval-run.ts";
import { readEval } from "../../../../src/evals/files/read-eval-file.ts";
import { summarize } from "../../../../src/evals/report/summarize.ts";
import { contentDigest } from "../../../../src/evals/running/plan-attempts.ts";
import { RunStore } from "../../../../src/evals/running/run-store.ts";
import { GateRuns } from "../../../../src/services/daemon/release/gate-runs.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { writeEval } from "../../../support/daemon-evals.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const evalFile = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "Eval",
  metadata: { name: "guard" },
  spec: { agent: "one", cases: [{ id: "a", query: "hi", checks: [{ contains: "Hello" }] }] },
});

const startAt = "2026-11-28T10:00:00.000Z";
const minute = (number: number) => new Date(Date.parse(startAt) + number * 60_000);

/** Head of a run of the eval `guard` that begins so many minutes after the start. */
const headOf = (at: number, more: Partial<EvalRunHead> = {}): EvalRunHead => ({
  id: RunStore.newId(more.eval ?? "guard", minute(at), () => at / 100),
  eval: "guard",
  file: "evals/guard.eval.yaml",
  agent: "one",
  agent_checksum: "c",
  argosy: "0.0.0",
  started_at: minute(at).toISOString(),
  mode: "live",
  digest: "d",
  targets: ["agent"],
  cases: 1,
  repeat: 1,
  ...more,
});

const passed: CaseResult = {
  case: "a",
  target: "agent",
  repeat: 1,
  passed: true,
  checks: [{ check: "contains", kind: "contains", passed: true }],
  turns: [],
  steps: 1,
  tokens: 1,
  cost_usd: 0,
  latency_ms: 1,
};

function keep(store: RunStore, head: EvalRunHead, results: readonly CaseResult[]): void {
  const writer = store.append(head.id);
  for (const result of results) writer.keep(result);
  writer.close();
}

function end(store: RunStore, head: EvalRunHead, ending: "complete" | "interrupted"): void {
  const results = store.results(head.id);
  const summary = summarize(head, results, ending);
  store.end(head.id, { status: ending, ended_at: startAt, summary, simulated: false });
}

/** Reads changed files: a check waits until all have been judged. */
const look = (daemon: TestDaemon) =>
  daemon.call("POST", "/v1/agents/validate", {
    body: agentFile("other"),
    headers: { "content-type": "application/json" },
  });

/** A daemon whose agent `one` waits for its eval, and the runs of evals in its data folder. */
async function startWaiting() {
  const requires = [{ eval: "guard", min_score: 1 }];
  const daemon = await startDaemon({
    agents: { "one.agent.yaml": agentFile("one") },
    startAt,
    ownersToken: true,
  });
  const path = writeEval(daemon, "guard.eval.yaml", evalFile);
  daemon.writeAgent(
    "one.agent.yaml",
    agentFile("one", { prompts: { system: "New." }, release: { requires } }),
  );
  await look(daemon);
  const { fingerprint } = (await daemon.call("GET", "/v1/agents/one")).body.candidate;
  const content = contentDigest(await readEval(path, "evals/guard.eval.yaml", {}));
  const store = new RunStore(join(daemon.config.dataFolder, "evals"));
  const waits = async () => {
    // Two looks: the first one may still find what changed before it.
    await look(daemon);
    await look(daemon);
    return (await daemon.call("GET", "/v1/agents/one")).body.candidate !== undefined;
  };
  return { daemon, store, waits, asked: { agent_fingerprint: fingerprint, content } };
}

describe("a version that waits serves as soon as its eval has passed", () => {
  test("also if a run of another eval began meanwhile", async () => {
    const { daemon, store, waits, asked } = await startWaiting();
    await using _ = daemon;
    const own = headOf(0, asked);
    store.begin(own);
    expect(await waits()).toBe(true);
    store.begin(headOf(1, { eval: "other" }));
    store.begin(headOf(2));
    expect(await waits()).toBe(true);
    keep(store, own, [passed]);
    end(store, own, "complete");
    expect(await waits()).toBe(false);
    await daemon.run("one", { query: "hi" });
    expect(daemon.models.lab.requests.at(-1)?.body.messages[0]?.content).toBe("New.");
  });

  test("also if it was interrupted and resumed after a newer run", async () => {
    const { daemon, store, waits, asked } = await startWaiting();
    await using _ = daemon;
    const own = headOf(0, asked);
    store.begin(own);
    end(store, own, "interrupted");
    const newer = headOf(1, { eval: "other" });
    store.begin(newer);
    end(store, newer, "complete");
    expect(await waits()).toBe(true);
    keep(store, own, [passed]);
    expect(await waits()).toBe(false);
  });
});

describe("the stamp of the runs that a verdict depends on", () => {
  const asked = [{ agent: "one", fingerprints: ["new", undefined] }];

  test("changes when such a run begins, continues, ends, is resumed or is deleted, and with no other", () => {
    using folder = temporaryFolder();
    const store = new RunStore(folder.path);
    const runs = new GateRuns(store);
    const seen = [runs.stampOf(asked)];
    const changes = () => {
      const stamp = runs.stampOf(asked);
      const isNew = !seen.includes(stamp);
      seen.push(stamp);
      return isNew;
    };
    expect(seen).toEqual([""]);
    const own = headOf(0, { agent_fingerprint: "new" });
    const others = [
      headOf(1),
      headOf(2, { agent_fingerprint: "old" }),
      headOf(3, { agent: "two", agent_fingerprint: "new" }),
      headOf(4, { agent_fingerprint: "new", mode: "replay" }),
      headOf(5, { agent_fingerprint: "new", targets: ["lab/x"] }),
    ];
    store.begin(own);
    expect(changes()).toBe(true);
    for (const other of others) {
      store.begin(other);
      keep(store, other, [passed]);
      end(store, other, "complete");
    }
    expect(changes()).toBe(false);
    keep(store, own, []);
    expect(changes()).toBe(true);
    end(store, own, "interrupted");
    expect(changes()).toBe(true);
    keep(store, own, [passed]);
    expect(changes()).toBe(true);
    end(store, own, "complete");
    expect(changes()).toBe(true);
    rmSync(join(folder.path, own.id), { recursive: true });
    expect(runs.stampOf(asked)).toBe("");
  });

  test("sees a run whose head was not written yet, and reads each head once", () => {
    using folder = temporaryFolder();
    const store = new RunStore(folder.path);
    let heads = 0;
    const runs = new GateRuns({
      ids: () => store.ids(),
      stampOf: (id) => store.stampOf(id),
      findHead(id) {
        heads++;
        return store.findHead(id);
      },
    });
    const own = headOf(0, { agent_fingerprint: "new" });
    mkdirSync(join(folder.path, own.id));
    expect(runs.stampOf(asked)).toBe("");
    writeFileSync(join(folder.path, own.id, "run.json"), JSON.stringify(own));
    expect(runs.stampOf(asked)).toStartWith(own.id);
    expect(heads).toBe(2);
    runs.stampOf(asked);
    expect(heads).toBe(2);
  });
});

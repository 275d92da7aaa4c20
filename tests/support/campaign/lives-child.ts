/**
 * A platform over a staged runtime that runs agents in an endless loop, until it is killed: some answer, some fail, some are left by their
 * reader, some take too long. Prints the invocation and the state of each run whose end was reported.
 *
 *   bun scripts/bench/campaign/lives-child.ts <folder> <seed> [url]
 */
import type { RuntimeFrame } from "../../../src/contracts/runtime/client.ts";
import { startPlatform } from "../platform.ts";
import { addPlatformAgent } from "../platform-agent.ts";
import { ended, type RuntimeScript } from "../staged-runtime.ts";
import { fillLedger, ledgerIn } from "./open-ledger.ts";
import { pick, seeded } from "./seeded.ts";

const [folder = "", seed = "1", url] = process.argv.slice(2);
const random = seeded(Number(seed));
const lanes = 8;
const path = "/api/v1/agents/support/run";

const ledger = await ledgerIn(folder, url);
const isNew = (await ledger.read.select().from(ledger.tables.plans)).length === 0;
if (isNew) await fillLedger(ledger, { maxRpm: null, maxConcurrency: null, creditCapPeriodMicros: null });
const engine = {
  dialect: ledger.dialect,
  open: async () => ({ ...ledger, async [Symbol.asyncDispose]() {} }),
};
const platform = await startPlatform(engine as unknown as Parameters<typeof startPlatform>[0]);
const owner = await platform.tenant();
await addPlatformAgent(platform, owner, "support");
platform.runtime.plays(script);
console.log("ready");
await Promise.all(Array.from({ length: lanes }, lane));

async function lane(): Promise<never> {
  for (;;) {
    const way = pick(random, [once, once, once, left, overTime]);
    await way();
  }
}

function call(query: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${platform.url}${path}`, {
    method: "POST",
    headers: { ...owner.asProgram, accept: signal ? "text/event-stream" : "application/json" },
    body: JSON.stringify({ query }),
    ...(signal ? { signal } : {}),
  });
}

async function once(): Promise<void> {
  const answer = await call(random() < 0.7 ? "answer" : "fail");
  const body = (await answer.json()) as { invocation_id?: string; status?: string };
  if (body.invocation_id !== undefined) console.log(`${body.invocation_id} ${body.status}`);
}

/** Leaves in the middle of an answer. */
async function left(): Promise<void> {
  const leaving = new AbortController();
  const answer = await call("wait", leaving.signal);
  await answer.body?.getReader().read();
  leaving.abort();
}

async function overTime(): Promise<void> {
  await (await call("timeout")).text();
}

/** Plays a run; the query selects its course. */
async function* script(...[run, cancelled]: Parameters<RuntimeScript>): AsyncGenerator<RuntimeFrame> {
  const query = "query" in run ? run.query : "";
  yield { type: "token", content: "Hel" };
  if (query === "fail") throw new Error("connection reset");
  if (query === "timeout") yield ended({ outcome: "timeout" });
  else if (query === "answer") yield ended();
  else {
    if (!cancelled.aborted) {
      await new Promise<void>((resolve) =>
        cancelled.addEventListener("abort", () => resolve(), { once: true }),
      );
    }
    yield ended({ outcome: "cancelled" });
  }
}

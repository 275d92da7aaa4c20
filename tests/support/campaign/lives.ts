import { sweepInterrupted } from "../../../src/services/platform/runs/sweep/run-sweep.ts";
import { temporaryFolder } from "../temp-folder.ts";
import { type Ledger, ledgerIn } from "./open-ledger.ts";
import { seeded } from "./seeded.ts";

/** The result of a campaign; faults are sentences. */
export interface LivesFigures {
  kills: number;
  runs: number;
  interrupted: number;
  cancelled: number;
  /** Runs whose end was reported to a reader. */
  told: number;
  faults: string[];
}

const child = new URL("./lives-child.ts", import.meta.url).pathname;
/** Later than the time limit of any run of a child, whose clock does not move. */
const afterAll = new Date("2026-03-10T13:00:00.000Z");

/**
 * Kills the platform `kills` times, on average after at least `runsBetween` ended runs, in the middle of other runs. Checks the records
 * after the sweep: every run is in one final state, nothing is held, reported ends are unchanged, and cancelled runs are not charged.
 */
export async function livesCampaign(
  { kills, runsBetween }: { kills: number; runsBetween: number },
  url?: string,
): Promise<LivesFigures> {
  using folder = temporaryFolder();
  const random = seeded(kills);
  const told = new Map<string, string>();
  for (let kill = 1; kill <= kills; kill++) {
    const lines = Math.floor(random() * 2 * runsBetween);
    await untilKilled([folder.path, String(kill), ...(url === undefined ? [] : [url])], lines, told);
  }
  const ledger = await ledgerIn(folder.path, url);
  try {
    const swept = await sweepInterrupted(ledger, afterAll);
    return { kills, ...(await lookAt(ledger, told, swept)) };
  } finally {
    await ledger.close();
  }
}

/** Starts a child and kills it at a point after the end number `lines` that it reports. */
async function untilKilled(parameters: string[], lines: number, told: Map<string, string>): Promise<void> {
  const running = Bun.spawn([process.execPath, child, ...parameters], { stdout: "pipe", stderr: "pipe" });
  let seen = -1;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of running.stdout) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      seen++;
      const [id, status] = line.split(" ");
      if (id !== undefined && status !== undefined) told.set(id, status);
    }
    if (seen >= lines) running.kill("SIGKILL");
  }
  await running.exited;
  if (running.signalCode !== "SIGKILL") {
    throw new Error(`The child ended by itself: ${await new Response(running.stderr).text()}`);
  }
}

async function lookAt(
  { read, tables: { invocations, creditCounters } }: Ledger,
  told: ReadonlyMap<string, string>,
  swept: number,
): Promise<Omit<LivesFigures, "kills">> {
  const rows = await read.select().from(invocations);
  const faults: string[] = [];
  const charged = new Map<string, number>();
  for (const { id, tenantId, status, chargedMicros, endedAt } of rows) {
    if (status === "in_progress") faults.push(`${id} has not ended`);
    if (endedAt === null) faults.push(`${id} has no time of its end`);
    if (status !== "ok" && chargedMicros !== 0)
      faults.push(`${id} is ${status} and charged ${chargedMicros}`);
    if (status === "ok" && chargedMicros !== 120) faults.push(`${id} is charged ${chargedMicros}`);
    charged.set(tenantId, (charged.get(tenantId) ?? 0) + chargedMicros);
  }
  const states = new Map(rows.map(({ id, status }) => [id, status]));
  for (const [id, status] of told) {
    if (states.get(id) !== status) faults.push(`${id} was told ${status} and is ${states.get(id)}`);
  }
  for (const { tenantId, heldMicros, chargedMicros } of await read.select().from(creditCounters)) {
    if (heldMicros !== 0) faults.push(`${tenantId} still has ${heldMicros} held`);
    const recorded = charged.get(tenantId) ?? 0;
    if (chargedMicros !== recorded)
      faults.push(`${tenantId}: charged ${chargedMicros}, on record ${recorded}`);
  }
  const interrupted = rows.filter(({ status }) => status === "interrupted").length;
  if (interrupted !== swept) faults.push(`${swept} were swept, ${interrupted} are on record`);
  const cancelled = rows.filter(({ status }) => status === "cancelled").length;
  return { runs: rows.length, interrupted, cancelled, told: told.size, faults };
}

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { migrations } from "../../../src/services/gateway/migrations.gen.ts";
import { tables } from "../../../src/services/gateway/tables.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { asAdmin } from "../gateway.ts";
import { temporaryFolder } from "../temp-folder.ts";
import { startGatewayWorld, type WorldLog } from "./gateway-world.ts";
import { seeded } from "./seeded.ts";

/** A gateway's surroundings, as it is told of them. */
export interface GatewayLife {
  folder: string;
  /** URL of a PostgreSQL database; without it, the gateway has a SQLite file. */
  database?: string | undefined;
  /** Address of provider and platform. */
  world: string;
  sealKey: string;
  /** Real time at which the campaign began. */
  beganMs: number;
  /** How much faster the gateway's clock runs. */
  speed: number;
}

/** The gateway's time. */
export const virtualMs = ({ beganMs, speed }: Pick<GatewayLife, "beganMs" | "speed">, realMs: number) =>
  beganMs + Math.floor((realMs - beganMs) * speed);

export interface GatewayCampaign {
  kills: number;
  /** Gateways at the same time, killed in turn. Several need a PostgreSQL database. */
  gateways: number;
  database?: string | undefined;
  speed: number;
  /** Calls, deliveries and confirmations between two kills, at most. */
  eventsBetween: number;
  seed: number;
  /** Called after each kill. */
  onKill?: (kills: number) => void;
  /** Ends the campaign early; what was killed until then is judged. */
  signal?: AbortSignal;
}

/** Findings of a campaign, at the provider and in the database. */
export interface GatewayLosses {
  kills: number;
  /** Messages of customers, and of a tenant's program, that the gateway confirmed. */
  asked: number;
  told: number;
  /** Those that were never answered, or never sent. */
  lost: number;
  /** Those that got two messages: two answers, or two sendings under one key. */
  doubled: number;
  /** Messages of customers for which the platform was asked for two runs. */
  runTwice: number;
  /** Calls that the provider accepted after it had accepted the same message before. */
  again: number;
  /** Those among them that came within 60 s, so that no receipt was waited for. */
  unsettled: number;
  /** Those among them whose receipt the gateway had confirmed before the call can have begun. */
  deaf: number;
  /** Messages and events that are still open, failed or parked. */
  unfinished: number;
}

/** The time for which the gateway waits for a receipt before it sends again. */
const receiptWaitMs = 60_000;
/** Longest time that a call takes. */
const sendMs = 15_000;
const accounts = 8;
const drainMs = 300_000;
/** A life without work ends, too. */
const lifeMs = 5_000;

/** Kills gateways at work again and again, and counts what became of every message. */
export async function killGateways(campaign: GatewayCampaign): Promise<GatewayLosses> {
  const { kills, gateways, database, speed, eventsBetween, seed, onKill, signal } = campaign;
  using folder = temporaryFolder();
  const random = seeded(seed);
  const beganMs = Date.now();
  const nowMs = () => virtualMs({ beganMs, speed }, Date.now());
  const running: (Awaited<ReturnType<typeof start>> | undefined)[] = [];
  const reachable = () => running.filter((one) => one !== undefined);
  const world = await startGatewayWorld({
    random: Math.random,
    nowMs,
    gateway: () => reachable()[Math.floor(Math.random() * reachable().length)]?.url,
    accounts,
  });
  const sealKey = randomBytes(32).toString("hex");
  const life: GatewayLife = { folder: folder.path, database, world: world.url, sealKey, beganMs, speed };
  const child = await bundle(folder.path);
  for (let place = 0; place < gateways; place++) running[place] = await start(child, life);
  const accountIds = await world.setUp(reachable()[0]?.url ?? "");
  let number = 0;
  let isWorking = true;
  const work = world.work(() => (isWorking ? number++ : undefined), accountIds);
  let killed = 0;
  while (killed < kills && signal?.aborted !== true) {
    const place = killed % gateways;
    await world.happened(Math.floor(random() * eventsBetween), lifeMs);
    const victim = running[place];
    running[place] = undefined;
    victim?.process.kill("SIGKILL");
    await victim?.process.exited;
    killed++;
    onKill?.(killed);
    running[place] = await start(child, life);
  }
  isWorking = false;
  const deadline = Date.now() + drainMs;
  while (Date.now() < deadline && !world.isQuiet()) await Bun.sleep(50);
  await work;
  while (Date.now() < deadline && (await countOpen(reachable()[0]?.url ?? "")) > 0) await Bun.sleep(500);
  for (const last of reachable()) {
    last.process.kill("SIGKILL");
    await last.process.exited;
  }
  world.end();
  return { kills: killed, ...judge(world.log), unfinished: await countUnfinished(life) };
}

/** A bundle starts faster than its sources, and a short one faster than a long one. */
async function bundle(folder: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dirname, "gateway-child.ts")],
    outdir: join(folder, "child"),
    target: "bun",
    minify: true,
  });
  const [entry] = built.outputs;
  if (entry === undefined)
    throw new AggregateError(built.logs, "The gateway of the campaign can't be built.");
  return entry.path;
}

async function start(child: string, life: GatewayLife) {
  const started = Bun.spawn([process.execPath, child, JSON.stringify(life)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const { value } = await started.stdout.getReader().read();
  const url = new TextDecoder().decode(value).trim();
  if (!url.startsWith("http")) throw new Error("A gateway of the campaign did not start.");
  return { process: started, url };
}

function judge({ accepted, idsByText, runsByQuery, asked, told }: WorldLog) {
  const wanted = [...asked.map((text) => `answer to ${text}`), ...told];
  const all = [...accepted.values()];
  const again = all.flatMap((calls) =>
    calls.slice(1).map((call, index) => ({ ...call, sinceMs: call.atMs - (calls[index]?.atMs ?? 0) })),
  );
  return {
    asked: asked.length,
    told: told.length,
    lost: wanted.filter((text) => !idsByText.has(text)).length,
    doubled: [...idsByText.values()].filter((ids) => ids.size > 1).length,
    runTwice: [...runsByQuery.values()].filter((keys) => keys.size > 1).length,
    again: again.length,
    unsettled: again.filter(({ sinceMs }) => sinceMs < receiptWaitMs).length,
    deaf: again.filter(({ toldSinceMs }) => (toldSinceMs ?? 0) > sendMs).length,
  };
}

/** Open messages and events, as a gateway itself counts them. */
async function countOpen(url: string): Promise<number> {
  const text = await (await fetch(`${url}/admin/metrics`, { headers: asAdmin })).text();
  const counts = text.matchAll(
    /^gateway_(?:outbox_messages|inbound_events)\{[^}]*(?:pending|sending|waiting|working)[^}]*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function countUnfinished({ folder, database }: GatewayLife): Promise<number> {
  const storage = await openStorage({
    service: "gateway",
    tables,
    migrations,
    folder,
    ...(database === undefined ? {} : { url: database }),
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  const { outbox, inbound } = storage.tables;
  const count = sql<number>`count(*)`.mapWith(Number);
  const [unsent] = await storage.read.select({ count }).from(outbox).where(sql`${outbox.status} <> 'sent'`);
  const [open] = await storage.read.select({ count }).from(inbound).where(sql`${inbound.state} <> 'done'`);
  await storage.close();
  return (unsent?.count ?? 0) + (open?.count ?? 0);
}

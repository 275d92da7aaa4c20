/**
 * Measures the longest time that one request blocks the main thread of the executable, in milliseconds of processor time: every service in
 * this process, and the requests from a worker. Each request is as large as the contract allows, or asks for as much. A row above the goal
 * is marked; the exit status is then 1. `--stacks` prints where the time of such a row went, `--answers` what was answered.
 *
 *   node_modules/.bin/bun scripts/bench/route-blocks.ts [part of a row's name] [--stacks] [--answers]
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/compose/load-config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { silentLogger } from "../../src/kit/log.ts";
import type { Answered, Sent } from "./blocks/caller.ts";
import { cloudRoutes } from "./blocks/cloud-routes.ts";
import { daemonRoutes } from "./blocks/daemon-routes.ts";
import { type Block, longestBlock, stacksOfBlock } from "./blocks/event-loop.ts";
import { foreignRoutes } from "./blocks/foreign-routes.ts";
import { gatewayRoutes, phoneSecret } from "./blocks/gateway-routes.ts";
import { meshRoutes, meshSecret, nodeName } from "./blocks/mesh-routes.ts";
import { platformRoutes } from "./blocks/platform-routes.ts";
import type { Ask, RouteRow, World } from "./blocks/route-row.ts";
import { translatorRoutes } from "./blocks/translator-routes.ts";

const goalMs = 50;
const tries = 3;

const options = process.argv.slice(2);
const isStacked = options.includes("--stacks");
const isTold = options.includes("--answers");
const sought = options.find((option) => !option.startsWith("--")) ?? "";

const workspace = mkdtempSync(join(tmpdir(), "argosy-blocks-"));
const worker = new Worker(join(import.meta.dir, "blocks/caller.ts"));

/** Watches the main thread while a request is answered. The request is written before, because writing it is the client's work. */
type Watch = (answering: () => Promise<unknown>) => Promise<unknown>;

const unwatched: Watch = (answering) => answering();

async function send(sent: Sent, watch: Watch): Promise<Answered> {
  await told<undefined>(sent);
  let answer: Answered = { status: 0, bytes: 0, text: "" };
  await watch(async () => {
    answer = await told<Answered>("send");
  });
  return answer;
}

function told<Reply>(message: Sent | "send"): Promise<Reply> {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data);
    worker.postMessage(message);
  });
}

const adminToken = "admin-token-of-the-gateway-with-32-bytes";
Object.assign(process.env, {
  ARGOSY_DATA: join(workspace, "data"),
  GATEWAY_ADMIN_TOKEN: adminToken,
  GATEWAY_EMULATOR: "true",
  GATEWAY_PHONE_APP_SECRET: phoneSecret,
  GATEWAY_PHONE_VERIFY_TOKEN: "verify-me",
  CLOUD_DEV_LOGIN: "true",
  PLATFORM_MESH_ENABLED: "true",
  PLATFORM_MESH_SECRET: meshSecret,
  PLATFORM_NODE_NAME: nodeName,
});
process.chdir(workspace);
// The node has no others, so its address is never called.
const mesh = { advertise: "127.0.0.1:1" };
writeFileSync("runtime.yaml", JSON.stringify({ spec: { network: { allow: ["127.0.0.1/32"] }, mesh } }));
const config = loadConfig({ port: "0", services: "daemon,platform,gateway,cloud,translator" });
const running = await startArgosy(config, { log: silentLogger });
const urls = new Map(running.services.map(({ name, url }) => [name, url.replace(/\/$/, "")]));
let watch = unwatched;
const askOf =
  (service: string, prefix = "", always: Record<string, string> = {}): Ask =>
  async (method, path, { body, headers = {}, times = 1 } = {}) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    const sent = {
      method,
      url: `${urls.get(service)}${prefix}${path}`,
      headers: { ...always, ...headers },
      times,
      ...(text === undefined ? {} : { body: text }),
    };
    return send(sent, watch);
  };
const hostile = Bun.spawn([process.execPath, join(import.meta.dir, "attack/hostile-server.ts")], {
  stdio: ["ignore", "pipe", "inherit"],
});
const { value: line } = await hostile.stdout.getReader().read();
const world: World = { askOf, adminToken, hostile: new TextDecoder().decode(line).trim() };

/** Does the row's requests under a watch, and returns the last answer. */
async function watched({ ask }: RouteRow, round: number, by: Watch): Promise<Answered> {
  watch = by;
  try {
    return await ask(round);
  } finally {
    watch = unwatched;
  }
}

async function measured(row: RouteRow, round: number): Promise<{ ms: number; answer: Answered }> {
  await row.prepare?.(round);
  const blocks: Block[] = [];
  const answer = await watched(row, round, async (answering) => blocks.push(await longestBlock(answering)));
  return { ms: Math.max(...blocks.map(({ ms }) => ms)), answer };
}

async function stacksOf(row: RouteRow): Promise<string[]> {
  const places: string[] = [];
  await row.prepare?.(tries);
  await watched(row, tries, async (answering) => places.push(...(await stacksOfBlock(answering))));
  return places;
}

let above = 0;
try {
  console.log(
    `${"request".padEnd(74)} ${"status".padStart(6)} ${"KiB".padStart(7)} ${"block ms".padStart(9)}   goal ${goalMs} ms`,
  );
  for (const routes of [
    daemonRoutes,
    platformRoutes,
    gatewayRoutes,
    cloudRoutes,
    translatorRoutes,
    meshRoutes,
    foreignRoutes,
  ]) {
    for (const row of await routes(world)) {
      if (!row.name.includes(sought)) {
        // Later rows may need it.
        if (sought.startsWith(row.name.split(":")[0] ?? "")) await row.before?.();
        continue;
      }
      await row.before?.();
      // The first runs of new code include its compilation.
      let best = await measured(row, 0);
      for (let round = 1; round < tries && best.ms > goalMs; round++) {
        const next = await measured(row, round);
        if (next.ms < best.ms) best = next;
      }
      const { ms, answer } = best;
      const isAbove = ms > goalMs;
      if (isAbove) above++;
      console.log(
        `${row.name.padEnd(74)} ${`${answer.status}`.padStart(6)} ${(answer.bytes / 1024).toFixed(0).padStart(7)} ${ms.toFixed(1).padStart(9)}   ${isAbove ? "ABOVE" : ""}`,
      );
      if (isTold || answer.status >= 500 || answer.status === 0)
        console.log(`     ${answer.text.slice(0, 400)}`);
      if (isStacked && isAbove) for (const place of await stacksOf(row)) console.log(`     ${place}`);
    }
  }
  console.log(above === 0 ? "All rows meet the goal." : `${above} rows are above the goal.`);
} finally {
  worker.terminate();
  hostile.kill();
  await running.stop();
  process.chdir(tmpdir());
  rmSync(workspace, { recursive: true, force: true });
}
process.exit(above === 0 ? 0 : 1);

/**
 * Measures the longest time that one request blocks the main thread, in milliseconds of processor time, and the longest wait for `/healthz`
 * meanwhile: every service is in this process, and the requests come from a worker. Each request is as large as the contract allows, asks
 * for as much, or is sent many times at once. A row whose block is above the goal is marked; the exit status is then 1. `--answers` prints
 * what was answered.
 *
 *   node_modules/.bin/bun scripts/bench/route-blocks.ts [part of a row's name] [--answers]
 */
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/compose/load-config.ts";
import { startArgosy } from "../../src/compose/start.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { longestBlockMs } from "../../tests/support/processor-time.ts";
import { readOptions } from "./options.ts";
import type { Answered, Sent } from "./routes/caller.ts";
import { cloudRoutes } from "./routes/cloud.ts";
import { daemonRoutes } from "./routes/daemon.ts";
import { foreignRoutes } from "./routes/foreign.ts";
import { gatewayRoutes, phoneSecret } from "./routes/gateway.ts";
import { meshRoutes, meshSecret, nodeName } from "./routes/mesh.ts";
import { platformRoutes } from "./routes/platform.ts";
import type { Ask, RouteRow, World } from "./routes/route-row.ts";
import { translatorRoutes } from "./routes/translator.ts";
import { startBeside, temporaryWorkspace } from "./servers.ts";

const goalMs = 50;
const tries = 3;
const {
  answers,
  args: [sought = ""],
} = readOptions({ answers: false });

using workspace = temporaryWorkspace();
const worker = new Worker(join(import.meta.dir, "routes/caller.ts"));

/** Blocks of the requests of the row that is measured. */
let blocks: number[] = [];

/** Sends a request. It is written before the main thread is watched, because writing it is the client's work. */
async function send(sent: Sent): Promise<Answered> {
  await told<undefined>(sent);
  let answer: Answered = { status: 0, bytes: 0, text: "", waitMs: 0 };
  blocks.push(
    await longestBlockMs(async () => {
      answer = await told<Answered>("send");
    }),
  );
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
  ARGOSY_DATA: join(workspace.path, "data"),
  GATEWAY_ADMIN_TOKEN: adminToken,
  GATEWAY_EMULATOR: "true",
  GATEWAY_PHONE_APP_SECRET: phoneSecret,
  GATEWAY_PHONE_VERIFY_TOKEN: "verify-me",
  CLOUD_DEV_LOGIN: "true",
  PLATFORM_MESH_ENABLED: "true",
  PLATFORM_MESH_SECRET: meshSecret,
  PLATFORM_NODE_NAME: nodeName,
});
process.chdir(workspace.path);
// The node has no others, so its address is never called.
const mesh = { advertise: "127.0.0.1:1" };
writeFileSync("runtime.yaml", JSON.stringify({ spec: { network: { allow: ["127.0.0.1/32"] }, mesh } }));
const config = loadConfig({ port: "0", services: "daemon,platform,gateway,cloud,translator" });
const running = await startArgosy(config, { log: silentLogger });
const urls = new Map(running.services.map(({ name, url }) => [name, url.replace(/\/$/, "")]));
const askOf =
  (service: string, prefix = "", always: Record<string, string> = {}): Ask =>
  (method, path, { body, headers = {}, times = 1 } = {}) => {
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return send({
      method,
      url: `${urls.get(service)}${prefix}${path}`,
      headers: { ...always, ...headers },
      times,
      ...(text === undefined ? {} : { body: text }),
    });
  };

async function measured(row: RouteRow, round: number): Promise<{ ms: number; answer: Answered }> {
  await row.prepare?.(round);
  blocks = [];
  const answer = await row.ask(round);
  return { ms: Math.max(...blocks), answer };
}

const cells = (figures: readonly (string | number)[]) => figures.map((one) => `${one}`.padStart(9)).join("");
let above = 0;
const hostile = await startBeside("routes/hostile-server.ts");
try {
  const world: World = { askOf, adminToken, hostile: hostile.line };
  console.log(
    `${"request".padEnd(74)}${cells(["status", "KiB", "block ms", "wait ms"])}   goal ${goalMs} ms`,
  );
  const parts = [
    daemonRoutes,
    platformRoutes,
    gatewayRoutes,
    cloudRoutes,
    translatorRoutes,
    meshRoutes,
    foreignRoutes,
  ];
  for (const routes of parts) {
    for (const row of await routes(world)) {
      const isSought = row.name.includes(sought);
      // Later rows may need it.
      if (isSought || sought.startsWith(row.name.split(":")[0] ?? "")) await row.before?.();
      if (!isSought) continue;
      // The first runs of new code include its compilation.
      let best = await measured(row, 0);
      for (let round = 1; round < tries && best.ms > goalMs; round++) {
        const next = await measured(row, round);
        if (next.ms < best.ms) best = next;
      }
      const { ms, answer } = best;
      const figures = [
        answer.status,
        (answer.bytes / 1024).toFixed(0),
        ms.toFixed(1),
        answer.waitMs.toFixed(0),
      ];
      console.log(`${row.name.padEnd(74)}${cells(figures)}   ${ms > goalMs ? "ABOVE" : ""}`);
      if (ms > goalMs) above++;
      if (answers || answer.status >= 500 || answer.status === 0)
        console.log(`     ${answer.text.slice(0, 400)}`);
    }
  }
  console.log(above === 0 ? "All rows meet the goal." : `${above} rows are above the goal.`);
} finally {
  worker.terminate();
  await hostile[Symbol.asyncDispose]();
  await running.stop();
  process.chdir(tmpdir());
  workspace[Symbol.dispose]();
}
process.exit(above === 0 ? 0 : 1);

/**
 * Attacks the executable as one tenant with a key of the free plan can, as a stranger at the daemon's port, with one free account of the
 * cloud, and with one send key of the gateway. Prints how many ms `/healthz` of platform and daemon took at most meanwhile, asked every
 * 20 ms by another process. `machine` is a server without an attacker. `busy` is the processor time that the main thread took during one
 * of these answers at most; a row where it is above the goal is marked, and the exit status is 1 then.
 *
 * The last rows are of a modest customer beside a greedy one: the 95th percentile of its waits, alone and meanwhile, of which the second may be
 * at most twice the first.
 *
 *   scripts/build && node_modules/.bin/bun scripts/bench/platform-attack.ts [part of a row's name]
 */

import { agentAttacks } from "./attack/agent-attacks.ts";
import { type Attack, atOnce, type Sent, type SideName } from "./attack/attack.ts";
import { gatewayAdmin, type Longest, startAttackedServer } from "./attack/attacked-server.ts";
import { cloudAttacks, gatewayAttacks } from "./attack/hosted-attacks.ts";
import { measureNeighbours } from "./attack/neighbours.ts";
import { newAttacker, type Side, send, sendAll } from "./attack/sides.ts";

const goalMs = 100;

await using server = await startAttackedServer();
let above = 0;
let attackers = 0;
const columns = ["platform", "daemon", "machine", "busy", "CPU s"].map((name) => name.padStart(9)).join("");
console.log(`${"attack".padEnd(62)} ${"side".padEnd(9)}${columns}  answers`);

const sought = process.argv[2] ?? "";
const attacks = [...agentAttacks(server.evil), ...cloudAttacks(), ...gatewayAttacks()];
for (const attack of attacks.filter(({ name }) => name.includes(sought))) {
  for (const name of attack.only === undefined ? (["platform", "daemon"] as const) : [attack.only]) {
    const side = await attacker(name);
    for (const one of attack.before ?? []) await send(side, one);
    await measure(attack.name, side, attack.sent);
    if (name === "daemon") await removeAgents(side);
  }
}
if ("everything at once".includes(sought)) await everythingAtOnce();
if ("neighbours".includes(sought)) await neighbours();
console.log(
  above === 0
    ? "All rows meet the goal."
    : `${above} rows miss the goal: ${goalMs} ms, or twice the wait alone.`,
);
process.exitCode = above === 0 ? 0 : 1;

/** Waits of a modest customer beside a greedy one. */
async function neighbours(): Promise<void> {
  const street = { platform: server.urlOf("platform"), gateway: server.urlOf("gateway"), gatewayAdmin };
  console.log(
    `${"neighbour".padEnd(62)} ${["alone", "beside", "refused"].map((name) => name.padStart(9)).join("")}`,
  );
  for await (const { name, quietMs, besideMs, refused } of measureNeighbours(street)) {
    const isMissed = besideMs > 2 * quietMs || refused > 0;
    if (isMissed) above++;
    const cells = [quietMs.toFixed(0), besideMs.toFixed(0), `${refused}`]
      .map((cell) => cell.padStart(9))
      .join("");
    console.log(`${name.padEnd(62)} ${cells}${isMissed ? "  MISSED" : ""}`);
  }
}

function attacker(name: SideName): Promise<Side> {
  return newAttacker(name, server.urlOf(name), attackers++);
}

async function measure(name: string, side: Side, all: readonly Sent[]): Promise<void> {
  await Bun.sleep(300);
  await server.longest();
  const cpuBefore = server.cpuMs();
  const counts = await sendAll(side, all);
  await Bun.sleep(100);
  const { platform, daemon, machine } = await server.longest();
  const cpu = (server.cpuMs() - cpuBefore) / 1000;
  const busiest = Math.max(platform.busiestMs, daemon.busiestMs);
  if (busiest > goalMs) above++;
  const shown = (figure: Longest) => figure.longestMs.toFixed(0);
  const cells = [shown(platform), shown(daemon), shown(machine), busiest.toFixed(0), cpu.toFixed(2)];
  const answers = JSON.stringify(counts).replace(/[{}"]/g, "");
  console.log(
    `${name.padEnd(62)} ${side.name.padEnd(9)}${cells.map((cell) => cell.padStart(9)).join("")}  ${answers}${busiest > goalMs ? "  ABOVE" : ""}`,
  );
}

/** The daemon has no tenants, so the next attack would find the agents of this one. */
async function removeAgents(side: Side): Promise<void> {
  for (const agent of ["victim", ...Array.from({ length: atOnce }, (_, n) => `a${n}`)])
    await send(side, { method: "DELETE", path: `/agents/${agent}` });
}

/** Sends some requests of every attack on the platform at the same time. A tenant may make 120 changes in a minute. */
async function everythingAtOnce(): Promise<void> {
  const side = await attacker("platform");
  const own = attacks.filter(({ only }: Attack) => only === undefined || only === "platform");
  for (const [number, { before = [] }] of own.entries()) {
    for (const one of before.slice(0, 1))
      await send(side, { ...one, body: one.body?.replaceAll('"victim"', `"v${number}"`) ?? "" });
  }
  const all = own.flatMap(({ sent }, number) =>
    sent.slice(0, 5).map((one, index) => ({
      ...one,
      path: one.path.replace("victim", `v${number}`),
      ...(one.body !== undefined && {
        body: one.body.replace(`"name":"a${index}"`, `"name":"n${number}-${index}"`),
      }),
    })),
  );
  await measure("everything at once", side, all);
}

/**
 * Attacks a daemon of its own by WebSocket messages that never end, as single frames and as fragments with pongs between them. Prints how
 * many sockets were let in, how many stayed open, and the highest memory meanwhile.
 *
 *   node_modules/.bin/bun scripts/bench/socket-attack.ts [--sockets 1000] [--program dist/argosy] [--growth-max 400]
 *
 * Exits with status 1 if an attack took more than `--growth-max` MiB.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { frame, type RawWebSocket, rawWebSocket } from "../../tests/support/raw-web-socket.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { rssMib } from "./process-stats.ts";

const root = join(import.meta.dir, "../..");
const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "1000" },
    program: { type: "string" },
    "growth-max": { type: "string", default: "400" },
  },
});
const mebibyte = 1024 ** 2;
const agent = {
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "held" },
  spec: { model: { primary: { provider: "ollama", model: "none" } } },
};

/** The parts of one message that never ends. */
type Parts = readonly Uint8Array[];

const piece = new Uint8Array(64 * 1024);
const attacks: Record<string, Parts> = {
  "one frame": [frame(new Uint8Array(mebibyte - 1), { declaredLength: mebibyte })],
  fragments: Array.from({ length: 16 }, (_, at) => [
    fragment(at === 0 ? piece : piece.subarray(1), at === 0),
    frame("", { opcode: 10 }),
  ]).flat(),
};

/** Returns a frame that more follow. */
function fragment(bytes: Uint8Array, isFirst: boolean): Uint8Array {
  const made = frame(bytes, { opcode: isFirst ? 1 : 0 });
  made[0] = (made[0] ?? 0) & 0x7f;
  return made;
}

const program =
  values.program === undefined ? [process.execPath, join(root, "src/main.ts")] : [values.program];
for (const [name, parts] of Object.entries(attacks)) {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "agents"));
  writeFileSync(join(folder.path, "agents", "held.agent.yaml"), JSON.stringify(agent));
  const server = Bun.spawn(
    [...program, "serve", "--services", "daemon", "--json", "--workspace", folder.path],
    {
      env: { PATH: process.env.PATH, HOME: folder.path, PLATFORM_PORT: "0", PLATFORM_AUTO_CONFIG: "false" },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  try {
    const ready = new TextDecoder().decode((await server.stdout.getReader().read()).value);
    const growth = await attack(
      name,
      parts,
      Number(new URL(JSON.parse(ready).services[0].url).port),
      server.pid,
    );
    if (growth > Number(values["growth-max"])) process.exitCode = 1;
  } finally {
    server.kill();
    await server.exited;
  }
}
process.exit();

async function attack(name: string, parts: Parts, port: number, pid: number): Promise<number> {
  const before = rssMib(pid);
  let highest = before;
  const watching = setInterval(() => {
    highest = Math.max(highest, rssMib(pid));
  }, 20);
  const admitted: RawWebSocket[] = [];
  const refusals = new Map<string, number>();
  let open = 0;
  for (let at = 0; at < Number(values.sockets); at++) {
    try {
      const socket = await rawWebSocket(port, "/v1/ws/agent/held");
      admitted.push(socket);
      open++;
      void socket.ended.then(() => open--);
      for (const part of parts) socket.send(part);
    } catch (thrown) {
      const said = String(thrown).split("\r\n")[0] ?? "";
      refusals.set(said, (refusals.get(said) ?? 0) + 1);
    }
  }
  await Bun.sleep(8_000);
  clearInterval(watching);
  const healthy = await fetch(`http://127.0.0.1:${port}/healthz`);
  console.log(
    `${name.padEnd(10)} let in ${admitted.length}, open ${open}, RSS ${before.toFixed(0)} → ${highest.toFixed(0)} MiB, then ${rssMib(pid).toFixed(0)}, /healthz ${healthy.status}`,
    Object.fromEntries(refusals),
  );
  for (const { socket } of admitted) socket.destroy();
  return highest - before;
}

/**
 * Every command of the executable, again and again, with its output into pipes: counts those that end without a word, by a dry event
 * loop (status 70), or not at all.
 *
 *   bun scripts/bench/campaign/silence.ts [--rounds 100] [--at-once 2] [--program dist/argosy] [--minutes 600]
 *
 * Ends with status 1 when there was one. After `--minutes` no further command begins; the counts say how far it came.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { endlessCommands, everyCall, isSilent } from "../../../tests/support/every-call.ts";
import { temporaryFolder } from "../../../tests/support/temp-folder.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "100" },
    "at-once": { type: "string", default: "2" },
    program: { type: "string", default: join(import.meta.dir, "../../../dist/argosy") },
    minutes: { type: "string", default: "600" },
  },
});
const patienceMs = 120_000;
const endsAtMs = performance.now() + Number(values.minutes) * 60_000;

type Fault = "silent" | "ran dry" | "did not end";
const faults: { args: string; fault: Fault }[] = [];
const calls = everyCall();
let performed = 0;

/** Rounds go over all commands before the next begins, so that an early end has tried each as often. */
const queue = Array.from({ length: Number(values.rounds) }, () => calls)
  .flat()
  .values();

async function work(): Promise<void> {
  using folder = temporaryFolder();
  await call(folder.path, ["init"]);
  for (const args of queue) {
    const fault = await call(folder.path, args);
    performed++;
    if (fault !== undefined) {
      faults.push({ args: args.join(" "), fault });
      console.log(`${args.join(" ")}: ${fault}`);
    }
    if (performed % 500 === 0) console.log(`${performed} performed, ${faults.length} faults`);
    if (performance.now() > endsAtMs) return;
  }
}

async function call(cwd: string, args: readonly string[]): Promise<Fault | undefined> {
  const isEndless = endlessCommands.has(args[0] ?? "");
  const child = Bun.spawn([values.program, ...args, ...(isEndless ? ["--json"] : [])], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      PLATFORM_AUTO_CONFIG: "false",
      PLATFORM_PORT: "0",
      ARGOSY_PLATFORM_PORT: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let hasEnded = true;
  const timer = setTimeout(() => {
    hasEnded = false;
    child.kill("SIGKILL");
  }, patienceMs);
  const read = async (stream: ReadableStream<Uint8Array>, onText = () => {}) => {
    let text = "";
    for await (const chunk of stream) {
      text += new TextDecoder().decode(chunk);
      onText();
    }
    return text;
  };
  const [stdout, stderr, code] = await Promise.all([
    read(child.stdout, () => isEndless && child.kill("SIGTERM")),
    read(child.stderr),
    child.exited,
  ]);
  clearTimeout(timer);
  if (!hasEnded) return "did not end";
  if (code === 70) return "ran dry";
  return isSilent(args, { stdout, stderr }) ? "silent" : undefined;
}

await Promise.all(Array.from({ length: Number(values["at-once"]) }, work));
console.log(
  `${performed} commands performed (${calls.length} different ones, ${Math.floor(performed / calls.length)} full rounds): ${faults.length} faults`,
);
if (faults.length > 0) process.exitCode = 1;

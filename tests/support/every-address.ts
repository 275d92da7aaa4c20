import { spawnSync } from "node:child_process";

/**
 * Commands for a network namespace in which every address belongs to this machine: a listener of the process accepts its connections to any
 * address. It affects nothing outside. Linux allows that to root, and most systems to other users too.
 */
const prelude =
  'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && exec "$@"';

const command = (argv: readonly string[]) => [
  "unshare",
  process.getuid?.() === 0 ? "-n" : "-rn",
  "sh",
  "-c",
  prelude,
  "sh",
  ...argv,
];

/** True if this machine can create such a network. */
export const hasEveryAddress = canMakeIt();

function canMakeIt(): boolean {
  const [program = "", ...rest] = command(["true"]);
  return process.platform === "linux" && spawnSync(program, rest).status === 0;
}

/** Runs a script in such a network and returns the JSON that it writes. */
export async function runInEveryAddress(
  script: string,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<unknown> {
  const child = Bun.spawn(command([process.execPath, script, ...argv]), {
    env: { ...process.env, ...env },
    stderr: "inherit",
  });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${script} failed`);
  return JSON.parse(text);
}

/** Output of a process up to where it was killed: whole lines only. */
export type KilledLines = string[];

/**
 * Starts a process and kills it as soon as `isEnough` returns true for the lines that it has printed, or `turns` turns of the event loop
 * later. Resolves once it has ended, with all its lines. Throws if it ended in another way.
 */
export async function killWhen(
  command: readonly string[],
  isEnough: (lines: readonly string[]) => boolean,
  turns: () => number = () => 0,
): Promise<KilledLines> {
  const child = Bun.spawn([process.execPath, ...command], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const lines = () => text.split("\n").slice(0, -1);
  let isKilled = false;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (isKilled || !isEnough(lines())) continue;
    isKilled = true;
    for (let turn = turns(); turn > 0; turn--) await new Promise(setImmediate);
    child.kill("SIGKILL");
  }
  await child.exited;
  if (child.signalCode !== "SIGKILL")
    throw new Error(`The process ended with ${child.signalCode ?? child.exitCode} before it was killed.`);
  return lines();
}

/** Runs a process that kills itself at a planned point. Returns its output, or undefined if it was killed. Throws on another failure. */
export async function outputUnlessKilled(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  const child = Bun.spawn([process.execPath, ...command], { env, stdio: ["ignore", "pipe", "inherit"] });
  const text = await new Response(child.stdout).text();
  await child.exited;
  if (child.signalCode === "SIGKILL") return undefined;
  if (child.exitCode !== 0) throw new Error(`The process ended with ${child.signalCode ?? child.exitCode}.`);
  return text;
}

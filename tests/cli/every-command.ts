import type { Command } from "commander";
import { forEachCommand, runCommandLine } from "../../src/cli/command-line.ts";
import { builtParts } from "../../src/cli/parts.ts";
import { watchIdleLoop } from "../../src/cli/perform-in-process.ts";
import { createProgram } from "../../src/cli/program.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { recordingShell } from "./recording-shell.ts";

/*
 * Runs every command of the program, one after the other, with the real parts and the workspace in the current folder, and prints a line of
 * JSON for each. A command during which the event loop runs dry ends the process with status 70.
 */

const rounds = Number(process.argv[2]);
/** Commands that end only by a signal. */
const endless = new Set(["serve"]);
let performed = "";

watchIdleLoop(systemClock, { looks: 20, everyMs: 50 }, () => {
  process.stderr.write(`The loop ran dry in ${performed}.\n`, () => process.exit(70));
});
for (let round = 0; round < rounds; round++) {
  for (const args of everyCall()) {
    performed = args.join(" ");
    process.stdout.write(`${JSON.stringify({ args, ...(await said(args)) })}\n`);
  }
}
process.stdout.end(() => process.exit(0));

/** Returns a call of each command with an action, with a value for each required argument. */
function everyCall(): string[][] {
  const calls: string[][] = [];
  forEachCommand(
    createProgram(async () => undefined),
    (command) => {
      if (!("_actionHandler" in command) || command._actionHandler === null) return;
      const values = command.registeredArguments.filter(({ required }) => required).map(() => "assistant");
      calls.push([...pathOf(command), ...values]);
    },
  );
  return calls;
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

async function said(args: readonly string[]) {
  const ends = endless.has(args[0] ?? "");
  let signal = () => {};
  const { shell, read } = recordingShell({
    folder: process.cwd(),
    stdin: "",
    parts: builtParts,
    onSignalReady: (received) => {
      signal = received;
    },
    shown: () => {
      if (ends) signal();
    },
  });
  const code = await runCommandLine(ends ? [...args, "--port", "0", "--json"] : args, shell);
  return { code, ...read() };
}

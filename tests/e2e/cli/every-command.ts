import { runCommandLine } from "../../../src/cli/command-line.ts";
import { watchIdleLoop } from "../../../src/cli/perform-in-process.ts";
import { builtParts } from "../../../src/command/parts.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import { recordingShell } from "../../cli/recording-shell.ts";
import { endlessCommands, partOfCalls } from "../../support/every-call.ts";

/*
 * Runs the commands of one part of the program's, one after the other, with the real parts and the workspace in the current folder, and prints
 * a line of JSON for each. A command during which the event loop runs dry ends the process with status 70.
 *
 *   bun tests/e2e/cli/every-command.ts <rounds> <part> <parts>
 */

const [rounds = 1, part = 0, parts = 1] = process.argv.slice(2).map(Number);
let performed = "";

watchIdleLoop(systemClock, { looks: 20, everyMs: 50 }, () => {
  process.stderr.write(`The loop ran dry in ${performed}.\n`, () => process.exit(70));
});
for (let round = 0; round < rounds; round++) {
  for (const args of partOfCalls(part, parts)) {
    performed = args.join(" ");
    process.stdout.write(`${JSON.stringify({ args, ...(await said(args)) })}\n`);
  }
}
process.stdout.end(() => process.exit(0));

async function said(args: readonly string[]) {
  const ends = endlessCommands.has(args[0] ?? "");
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

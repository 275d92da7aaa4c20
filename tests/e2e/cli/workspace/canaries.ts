import { runCommandLine } from "../../../../src/cli/command-line.ts";
import { builtParts } from "../../../../src/command/parts.ts";
import { recordingShell } from "../../../cli/recording-shell.ts";
import { endlessCommands, everyCall } from "../../../support/every-call.ts";

/*
 * Runs every command of the program with the real parts in the current folder, one after the other, and prints a line of JSON for each: its
 * arguments, its exit status and what it printed. A first argument names the commands to run instead, as JSON.
 */

const given = process.argv[2];
const calls: string[][] = given === undefined ? everyCall() : JSON.parse(given);

for (const args of calls) {
  // The first waits for a browser; the second would trust the folder for all that follow.
  const isLeftOut = (args[0] === "mcp" && args[1] === "login") || args[0] === "trust";
  if (given === undefined && isLeftOut) continue;
  const ends = endlessCommands.has(args[0] ?? "");
  let signal = () => {};
  const { shell, read } = recordingShell({
    folder: process.cwd(),
    stdin: "hello",
    parts: builtParts,
    onSignalReady: (received) => {
      signal = received;
    },
    shown: () => {
      if (ends) signal();
    },
  });
  const code = await runCommandLine(ends ? [...args, "--port", "0", "--json"] : args, shell);
  process.stdout.write(`${JSON.stringify({ args, code, ...read() })}\n`);
}
process.stdout.end(() => process.exit(0));

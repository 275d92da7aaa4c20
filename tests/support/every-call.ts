import type { Command } from "commander";
import { forEachCommand } from "../../src/cli/command-line.ts";
import { createProgram } from "../../src/cli/program.ts";

/** Commands that end by a signal. */
export const endlessCommands: ReadonlySet<string> = new Set(["serve"]);

/** Each command that does something itself, with a value for each argument that it requires. */
export function everyCall(): string[][] {
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

/** Every `parts`-th of these calls, from number `part` on. */
export const partOfCalls = (part: number, parts: number): string[][] =>
  everyCall().filter((_, at) => at % parts === part);

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** Whether a command that ended like this has told its caller nothing; a conversation without a question has nothing to say. */
export function isSilent(args: readonly string[], { stdout, stderr }: { stdout: string; stderr: string }) {
  return args[0] !== "chat" && stdout === "" && stderr === "";
}

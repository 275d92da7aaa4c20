import { type Command, CommanderError } from "commander";
import type { CommandCall, GlobalOptions, Perform } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { createProgramFor } from "./program.ts";
import { interrupted, reportError, usageError } from "./terminal/report-error.ts";
import { Screen } from "./terminal/screen.ts";
import type { Shell } from "./terminal/shell.ts";

/** Runs the command that the arguments name. Never throws; the exit code tells how it ended. */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.ok;
  const perform: Perform = async (command, work) => {
    exitCode = await performCall(shell, command, work);
  };
  const screen = new Screen(shell, { json: args.includes("--json"), colours: !args.includes("--no-color") });
  let helpText: { command: Command; text: string } | undefined;
  const program = createProgramFor(args, perform);
  forEachCommand(program, (command) => {
    command.exitOverride();
    command.configureOutput({
      writeOut: (text) => screen.write(text),
      // Errors also arrive as exceptions and are printed in our words. Only the help of a group is used from here.
      writeErr: (text) => {
        helpText = { command, text };
      },
      getErrHelpWidth: () => shell.stderr.columns || 100,
      getOutHelpWidth: () => shell.stdout.columns || 100,
    });
  });
  try {
    await program.parseAsync(args.length === 0 ? ["--help"] : [...args], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) {
      const isGroup = thrown.code === "commander.help" && helpText !== undefined;
      if (isGroup && helpText !== undefined && !args.includes("--json")) {
        screen.sayText(helpText.text);
        return exitCodes.usage;
      }
      exitCode = reportError(
        screen,
        isGroup && helpText !== undefined
          ? missingCommand(helpText.command)
          : refusedCall(thrown, helpText?.command, args),
      );
    }
  }
  return exitCode;
}

async function performCall(
  shell: Shell,
  command: Command,
  work: (call: CommandCall) => Promise<ExitCode>,
): Promise<ExitCode> {
  const options = command.optsWithGlobals<GlobalOptions>();
  const screen = new Screen(shell, { json: options.json === true, colours: options.color });
  const stop = new AbortController();
  let readerLeft = false;
  const leave = (thrown: NodeJS.ErrnoException) => {
    // `| head` has read enough: not an error.
    readerLeft ||= thrown.code === "EPIPE";
    stop.abort();
  };
  const endSignals = shell.onSignal(() => {
    if (stop.signal.aborted) shell.exitNow(exitCodes.interrupted);
    stop.abort();
  });
  shell.stdout.on("error", leave);
  try {
    const exitCode = await work({ shell, screen, options, signal: stop.signal });
    return readerLeft ? exitCodes.ok : exitCode;
  } catch (thrown) {
    if (readerLeft) return exitCodes.ok;
    if (stop.signal.aborted) {
      if (screen.json) reportError(screen, interrupted());
      return exitCodes.interrupted;
    }
    screen.endLine();
    return reportError(screen, thrown, options.logLevel === "debug");
  } finally {
    endSignals();
  }
}

/** Calls `visit` for the program and all its commands, outermost first. */
export function forEachCommand(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const inner of command.commands) forEachCommand(inner, visit);
}

/** Returns the error for a group of commands called without one of them. */
function missingCommand(command: Command) {
  const names = command.commands.map((inner) => inner.name()).join(", ");
  return usageError(
    `${command.name()} needs a command: ${names}.`,
    `\`argosy ${command.name()} --help\` describes them.`,
  );
}

/** Returns the group that has no such command, if commander handed a word to the group itself or to its default command. */
function groupOf(command: Command, args: readonly string[]): Command | undefined {
  if (command.commands.length > 0) return command;
  return args.includes(command.name()) ? undefined : (command.parent ?? undefined);
}

/** Returns the error for a word that is not a command of its group. */
function unknownCommand(group: Command, word: string) {
  const path: string[] = [];
  for (let at: Command | null = group; at !== null; at = at.parent) path.unshift(at.name());
  const called = path.join(" ");
  const names = group.commands.map((inner) => inner.name()).join(", ");
  return usageError(
    `\`${called}\` has no command ${JSON.stringify(word)}. Its commands: ${names}.`,
    `\`${called} --help\` describes them.`,
  );
}

/** Complaints about a word that was taken for an argument of a default command. */
const wordCodes = ["commander.excessArguments", "commander.missingMandatoryOptionValue"];

/** Converts commander's message, "error: what\n(Did you mean …?)". */
function refusedCall(thrown: CommanderError, command: Command | undefined, args: readonly string[]) {
  if (wordCodes.includes(thrown.code) && command?.registeredArguments.length === 0) {
    const [word] = command.args;
    const group = groupOf(command, args);
    if (word !== undefined && group !== undefined) return unknownCommand(group, word);
  }
  const [first = "", ...rest] = thrown.message.replace(/^error: /, "").split("\n");
  const suggestion = rest.join(" ").replace(/^\((.*)\)$/, "$1");
  return usageError(
    `${first}.`.replace(/([.?!])\.$/, "$1"),
    [suggestion, "`argosy --help` lists the commands, `argosy <command> --help` its options."]
      .filter(Boolean)
      .join(" "),
  );
}

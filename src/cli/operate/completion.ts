import { Argument, Command, Option } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { usageError } from "../terminal/report-error.ts";
import { type NameKind, nameKinds, namesOf } from "./completion-names.ts";

const shells = ["bash", "zsh", "fish"] as const;
type ShellName = (typeof shells)[number];

export const completionCommand = (perform: Perform) =>
  new Command("completion")
    .description("print a shell completion script")
    .addArgument(new Argument("[shell]", "your shell").choices(shells))
    .addOption(
      new Option(
        "--names <kind>",
        "print names to complete with, one on a line; the scripts call it",
      ).choices(nameKinds),
    )
    .addHelpText(
      "after",
      [
        "",
        "To use it:",
        "  bash  source <(argosy completion bash)",
        "  zsh   source <(argosy completion zsh)",
        "  fish  argosy completion fish | source",
      ].join("\n"),
    )
    .action((shell: ShellName | undefined, { names }: { names?: NameKind }, command: Command) =>
      perform(command, async (call) => {
        if (names !== undefined) return printNames(call, names);
        if (shell === undefined) throw usageError("Name your shell: bash, zsh or fish.");
        return printCompletion(call, shell, command);
      }),
    );

async function printNames(call: CommandCall, kind: NameKind): Promise<ExitCode> {
  const names = await namesOf(call, kind);
  if (call.screen.json) call.screen.document({ names });
  else for (const name of names) call.screen.print(name);
  return exitCodes.ok;
}

async function printCompletion(
  { screen }: CommandCall,
  shell: ShellName,
  command: Command,
): Promise<ExitCode> {
  const { completionScript } = await import("./completion-script.ts");
  const script = completionScript(shell, command.parent ?? command);
  if (screen.json) screen.document({ shell, script });
  else screen.print(script);
  return exitCodes.ok;
}

import { Argument, Command } from "commander";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

const shells = ["bash", "zsh", "fish"] as const;
type ShellName = (typeof shells)[number];

export const completionCommand = (perform: Perform) =>
  new Command("completion")
    .description("print a shell completion script")
    .addArgument(new Argument("<shell>", "your shell").choices(shells))
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
    .action((shell: ShellName, _options: object, command: Command) =>
      perform(command, (call) => printCompletion(call, shell, command)),
    );

async function printCompletion({ screen }: Call, shell: ShellName, command: Command): Promise<ExitCode> {
  const { completionScript } = await import("./completion-script.ts");
  const script = completionScript(shell, command.parent ?? command);
  if (screen.json) screen.document({ shell, script });
  else screen.print(script);
  return exitCodes.ok;
}

import { resolve } from "node:path";
import { Command } from "commander";
import { toAppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { sayError } from "../terminal/report-error.ts";

interface InitOptions {
  agent: string;
  force?: boolean;
  model?: string;
}

export const initCommand = (perform: Perform) =>
  new Command("init")
    .description("create a workspace with a sample agent that needs no key")
    .argument("[folder]", "the folder (the workspace)")
    .option("--agent <name>", "the agent's name", "assistant")
    .option(
      "--model <model>",
      "the agents' model, such as ollama/llama3.2; auto: of a model server on this machine (on a terminal, one that is found is offered)",
    )
    .option("--force", "overwrite existing files")
    .action((folder: string | undefined, options: InitOptions, command: Command) =>
      perform(command, (call) => init(call, folder, options)),
    );

async function init(call: CommandCall, folder: string | undefined, options: InitOptions): Promise<ExitCode> {
  const { shell, screen } = call;
  const [{ writeWorkspace }, { offerModel }] = await Promise.all([
    import("./init/write-workspace.ts"),
    import("./init/first-start.ts"),
  ]);
  const place = resolve(shell.folder, folder ?? call.options.workspace ?? ".");
  const { programs, trusted } = await shell.parts.workspaceTrust(place);
  const model =
    options.model === undefined
      ? await offerModel(call)
      : await shell.parts.chooseModel(options.model, call.signal);
  const written = await writeWorkspace(place, {
    agent: options.agent,
    force: options.force === true,
    model,
  });
  // Programs that were there before come from elsewhere.
  if (programs.length === 0 && !trusted) {
    await shell.parts.trustWorkspace(place).catch((thrown) => sayError(screen, toAppError(thrown)));
  }
  if (screen.json) {
    screen.document({
      workspace: place,
      agent: options.agent,
      files: written,
      ...(model && { model: `${model.name}/${model.model}` }),
    });
    return exitCodes.ok;
  }
  for (const file of written) screen.say(paint("green", "wrote"), ` ${file}`);
  screen.say("");
  screen.say("Next:");
  if (place !== shell.folder) screen.say(`  cd ${place}`);
  screen.say(`  argosy run ${options.agent} "What time is it in Tokyo?"`);
  screen.say(`  argosy chat ${options.agent}`);
  screen.say("  argosy serve");
  if (model !== undefined) {
    screen.say(paint("dim", `The agent answers with ${model.name}/${model.model}: see providers.yaml.`));
    if (model.advice !== undefined) screen.say(paint("yellow", model.advice));
    return exitCodes.ok;
  }
  screen.say(
    paint("dim", "The agent gives simulated answers until you configure a model: see providers.yaml."),
  );
  return exitCodes.ok;
}

import { Command } from "commander";
import { type CommandCall, loadConfig, type Perform } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { paint } from "../../terminal/paint.ts";
import { requireTrust } from "../../workspace/require-trust.ts";

interface ServiceOptions {
  account: string;
  force?: boolean;
  print?: boolean;
}

export const serviceGroup = (perform: Perform) =>
  new Command("service")
    .description("run `argosy serve` as a service of this machine (systemd, launchd)")
    .addCommand(
      new Command("install")
        .description(
          "start the workspace's server now and at each start of the session; as root, of the machine",
        )
        .option("--account <name>", "account that root's service runs as", "argosy")
        .option("--print", "print the service's file and change nothing")
        .option("--force", "replace a service file that `argosy service install` did not write")
        .action((options: ServiceOptions, command: Command) =>
          perform(command, (call) =>
            options.print === true ? print(call, options) : install(call, options),
          ),
        ),
    )
    .addCommand(
      new Command("status")
        .description("show if the service runs; fails if it does not")
        .action((_options: object, command: Command) => perform(command, status)),
    )
    .addCommand(
      new Command("uninstall")
        .description("stop the service and remove its file; workspace and data stay")
        .action((_options: object, command: Command) => perform(command, uninstall)),
    );

async function print(call: CommandCall, { account }: ServiceOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const file = await shell.parts.printService(await loadConfig(call), { account });
  if (screen.json) screen.document({ file });
  else screen.write(file);
  return exitCodes.ok;
}

async function install(call: CommandCall, { account, force = false }: ServiceOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  // A workspace with faults is refused here: its service would only fail to start.
  const config = await loadConfig(call);
  await requireTrust(call, config, { unlessServed: false });
  const { advice, ...installed } = await shell.parts.installService(config, { account, force });
  if (screen.json) screen.document({ ...installed, workspace: config.workspace, advice });
  else {
    screen.say(paint("green", "wrote"), ` ${installed.file}`);
    screen.say(`${installed.is_new ? "Started" : "Restarted"} argosy serve in ${config.workspace}.`);
    screen.say(`Variables: ${installed.environment_file}`);
    screen.say(`Log: ${installed.log}`);
    for (const line of advice) screen.say(line);
  }
  return exitCodes.ok;
}

async function status({ screen, shell }: CommandCall): Promise<ExitCode> {
  const state = await shell.parts.serviceStatus();
  if (screen.json) screen.document(state);
  else
    screen.fields([
      ["service", state.installed ? state.file : "not installed"],
      ["state", paint(state.running ? "green" : "red", state.state)],
      ["starts by itself", state.enabled ? "yes" : "no"],
      ["process", state.pid === null ? "-" : String(state.pid)],
      ["log", state.log],
    ]);
  return state.running ? exitCodes.ok : exitCodes.failed;
}

async function uninstall({ screen, shell }: CommandCall): Promise<ExitCode> {
  const { removed } = await shell.parts.uninstallService();
  if (screen.json) screen.document({ removed });
  else {
    screen.say(paint("green", "removed"), ` ${removed}`);
    screen.say("The workspace, its data and the file of variables stay.");
  }
  return exitCodes.ok;
}

import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import type { ReplayRequest } from "../../contracts/daemon/cassettes/cassettes.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { modelName } from "../option-values.ts";
import { usageError } from "../terminal/report-error.ts";

interface ReplayOptions {
  strict?: boolean;
  from?: number;
  model?: string;
  liveTools?: boolean;
  record?: string;
}

export const replayCommand = (perform: Perform) => {
  const command = new Command("replay")
    .description("replay a recorded run offline and report the first difference")
    .argument("<file>", "a cassette from `argosy run --record`")
    .option("--strict", "stop at a request that was not recorded; otherwise it gets the next unused answer")
    .option("--from <count>", "fork: replay this many model calls, then call the models", count)
    .option(
      "--model <provider/model>",
      "fork: model for the calls that follow (the loaded agents' own)",
      modelName,
    )
    .option(
      "--live-tools",
      "fork: call tools that were not recorded (they may change data); otherwise the model sees that this is a replay",
    )
    .option("--record <file>", "record the replay or the fork")
    .action((file: string, options: ReplayOptions, self: Command) =>
      perform(self, (call) => replay(call, file, options)),
    );
  command
    .command("diff")
    .description("show the first difference between two recorded runs")
    .argument("<first>", "a cassette")
    .argument("<second>", "another cassette")
    .action((first: string, second: string, _options: object, self: Command) =>
      perform(self, (call) => {
        requireNoOptions(command, "diff");
        return diff(call, first, second);
      }),
    );
  command
    .command("show")
    .description("list the requests and answers of a recorded run")
    .argument("<file>", "a cassette")
    .option("--all", "show every message of every model call, not only the new ones")
    .action((file: string, { all }: { all?: boolean }, self: Command) =>
      perform(self, (call) => {
        requireNoOptions(command, "show");
        return show(call, file, all === true);
      }),
    );
  return command;
};

function count(text: string): number {
  if (/^(0|[1-9][0-9]{0,5})$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 0 to 999999.");
}

/** Refuses options of `replay` itself after its subcommands, where commander parses them too but they have no effect. */
function requireNoOptions(command: Command, name: string): void {
  const [given] = Object.keys(command.opts());
  if (given === undefined) return;
  const option = given.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw usageError(`--${option} applies to replaying a cassette, not to \`replay ${name}\`.`);
}

async function replay(call: CommandCall, file: string, options: ReplayOptions): Promise<ExitCode> {
  const { shell } = call;
  const { from, model, liveTools, record } = options;
  const isFork = from !== undefined || model !== undefined;
  if (liveTools && !isFork) throw usageError("--live-tools needs a fork: give --from or --model.");
  const { recordingPath } = await import("./record-answer.ts");
  const out = record === undefined ? undefined : await recordingPath(call, "replay", record);
  const cassette = await shell.parts.readCassette(resolve(shell.folder, file));
  return isFork ? fork(call, cassette, options, out) : playOffline(call, cassette, options, out);
}

type Cassette = Awaited<ReturnType<CommandCall["shell"]["parts"]["readCassette"]>>;

async function playOffline(
  { shell, screen, signal }: CommandCall,
  cassette: Cassette,
  { strict = false }: ReplayOptions,
  out: string | undefined,
): Promise<ExitCode> {
  const report = await shell.parts.replay(cassette, {
    strict,
    signal,
    ...(out !== undefined && { record: (text: string) => shell.parts.writeCassette(out, text) }),
  });
  const { printReport } = await import("./replay-report.ts");
  if (screen.json) screen.document(report);
  else printReport(screen, report);
  if (out !== undefined) screen.say(`recorded ${out}`);
  return report.identical ? exitCodes.ok : exitCodes.failed;
}

/** Replays a fork in the daemon: a fork calls models, and the daemon counts its budget and costs. */
async function fork(
  call: CommandCall,
  cassette: Cassette,
  { strict, from, model, liveTools }: ReplayOptions,
  out: string | undefined,
): Promise<ExitCode> {
  const { shell, screen, signal } = call;
  const request: ReplayRequest = {
    ...(strict && { strict }),
    ...(from === undefined ? {} : { from }),
    ...(model === undefined ? {} : { model }),
    ...(liveTools && { live_tools: true }),
    ...(out !== undefined && { record: true }),
  };
  return withDaemon(call, { runsAgents: true }, async (client) => {
    const report = await client.replayGiven({ cassette, ...request }, signal);
    if (report.mode !== "fork") throw usageError("The server replayed instead of forking.");
    const { printFork } = await import("./replay-report.ts");
    if (screen.json) screen.document(report);
    else printFork(screen, report);
    if (out !== undefined && report.recording !== undefined) {
      await shell.parts.writeCassette(out, await client.getCassetteText(report.recording));
      screen.say(`recorded ${out}`);
    }
    const isWhole = out === undefined || report.recording !== undefined;
    if (!isWhole) screen.say(`not recorded: ${report.recording_error ?? "the server made no recording."}`);
    return "result" in report.outcome && isWhole ? exitCodes.ok : exitCodes.failed;
  });
}

async function diff({ shell, screen }: CommandCall, first: string, second: string): Promise<ExitCode> {
  const { parts, folder } = shell;
  const comparison = await parts.compareCassettes(
    await parts.readCassette(resolve(folder, first)),
    await parts.readCassette(resolve(folder, second)),
  );
  const { printComparison } = await import("./replay-report.ts");
  if (screen.json) screen.document(comparison);
  else printComparison(screen, comparison);
  return comparison.identical ? exitCodes.ok : exitCodes.failed;
}

async function show({ shell, screen }: CommandCall, file: string, all: boolean): Promise<ExitCode> {
  const cassette = await shell.parts.readCassette(resolve(shell.folder, file));
  const { printCassette } = await import("./cassette-listing.ts");
  if (screen.json) screen.document(cassette);
  else printCassette(screen, cassette, all);
  return exitCodes.ok;
}

import { resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import type { ReplayRequest } from "../contracts/daemon/cassettes.ts";
import { type Call, type Perform, withDaemon } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { modelName } from "./model-name.ts";
import { usageError } from "./report-error.ts";

interface ReplayOptions {
  strict?: boolean;
  from?: number;
  model?: string;
  liveTools?: boolean;
  record?: string;
}

export const replayCommand = (perform: Perform) => {
  const command = new Command("replay")
    .description("play a recorded run again, offline, and say where it first goes another way")
    .argument("<file>", "a cassette, as `argosy run --record` writes it")
    .option("--strict", "end at a request that was not recorded; otherwise it gets the next unused answer")
    .option("--from <count>", "fork: play this many model calls, make all that come after them", count)
    .option(
      "--model <provider/model>",
      "fork: who answers from there on (the loaded agents' own models)",
      modelName,
    )
    .option(
      "--live-tools",
      "fork: really call tools where nothing was recorded, which may change things in the world; otherwise the model is told that this is a replay",
    )
    .option("--record <file>", "record the replay, or the fork")
    .action((file: string, options: ReplayOptions, self: Command) =>
      perform(self, (call) => replay(call, file, options)),
    );
  command
    .command("diff")
    .description("show where two recorded runs part")
    .argument("<first>", "a cassette")
    .argument("<second>", "another one")
    .action((first: string, second: string, _options: object, self: Command) =>
      perform(self, (call) => {
        requireNoOptions(command, "diff");
        return diff(call, first, second);
      }),
    );
  command
    .command("show")
    .description("list what a recorded run asked for and was answered")
    .argument("<file>", "a cassette")
    .option("--all", "every message of every model call, not only what was new in it")
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
  throw usageError(`--${option} is for replaying a cassette, not for \`replay ${name}\`.`);
}

async function replay(call: Call, file: string, options: ReplayOptions): Promise<ExitCode> {
  const { shell } = call;
  const { from, model, liveTools, record } = options;
  const isFork = from !== undefined || model !== undefined;
  if (liveTools && !isFork) throw usageError("--live-tools is for a fork; give --from or --model too.");
  const { recordingPath } = await import("./record-answer.ts");
  const out = record === undefined ? undefined : await recordingPath(call, "replay", record);
  const cassette = await shell.parts.readCassette(resolve(shell.folder, file));
  return isFork ? fork(call, cassette, options, out) : playOffline(call, cassette, options, out);
}

type Cassette = Awaited<ReturnType<Call["shell"]["parts"]["readCassette"]>>;

async function playOffline(
  { shell, screen, signal }: Call,
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
  call: Call,
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
  return withDaemon(call, {}, async (client) => {
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

async function diff({ shell, screen }: Call, first: string, second: string): Promise<ExitCode> {
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

async function show({ shell, screen }: Call, file: string, all: boolean): Promise<ExitCode> {
  const cassette = await shell.parts.readCassette(resolve(shell.folder, file));
  const { printCassette } = await import("./cassette-listing.ts");
  if (screen.json) screen.document(cassette);
  else printCassette(screen, cassette, all);
  return exitCodes.ok;
}

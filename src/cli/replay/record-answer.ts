import { resolve } from "node:path";
import { cassetteExtension } from "../../contracts/daemon/cassettes/cassette-file.ts";
import type { DaemonClient } from "../../contracts/daemon/client.ts";
import { toAppError } from "../../kit/app-error.ts";
import { systemClock } from "../../kit/clock.ts";
import type { CommandCall } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { Answered } from "../runs/answer.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";

/** Returns the file for a recording, after a check that it is writable. `given` is true if the option has no value. */
export async function recordingPath(
  { shell }: Pick<CommandCall, "shell">,
  name: string,
  given: string | true,
): Promise<string> {
  if (given !== true && !given.endsWith(".json")) {
    throw usageError(
      `--record was given ${JSON.stringify(given)}, which is not a .json file.`,
      "Write --record after the query, or name a file: --record=<file>.json",
    );
  }
  const path = resolve(shell.folder, given === true ? `${name}-${timeText()}${cassetteExtension}` : given);
  await shell.parts.requireWritable(path);
  return path;
}

/** Returns the time as `20260131T120000Z`, which is valid in file names on all systems. */
function timeText(): string {
  return systemClock
    .now()
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");
}

/** The part of a run's result about its recording. */
interface Recorded {
  cassette?: string | undefined;
  cassette_error?: string | undefined;
}

/** Runs `ask`, then writes the recording of the run to `file`, even if the run failed. */
export async function recordAnswer(
  call: CommandCall,
  client: DaemonClient,
  file: string,
  ask: (client: DaemonClient) => Promise<Answered>,
): Promise<ExitCode> {
  let recordedLines: Recorded = {};
  const watched = watch(client, (recorded) => {
    recordedLines = recorded;
  });
  try {
    const session = await ask(watched);
    const isWritten = await writeRecording(call, client, file, recordedLines);
    return session !== undefined && isWritten ? exitCodes.ok : exitCodes.failed;
  } catch (thrown) {
    if (call.signal.aborted) throw thrown;
    const { facts = {} } = toAppError(thrown).details;
    await writeRecording(call, client, file, { ...recordedLines, ...facts });
    throw thrown;
  }
}

function watch(client: DaemonClient, note: (recorded: Recorded) => void): DaemonClient {
  return {
    ...client,
    async run(...asked) {
      const result = await client.run(...asked);
      note(result);
      return result;
    },
    async *stream(...asked) {
      for await (const frame of client.stream(...asked)) {
        if (frame.type === "done" || frame.type === "error") note(frame);
        yield frame;
      }
    },
  };
}

async function writeRecording(
  { shell, screen }: CommandCall,
  client: DaemonClient,
  file: string,
  { cassette, cassette_error: reason = "The server made no recording." }: Recorded,
): Promise<boolean> {
  if (cassette === undefined) {
    screen.say(paint("yellow", "not recorded:"), " ", reason);
    return false;
  }
  try {
    await shell.parts.writeCassette(file, await client.getCassetteText(cassette));
  } catch (thrown) {
    screen.say(paint("yellow", "not recorded:"), " ", toAppError(thrown).message);
    return false;
  }
  screen.say(paint("dim", `recorded ${file}`));
  return true;
}

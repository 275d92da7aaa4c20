import { Command, InvalidArgumentError, Option } from "commander";
import type { LogLineLevel, LogQuery } from "../../../contracts/daemon/operations.ts";
import { type CommandCall, type Perform, withServer } from "../../call.ts";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import { logLine } from "../../terminal/log-line.ts";

interface LogOptions {
  follow?: true;
  level?: LogLineLevel;
  search?: string;
  limit: number;
}

export const logsCommand = (perform: Perform) =>
  new Command("logs")
    .description("print the newest lines of the running server's log, oldest first")
    .option("--follow", "print new lines too, until Ctrl+C; with --json, one document per line")
    .addOption(
      new Option("--level <level>", "lowest level (all)").choices(["debug", "info", "warning", "error"]),
    )
    .option("--search <text>", "only lines that contain this text, in any case", asSearch)
    .option("--limit <count>", "most lines at the beginning, up to 5,000", asLimit, 500)
    .action((options: LogOptions, command: Command) =>
      perform(command, (call) => (options.follow ? followLines(call, options) : printLines(call, options))),
    );

async function printLines(call: CommandCall, options: LogOptions): Promise<ExitCode> {
  const { screen } = call;
  const page = await withServer(call, (client) => client.readLog(queryOf(options)));
  if (screen.json) screen.document(page);
  else for (const line of page.lines) screen.print(...logLine(line));
  return exitCodes.ok;
}

/** The server ends a stream after an hour; the next one repeats the newest lines, so known ones are left out. */
async function followLines(call: CommandCall, options: LogOptions): Promise<ExitCode> {
  const { screen, signal } = call;
  let printed = 0;
  try {
    await withServer(call, async (client) => {
      while (!signal.aborted) {
        for await (const { lines, last } of client.followLog(queryOf(options), signal)) {
          // Another server counts from 1 again.
          if (last < printed) printed = 0;
          for (const line of lines) {
            if (line.number <= printed) continue;
            printed = line.number;
            if (screen.json) screen.record(line);
            else screen.print(...logLine(line));
          }
        }
      }
    });
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  return exitCodes.ok;
}

const queryOf = ({ level, search, limit }: LogOptions): LogQuery => ({
  limit,
  ...(level && { level }),
  ...(search !== undefined && { text: search }),
});

function asSearch(text: string): string {
  if (text.length > 0 && text.length <= 200) return text;
  throw new InvalidArgumentError("must have 1 to 200 characters.");
}

function asLimit(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 5_000) return count;
  throw new InvalidArgumentError("must be a whole number from 1 to 5000.");
}

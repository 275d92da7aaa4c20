import { Command } from "commander";
import type { DoctorCheck, DoctorReport } from "../contracts/daemon/system.ts";
import { AppError } from "../kit/app-error.ts";
import { type Call, type Perform, withDaemon } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Inline, paint } from "./paint.ts";
import { withPlatform } from "./platform/with-platform.ts";
import { problemLine } from "./report-error.ts";

export const doctorCommand = (perform: Perform) =>
  new Command("doctor")
    .description("check this installation and suggest a fix for each problem")
    .action((_options: object, command: Command) => perform(command, doctor));

async function doctor(call: Call): Promise<ExitCode> {
  const { screen } = call;
  const report = await examine(call);
  if (screen.json) screen.document(report);
  else {
    for (const check of report.checks) {
      screen.print(mark(check.status), " ", paint("bold", check.name), ` ${check.message}`);
      if (check.mend !== undefined) screen.print("    → ", check.mend);
    }
    const { healthy, degraded, failing } = report.summary;
    screen.say(`${healthy} healthy, ${degraded} degraded, ${failing} failing`);
  }
  return report.summary.failing === 0 ? exitCodes.ok : exitCodes.failed;
}

/** Returns the daemon's own report, or the reason why the daemon cannot start. */
async function examine(call: Call): Promise<DoctorReport> {
  try {
    return await withDaemon(call, { withOthers: true }, (client) => client.doctor());
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const served = thrown.code === "data_folder_in_use" ? await examineServer(call) : undefined;
    if (served !== undefined) return served;
    return { checks: [startFault(thrown)], summary: { healthy: 0, degraded: 0, failing: 1 } };
  }
}

/** Returns the report of a server that runs the platform without the daemon, or undefined if there is none. */
async function examineServer(call: Call): Promise<DoctorReport | undefined> {
  try {
    return await withPlatform(call, {}, async ({ control }) => control?.doctor());
  } catch (thrown) {
    if (thrown instanceof AppError) return undefined;
    throw thrown;
  }
}

function startFault(error: AppError): DoctorCheck {
  const { hint, problems = [] } = error.details;
  const more = problems.slice(1).map((problem) => problemLine(problem));
  return {
    name: error.code === "invalid_config" || error.code === "invalid_manifest" ? "config" : "start",
    status: "failing",
    message: [error.message, ...more].join("\n    "),
    ...(hint === undefined ? {} : { mend: hint }),
  };
}

function mark(status: DoctorCheck["status"]): Inline {
  return { healthy: paint("green", "✓"), degraded: paint("yellow", "!"), failing: paint("red", "✗") }[status];
}

import { Command } from "commander";
import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { DoctorCheck, DoctorReport, RetriedWorkInput } from "../../contracts/daemon/system.ts";
import type { ControlClient } from "../../contracts/platform/clients/control-client.ts";
import { AppError } from "../../kit/app-error.ts";
import { type CommandCall, type Perform, readConfig, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { withPlatform } from "../platform/with-platform.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { problemLine } from "../terminal/report-error.ts";

export const doctorCommand = (perform: Perform) =>
  new Command("doctor")
    .description("check this installation and suggest a fix for each problem")
    .option("--retry <kind>", "let parked work of this kind be done again (see the check `interrupted work`)")
    .argument("[key]", "with --retry: the key of the work; one that ends with * stands for all that begin so")
    .action((key: string | undefined, { retry }: { retry?: string }, command: Command) => {
      if ((retry === undefined) !== (key === undefined)) {
        command.error("error: --retry takes a kind and a key", { code: "argosy.retry" });
      }
      if (retry === undefined || key === undefined) return perform(command, doctor);
      return perform(command, (call) => retryParked(call, { kind: retry, key }));
    });

async function retryParked(call: CommandCall, work: RetriedWorkInput): Promise<ExitCode> {
  const { screen } = call;
  const done = await onDaemonOrServer(
    call,
    (client) => client.retryParked(work),
    (control) => control.retryParked(work),
  );
  if (screen.json) screen.document(done);
  else screen.say(`Work that will be done again: ${done.retried}`);
  return exitCodes.ok;
}

/** Calls the daemon, or a server that runs the platform without the daemon. */
async function onDaemonOrServer<T>(
  call: CommandCall,
  ofDaemon: (client: DaemonClient) => Promise<T>,
  ofControl: (client: ControlClient) => Promise<T>,
): Promise<T> {
  try {
    return await withDaemon(call, { withOthers: true }, ofDaemon);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "data_folder_in_use") throw thrown;
    const done = await withPlatform(call, {}, async ({ control }) => control && (await ofControl(control)));
    if (done === undefined) throw thrown;
    return done;
  }
}

async function doctor(call: CommandCall): Promise<ExitCode> {
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

/** Returns the report of the running server or of this data folder, or the reasons why there is none. */
async function examine(call: CommandCall): Promise<DoctorReport> {
  try {
    return await withDaemon(call, { withOthers: true }, (client) => client.doctor());
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (thrown.code === "service_missing") return examineServer(call);
    const files = await faultyFiles(call, thrown);
    return reportOf([...files, ...startFaults(thrown, files.length > 0)]);
  }
}

/** Returns the report of a server without the daemon: the platform's if it has one, otherwise whether its services are ready. */
async function examineServer(call: CommandCall): Promise<DoctorReport> {
  try {
    const report = await withPlatform(call, {}, async ({ control }) => control?.doctor());
    if (report !== undefined) return report;
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "service_missing") throw thrown;
  }
  const health = await call.shell.parts.serverHealth(await readConfig(call));
  return reportOf(
    health.map(({ service, ready, reasons }) => ({
      name: service,
      status: ready ? "healthy" : "failing",
      message: ready ? "The service is ready." : reasons.join(" "),
    })),
  );
}

function reportOf(checks: DoctorCheck[]): DoctorReport {
  const count = (status: DoctorCheck["status"]) => checks.filter((check) => check.status === status).length;
  const [healthy, degraded, failing] = [count("healthy"), count("degraded"), count("failing")];
  return { checks, summary: { healthy, degraded, failing } };
}

const ofFiles = ["invalid_config", "invalid_manifest"];

/** Returns a check for each faulty file of the workspace, if a file prevents the start. */
async function faultyFiles({ shell, options }: CommandCall, { code }: AppError): Promise<DoctorCheck[]> {
  if (!ofFiles.includes(code)) return [];
  const { workspace, data } = options;
  const flags = {
    ...(workspace === undefined ? {} : { workspace }),
    ...(data === undefined ? {} : { data }),
  };
  const files = await shell.parts.validate(flags, []).catch(() => []);
  return files
    .filter(({ problems }) => problems.length > 0)
    .map(({ file, problems }) => ({
      name: file,
      status: "failing",
      message: problems.map((problem) => problemLine(problem, file)).join("\n    "),
      mend: `argosy validate ${file}`,
    }));
}

/** Returns the check for a start that fails. `isOfFiles`: other checks have the faults of files already. */
function startFaults({ code, message, details }: AppError, isOfFiles: boolean): DoctorCheck[] {
  const { hint, problems = [] } = details;
  const others = problems.filter(({ file }) => file === undefined);
  if (isOfFiles && (code === "invalid_manifest" || others.length === 0)) return [];
  const lines = isOfFiles
    ? others.map((problem) => problemLine(problem))
    : [message, ...problems.slice(1).map((problem) => problemLine(problem))];
  return [
    {
      name: ofFiles.includes(code) ? "config" : "start",
      status: "failing",
      message: lines.join("\n    "),
      ...(hint === undefined ? {} : { mend: hint }),
    },
  ];
}

function mark(status: DoctorCheck["status"]): Inline {
  return { healthy: paint("green", "✓"), degraded: paint("yellow", "!"), failing: paint("red", "✗") }[status];
}

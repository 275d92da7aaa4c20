import type { ReachedWorkspace } from "../../command/parts.ts";
import type { ApplyNotice, StepResult } from "../../declared/apply-workspace.ts";
import type { FileProblem } from "../../declared/declared-workspace.ts";
import type { WorkspacePlan } from "../../declared/plan-workspace.ts";
import { AppError } from "../../kit/app-error.ts";
import { silentLogger } from "../../kit/log.ts";
import { type CommandCall, readConfig } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { problemLine, usageError } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import { printChanges, summaryOf } from "../translator/print-changes.ts";

/** Options of `plan`, `apply` and `drift` for a whole workspace. */
export interface WorkspaceOptions {
  tenant?: string;
  adopt?: boolean;
  exitCode?: boolean;
  hash?: string;
  yes?: boolean;
}

/** Options that only commands for cloud accounts have. */
interface CloudOptions {
  account?: string | undefined;
  provider?: string | undefined;
  url?: string | undefined;
}

/** Throws a usage error for options that have no meaning for a workspace. */
export function refuseCloudOptions({ account, provider, url }: CloudOptions): void {
  const given = Object.entries({ account, provider, url }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const names = given.map(([name]) => `--${name}`).join(", ");
  throw usageError(
    `${names} is for manifests in a cloud account.`,
    "Name the manifests or a folder of them.",
  );
}

/** Throws a usage error for options that have no meaning for manifests in a cloud account. */
export function refuseWorkspaceOptions({ tenant, adopt }: WorkspaceOptions): void {
  if (tenant === undefined && adopt === undefined) return;
  throw usageError(
    `${tenant === undefined ? "--adopt" : "--tenant"} is for a workspace on the platform.`,
    "Name no paths.",
  );
}

export async function planPlatform(call: CommandCall, options: WorkspaceOptions): Promise<ExitCode> {
  const { screen } = call;
  return withWorkspace(call, options, async (workspace) => {
    const { plan } = await workspace.plan({ adopt: options.adopt === true });
    if (screen.json) screen.document(plan);
    else printPlan(screen, plan);
    const differs = plan.changes.length + plan.conflicts.length > 0;
    return differs && options.exitCode === true ? exitCodes.different : exitCodes.ok;
  });
}

export async function applyPlatform(call: CommandCall, options: WorkspaceOptions): Promise<ExitCode> {
  const { screen } = call;
  return withWorkspace(call, options, async (workspace) => {
    const made = await workspace.plan({ adopt: options.adopt === true });
    const { plan } = made;
    if (options.hash === undefined && options.yes !== true && plan.changes.length > 0) {
      if (!screen.json) printPlan(screen, plan);
      throw usageError(
        `This changes tenant ${plan.tenant.name}: ${summaryOf(plan.changes)}.`,
        `Run it again with --yes, or with --hash ${plan.hash} for exactly these changes.`,
      );
    }
    const results = await workspace.apply(made, {
      signal: call.signal,
      hash: options.hash,
      told: (progress) => tell(screen, progress),
    });
    if (screen.json) screen.document({ tenant: plan.tenant, hash: plan.hash, results, notes: plan.notes });
    else {
      printNotes(screen, plan);
      screen.say(summaryOfResults(results, plan.tenant.name));
    }
    return results.every(({ status }) => status === "done") ? exitCodes.ok : exitCodes.failed;
  });
}

export async function driftPlatform(call: CommandCall, options: WorkspaceOptions): Promise<ExitCode> {
  const { screen } = call;
  return withWorkspace(call, options, async (workspace) => {
    const drift = await workspace.drift();
    if (screen.json) screen.document(drift);
    else {
      printChanges(screen, drift.changes);
      screen.say(
        drift.drifted
          ? `Tenant ${drift.tenant.name} differs from the last apply in ${drift.changes.length} resources. \`argosy apply --yes\` restores what the files say.`
          : `Tenant ${drift.tenant.name} is as the last apply left it.`,
      );
    }
    return drift.drifted && options.exitCode === true ? exitCodes.different : exitCodes.ok;
  });
}

/** Connects to the workspace's platform for the duration of `use`. Prints the problems of its files one by one. */
async function withWorkspace(
  call: CommandCall,
  { tenant }: WorkspaceOptions,
  use: (workspace: ReachedWorkspace) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = await readConfig(call);
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  try {
    const workspace = await call.shell.parts.reachWorkspace(config, { log: log ?? silentLogger, tenant });
    try {
      return await use(workspace);
    } finally {
      await workspace.close();
    }
  } catch (thrown) {
    const isOfFiles = thrown instanceof AppError && thrown.code === "invalid_workspace";
    if (!isOfFiles || call.screen.json) throw thrown;
    const problems = (thrown.details.problems ?? []) as FileProblem[];
    for (const problem of problems) call.screen.print(problemLine(problem, problem.file));
    if (thrown.details.hint !== undefined) call.screen.say(thrown.details.hint);
    return exitCodes.usage;
  } finally {
    log?.flush();
  }
}

function printPlan(screen: Screen, plan: WorkspacePlan): void {
  const { tenant, changes, conflicts, hash } = plan;
  screen.print(paint("bold", `Tenant ${tenant.name}`));
  printChanges(screen, changes);
  for (const { message, hint, file } of conflicts)
    screen.print(paint("red", `✗ ${message}`), paint("dim", `  ${file}  `), hint);
  printNotes(screen, plan);
  const summary = summaryOf(changes);
  const count = conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`;
  if (conflicts.length > 0) screen.say(`${count}: an apply would change nothing.`);
  else if (summary === undefined) screen.say("Nothing to change.");
  else screen.say(`${summary}. Hash of this plan: ${hash}`);
}

function printNotes(screen: Screen, { notes }: WorkspacePlan): void {
  for (const { message } of notes) screen.print(paint("yellow", "! "), message);
}

const colours = { done: "green", failed: "red", skipped: "yellow" } as const;
const signs = { done: "✓", failed: "✗", skipped: "-" } as const;
const past = { create: "created", update: "updated", delete: "deleted" } as const;

/** Prints each result as it comes, and, for a person, what takes its time. */
function tell(screen: Screen, progress: ApplyNotice): void {
  if (progress.at === "wait") {
    screen.say(paint("dim", `${progress.message} Going on in ${progress.seconds} s …`));
  } else if (progress.at === "begin") {
    const { index, count, step } = progress;
    const { action, resource_type, resource } = step.change;
    if (screen.hasReader)
      screen.say(paint("dim", `[${index + 1}/${count}] ${action} ${resource_type} ${resource} …`));
  } else if (!screen.json) printResult(screen, progress.result);
}

function printResult(screen: Screen, result: StepResult): void {
  const { action, resource_type, resource, status, message = "", hint = "", problems = [] } = result;
  const done = status === "done" ? past[action] : `not ${past[action]}: ${message}`;
  screen.print(paint(colours[status], `${signs[status]} ${resource_type} ${resource}`), ` ${done}`);
  if (problems.length > 1) for (const problem of problems) screen.print(`    ${problemLine(problem)}`);
  if (status !== "done" && hint !== "") screen.print(paint("dim", `    ${hint}`));
}

function summaryOfResults(results: readonly StepResult[], tenant: string): string {
  if (results.length === 0) return `Tenant ${tenant} is as the files say.`;
  const counts = (["done", "failed", "skipped"] as const).flatMap((status) => {
    const count = results.filter((result) => result.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  });
  return `Tenant ${tenant}: ${counts.join(", ")}.`;
}

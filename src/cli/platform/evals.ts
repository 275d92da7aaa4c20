import { Command } from "commander";
import type { CaseResult } from "../../contracts/evals/eval-run.ts";
import type { PlatformClient } from "../../contracts/platform/clients/client.ts";
import type {
  PlatformEvalOrder,
  PlatformEvalRun,
  PlatformEvalRunDetail,
} from "../../contracts/platform/evals.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import { readManifest } from "../agents/change-agents.ts";
import { allPages, type Call, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { amount, requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import { nameIn } from "./agents.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface RunOptions extends PlatformOptions {
  agent?: string;
  manifest?: string;
  concurrency?: number;
  budget?: number;
  wait: boolean;
}

interface RunsOptions extends PlatformOptions {
  eval?: string;
  agent?: string;
}

interface DeleteOptions extends PlatformOptions {
  yes?: boolean;
}

export const evalsCommand = (perform: Perform) =>
  new Command("evals")
    .description("manage a tenant's evals, by which the release gate judges new versions of its agents")
    .addCommand(
      tenantCommand("list", "list evals").action((options: PlatformOptions, command: Command) =>
        perform(command, (call) => list(call, options)),
      ),
      { isDefault: true },
    )
    .addCommand(
      tenantCommand("apply", "create or replace an eval")
        .argument("<file>", "an eval in YAML or JSON, with its cases in it")
        .action((file: string, options: PlatformOptions, command: Command) =>
          perform(command, (call) => apply(call, file, options)),
        ),
    )
    .addCommand(
      tenantCommand("show", "print an eval as JSON")
        .argument("<name>", "the eval's name")
        .action((name: string, options: PlatformOptions, command: Command) =>
          perform(command, async (call) => {
            const { manifest } = await withTenant(call, options, (client) => client.getEval(name));
            call.screen.document(manifest);
            return exitCodes.ok;
          }),
        ),
    )
    .addCommand(
      tenantCommand("delete", "delete an eval; its runs are kept")
        .argument("<name>", "the eval's name")
        .addOption(yesOption())
        .action((name: string, options: DeleteOptions, command: Command) =>
          perform(command, (call) => remove(call, name, options)),
        ),
    )
    .addCommand(
      tenantCommand("run", "ask an agent all cases of an eval; its runs are charged")
        .argument("<name>", "the eval's name")
        .option("--agent <name>", "the agent to ask (default: the eval's)")
        .option("--manifest <file>", "ask this version, which need not be published")
        .option("--concurrency <n>", "cases at the same time", wholeNumber(8))
        .option("--budget <credits>", "start no further case once this much is charged", amount)
        .option("--no-wait", "return at once; `runs <id>` shows the result")
        .action((name: string, options: RunOptions, command: Command) =>
          perform(command, (call) => run(call, name, options)),
        ),
    )
    .addCommand(
      tenantCommand("runs", "list runs, newest first, or show one with its failed cases")
        .argument("[run]", "a run's id")
        .option("--eval <name>", "only runs of this eval")
        .option("--agent <name>", "only runs that asked this agent")
        .action((id: string | undefined, options: RunsOptions, command: Command) =>
          perform(command, (call) => (id === undefined ? listRuns(call, options) : show(call, id, options))),
        ),
    )
    .addCommand(
      tenantCommand("cancel", "cancel a run; its results so far are kept")
        .argument("<run>", "the run's id")
        .action((id: string, options: PlatformOptions, command: Command) =>
          perform(command, async (call) => {
            const cancelled = await withTenant(call, options, (client) => client.cancelEvalRun(id));
            if (call.screen.json) call.screen.document(cancelled);
            else
              call.screen.say(`Cancelled ${id} after ${cancelled.finished} of ${cancelled.planned} cases.`);
            return exitCodes.ok;
          }),
        ),
    );

async function list(call: Call, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const found = await withTenant(call, options, (client) => client.listEvals());
  if (screen.json) screen.document(found);
  else if (found.evals.length === 0) screen.say("No evals. `argosy platform evals apply <file>` stores one.");
  else {
    screen.table(
      ["NAME", "AGENT", "CASES", "UPDATED"],
      found.evals.map((one) => [paint("bold", one.name), one.agent, String(one.cases), one.updated_at]),
    );
  }
  return exitCodes.ok;
}

async function apply(call: Call, file: string, options: PlatformOptions): Promise<ExitCode> {
  const { screen, shell } = call;
  const text = readManifest(shell.folder, file);
  const name = nameIn(text);
  if (name === undefined) throw usageError(`${file} has no metadata.name.`);
  const stored = await withTenant(call, options, (client) => client.putEval(name, text));
  if (screen.json) screen.document(stored);
  else screen.say(`Stored ${stored.name} with ${stored.cases} cases for ${stored.agent}.`);
  return exitCodes.ok;
}

async function remove(call: Call, name: string, options: DeleteOptions): Promise<ExitCode> {
  const { screen } = call;
  requireYes(
    options,
    `This would delete the eval ${name}. Versions that require it can't be published then.`,
  );
  await withTenant(call, options, (client) => client.deleteEval(name));
  if (screen.json) screen.document({ name, deleted: true });
  else screen.say(`Deleted ${name}.`);
  return exitCodes.ok;
}

/** How often a run under way is looked at. */
const everyMs = 1000;

async function run(
  call: Call,
  name: string,
  { agent, manifest, concurrency, budget, wait, ...options }: RunOptions,
): Promise<ExitCode> {
  const { screen, shell, signal } = call;
  const order: PlatformEvalOrder = {
    ...(agent !== undefined && { agent }),
    ...(manifest !== undefined && { spec: readManifest(shell.folder, manifest) }),
    ...(concurrency !== undefined && { concurrency }),
    ...(budget !== undefined && { budget_credits_micros: Math.round(budget * 1e6) }),
  };
  return withTenant(call, options, async (client) => {
    const ordered = await client.startEvalRun(name, order);
    if (!wait) {
      if (screen.json) screen.document(ordered);
      else screen.say(`Run ${ordered.id} has begun. \`argosy platform evals runs ${ordered.id}\` shows it.`);
      return exitCodes.ok;
    }
    let seen: PlatformEvalRunDetail = await client.getEvalRun(ordered.id);
    for (let told = -1; seen.ended_at === null; seen = await client.getEvalRun(ordered.id)) {
      if (seen.finished !== told && !screen.json)
        screen.say(paint("dim", `${seen.finished} of ${seen.planned} cases, ${seen.passed} passed`));
      told = seen.finished;
      await sleep(systemClock, everyMs, signal);
    }
    return report(screen, client, seen);
  });
}

async function listRuns(call: Call, { eval: of, agent, ...options }: RunsOptions): Promise<ExitCode> {
  const { screen } = call;
  const filter = { ...(of !== undefined && { eval: of }), ...(agent !== undefined && { agent }) };
  const runs = await withTenant(call, options, (client) =>
    allPages(async (cursor) => {
      const page = await client.listEvalRuns({
        limit: 100,
        ...filter,
        ...(cursor !== undefined && { cursor }),
      });
      return { items: page.runs, next: page.next_cursor };
    }),
  );
  if (screen.json) screen.document({ runs });
  else if (runs.length === 0) screen.say("No runs. `argosy platform evals run <name>` makes one.");
  else {
    screen.table(
      ["RUN", "EVAL", "AGENT", "VERSION", "STATUS", "PASSED", "CREATED"],
      runs.map((one) => [
        one.id,
        one.eval,
        one.agent,
        versionOf(one),
        one.status,
        `${one.passed} of ${one.planned}`,
        one.created_at,
      ]),
    );
  }
  return exitCodes.ok;
}

async function show(call: Call, id: string, options: PlatformOptions): Promise<ExitCode> {
  return withTenant(call, options, async (client) =>
    report(call.screen, client, await client.getEvalRun(id)),
  );
}

/** Failed results that are listed. */
const listedMax = 20;

/** Prints a run and its failed cases. The exit code tells whether all cases passed. */
async function report(screen: Screen, client: PlatformClient, run: PlatformEvalRunDetail): Promise<ExitCode> {
  const { results, total } = await client.listEvalResults(run.id, { passed: false, limit: listedMax });
  const isGood = run.ended_at === null || (run.status === "complete" && total === 0);
  if (screen.json) screen.document({ ...run, failed: results });
  else {
    const rate = run.pass_rate === null ? "" : `, pass rate ${percent(run.pass_rate)}`;
    const [low, high] = run.interval ?? [];
    const interval =
      low === undefined || high === undefined ? "" : ` (95 % interval ${percent(low)} to ${percent(high)})`;
    screen.print(paint("bold", run.eval), `  ${run.agent}, ${versionOf(run)}: ${run.status}`);
    screen.print(`${run.passed} of ${run.planned} passed${rate}${interval}`);
    for (const { result } of results) printFailure(screen, result);
    if (total > results.length)
      screen.print(`… and ${total - results.length} more; --json has their number.`);
    if (run.error !== undefined) screen.print(paint("red", run.error.error), `  ${run.error.message}`);
    if (run.simulated) screen.say(paint("yellow", "simulated:"), " no model was called");
    screen.say(paint("dim", `run ${run.id}, ${run.credits_charged_micros / 1e6} credits`));
  }
  return isGood ? exitCodes.ok : exitCodes.failed;
}

function printFailure(screen: Screen, { case: id, repeat, checks, turns }: CaseResult): void {
  screen.print(paint("red", "failed"), `  ${id}${repeat > 1 ? ` #${repeat}` : ""}`);
  for (const { check, turn, passed, informative, reason } of checks) {
    if (passed || informative) continue;
    screen.print(`  ${check}${turn === undefined ? "" : ` (turn ${turn})`}: ${reason ?? "failed"}`);
  }
  const invocation = turns.at(-1)?.invocation_id;
  if (invocation !== undefined) screen.print(paint("dim", `  run ${invocation}`));
}

const versionOf = ({ agent_version: version, checksum }: PlatformEvalRun) =>
  version === null ? `candidate ${checksum.slice(0, 12)}` : `version ${version}`;

const percent = (part: number) => `${(100 * part).toFixed(1)} %`;

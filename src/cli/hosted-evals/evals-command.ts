import { Command } from "commander";
import type { HostedEvalCalls } from "../../contracts/evals/hosted-eval-calls.ts";
import type { HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { sleep, systemClock } from "../../kit/clock.ts";
import { readManifest } from "../agents/change-agents.ts";
import { allPages, type CommandCall, type Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, wholeNumber, yesOption } from "../option-values.ts";
import { nameIn } from "../platform/agents.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { reportRun, type ShownRuns } from "./report-run.ts";

/** What `argosy platform evals` and `argosy cloud evals` have apart. */
export interface EvalsCommand<Connection, OrderOptions, Order extends object, Run extends HostedEvalRun>
  extends ShownRuns<Run> {
  /** The command's own name, as people type it. */
  name: string;
  /** `a tenant's` or `an org's`. */
  whose: string;
  /** Creates a subcommand with the options of the connection. */
  command(name: string, description: string): Command;
  /** Connects for the duration of `use`. */
  connect<T>(
    call: CommandCall,
    options: Connection,
    use: (evals: HostedEvalCalls<Order, Run, Run>) => Promise<T>,
  ): Promise<T>;
  /** Adds the options of an order that the service alone has. */
  orderOptions(command: Command): Command;
  orderOf(call: CommandCall, options: OrderOptions): Partial<Order>;
}

interface RunOptions {
  agent?: string;
  concurrency?: number;
  wait: boolean;
}

interface RunsOptions {
  eval?: string;
  agent?: string;
}

/** The commands for the evals that a service stores. */
export function evalsCommand<
  Connection extends object,
  OrderOptions extends object,
  Order extends object,
  Run extends HostedEvalRun,
>(perform: Perform, own: EvalsCommand<Connection, OrderOptions, Order, Run>): Command {
  const { command, connect } = own;
  return new Command("evals")
    .description(`manage ${own.whose} evals, by which the release gate judges new versions of its agents`)
    .addCommand(
      command("list", "list evals").action((options: Connection, cli: Command) =>
        perform(cli, (call) => connect(call, options, (evals) => list(call, evals, own.name))),
      ),
      { isDefault: true },
    )
    .addCommand(
      command("apply", "create or replace an eval")
        .argument("<file>", "an eval in YAML or JSON, with its cases in it")
        .action((file: string, options: Connection, cli: Command) =>
          perform(cli, (call) => {
            const text = readManifest(call.shell.folder, file);
            const name = nameIn(text);
            if (name === undefined) throw usageError(`${file} has no metadata.name.`);
            return connect(call, options, (evals) => apply(call, evals, name, text));
          }),
        ),
    )
    .addCommand(
      command("show", "print an eval as JSON")
        .argument("<name>", "the eval's name")
        .action((name: string, options: Connection, cli: Command) =>
          perform(cli, async (call) => {
            const { manifest } = await connect(call, options, (evals) => evals.getEval(name));
            call.screen.document(manifest);
            return exitCodes.ok;
          }),
        ),
    )
    .addCommand(
      command("delete", "delete an eval; its runs are kept")
        .argument("<name>", "the eval's name")
        .addOption(yesOption())
        .action((name: string, options: Connection & { yes?: boolean }, cli: Command) =>
          perform(cli, (call) => {
            requireYes(
              options,
              `This would delete the eval ${name}. Versions that require it are refused then.`,
            );
            return connect(call, options, (evals) => remove(call, evals, name));
          }),
        ),
    )
    .addCommand(
      own
        .orderOptions(
          command("run", "ask an agent all cases of an eval, each as a run of its own")
            .argument("<name>", "the eval's name")
            .option("--agent <name>", "the agent to ask (default: the eval's)"),
        )
        .option("--concurrency <n>", "cases at the same time", wholeNumber(8))
        .option("--no-wait", "return at once; `runs <id>` shows the result")
        .action((name: string, options: Connection & OrderOptions & RunOptions, cli: Command) =>
          perform(cli, (call) => {
            const { agent, concurrency, wait } = options;
            const order = {
              ...own.orderOf(call, options),
              ...(agent !== undefined && { agent }),
              ...(concurrency !== undefined && { concurrency }),
            } as Order;
            return connect(call, options, (evals) => run(call, evals, own, { name, order, wait }));
          }),
        ),
    )
    .addCommand(
      command("runs", "list runs, newest first, or show one with its failed cases")
        .argument("[run]", "a run's id")
        .option("--eval <name>", "only runs of this eval")
        .option("--agent <name>", "only runs that asked this agent")
        .action((id: string | undefined, options: Connection & RunsOptions, cli: Command) =>
          perform(cli, (call) =>
            connect(call, options, async (evals) =>
              id === undefined
                ? listRuns(call, evals, own, options)
                : reportRun(call.screen, evals, own, await evals.getEvalRun(id)),
            ),
          ),
        ),
    )
    .addCommand(
      command("cancel", "cancel a run; its results so far are kept")
        .argument("<run>", "the run's id")
        .action((id: string, options: Connection, cli: Command) =>
          perform(cli, async (call) => {
            const cancelled = await connect(call, options, (evals) => evals.cancelEvalRun(id));
            if (call.screen.json) call.screen.document(cancelled);
            else
              call.screen.say(`Cancelled ${id} after ${cancelled.finished} of ${cancelled.planned} cases.`);
            return exitCodes.ok;
          }),
        ),
    );
}

type Evals<Order extends object, Run extends HostedEvalRun> = HostedEvalCalls<Order, Run, Run>;
type AnyEvals = Pick<HostedEvalCalls, "listEvals" | "putEval" | "deleteEval">;

async function list({ screen }: CommandCall, evals: AnyEvals, name: string): Promise<ExitCode> {
  const evalList = await evals.listEvals();
  if (screen.json) screen.document(evalList);
  else if (evalList.evals.length === 0) screen.say(`No evals. \`argosy ${name} apply <file>\` stores one.`);
  else {
    screen.table(
      ["NAME", "AGENT", "CASES", "UPDATED"],
      evalList.evals.map((one) => [paint("bold", one.name), one.agent, String(one.cases), one.updated_at]),
    );
  }
  return exitCodes.ok;
}

async function apply(
  { screen }: CommandCall,
  evals: AnyEvals,
  name: string,
  text: string,
): Promise<ExitCode> {
  const stored = await evals.putEval(name, text);
  if (screen.json) screen.document(stored);
  else screen.say(`Stored ${stored.name} with ${stored.cases} cases for ${stored.agent}.`);
  return exitCodes.ok;
}

async function remove({ screen }: CommandCall, evals: AnyEvals, name: string): Promise<ExitCode> {
  await evals.deleteEval(name);
  if (screen.json) screen.document({ name, deleted: true });
  else screen.say(`Deleted ${name}.`);
  return exitCodes.ok;
}

/** How often a run under way is looked at. */
const everyMs = 1000;

async function run<Order extends object, Run extends HostedEvalRun>(
  { screen, signal }: CommandCall,
  evals: Evals<Order, Run>,
  own: ShownRuns<Run> & { name: string },
  { name, order, wait }: { name: string; order: Order; wait: boolean },
): Promise<ExitCode> {
  const ordered = await evals.startEvalRun(name, order);
  if (!wait) {
    if (screen.json) screen.document(ordered);
    else screen.say(`Run ${ordered.id} has begun. \`argosy ${own.name} runs ${ordered.id}\` shows it.`);
    return exitCodes.ok;
  }
  let seen = await evals.getEvalRun(ordered.id);
  for (let reportedCases = -1; seen.ended_at === null; seen = await evals.getEvalRun(ordered.id)) {
    if (seen.finished !== reportedCases && !screen.json)
      screen.say(paint("dim", `${seen.finished} of ${seen.planned} cases, ${seen.passed} passed`));
    reportedCases = seen.finished;
    await sleep(systemClock, everyMs, signal);
  }
  return reportRun(screen, evals, own, seen);
}

async function listRuns<Order extends object, Run extends HostedEvalRun>(
  { screen }: CommandCall,
  evals: Evals<Order, Run>,
  { name, versionOf }: ShownRuns<Run> & { name: string },
  { eval: of, agent }: RunsOptions,
): Promise<ExitCode> {
  const filter = { ...(of !== undefined && { eval: of }), ...(agent !== undefined && { agent }) };
  const runs = await allPages(async (cursor) => {
    const page = await evals.listEvalRuns({ limit: 100, ...filter, ...(cursor !== undefined && { cursor }) });
    return { items: page.runs, next: page.next_cursor };
  });
  if (screen.json) screen.document({ runs });
  else if (runs.length === 0) screen.say(`No runs. \`argosy ${name} run <name>\` makes one.`);
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

import { type Command, Option } from "commander";
import type { Target, TranslatorClient } from "../../contracts/translator/client.ts";
import type { ChangeAction, ReconcilePlan, ReconcileResult } from "../../contracts/translator/reconcile.ts";
import type { SpecReference } from "../../contracts/translator/translation.ts";
import { type AppError, toAppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import type { Screen } from "../terminal/screen.ts";
import {
  applyPlatform,
  planPlatform,
  refuseCloudOptions,
  refuseWorkspaceOptions,
  type WorkspaceOptions,
} from "../workspace/platform-workspace.ts";
import { printChanges, printGaps, summaryOf } from "./print-changes.ts";
import {
  accountCommand,
  specFiles,
  type TranslatorOptions,
  targetOf,
  withTranslator,
} from "./with-translator.ts";

type PlanOptions = TranslatorOptions & WorkspaceOptions;
type ApplyOptions = TranslatorOptions & WorkspaceOptions;

const tenantOption = () =>
  new Option(
    "--tenant <id>",
    "without paths: a tenant's id, name or display name (ARGOSY_PLATFORM_TENANT, else that of platform.yaml, else the only tenant)",
  );
const adoptOption = () =>
  new Option("--adopt", "without paths: take over resources that exist and that no apply created");

export const planCommand = (perform: Perform) =>
  accountCommand(
    "plan",
    "show what an apply would change: of the workspace on the platform, or of manifests in a cloud account",
  )
    .argument(
      "[paths...]",
      "manifests of agents and pipelines, or folders of them (default: the workspace, for the platform)",
    )
    .option("--exit-code", "exit with status 2 if there are differences")
    .addOption(tenantOption())
    .addOption(adoptOption())
    .action((paths: string[], options: PlanOptions, command: Command) =>
      perform(command, async (call) => {
        if (paths.length > 0) {
          refuseWorkspaceOptions(options);
          return plan(call, paths, options);
        }
        refuseCloudOptions(options);
        return planPlatform(call, options);
      }),
    );

export const applyCommand = (perform: Perform) =>
  accountCommand(
    "apply",
    "create, update and delete resources: of the workspace on the platform, or of manifests in a cloud account",
  )
    .argument(
      "[paths...]",
      "manifests of agents and pipelines, or folders of them (default: the workspace, for the platform)",
    )
    .addOption(tenantOption())
    .addOption(adoptOption())
    .option("--hash <hash>", "apply exactly this plan, or nothing if something has changed since")
    .addOption(yesOption())
    .action((paths: string[], options: ApplyOptions, command: Command) =>
      perform(command, async (call) => {
        if (paths.length > 0) {
          refuseWorkspaceOptions(options);
          return apply(call, paths, options);
        }
        refuseCloudOptions(options);
        return applyPlatform(call, options);
      }),
    );

async function plan(call: CommandCall, paths: readonly string[], options: PlanOptions): Promise<ExitCode> {
  const { screen } = call;
  const files = await specFiles(call, paths);
  const plans = await withTranslator(call, options, async (client) => {
    const all: ReconcilePlan[] = [];
    for (const { yaml } of files) {
      call.signal.throwIfAborted();
      const { kind, name } = await client.submit(yaml);
      const made = await client.plan(kind, name, targetOf(options));
      if (!screen.json) printPlan(screen, made);
      all.push(made);
    }
    return all;
  });
  if (screen.json) screen.document({ plans });
  const differs = plans.some(({ changes }) => changes.length > 0);
  return differs && options.exitCode === true ? exitCodes.different : exitCodes.ok;
}

function printPlan(screen: Screen, { kind, name, account, hash, changes, gaps }: ReconcilePlan): void {
  screen.print(paint("bold", `${kind}/${name}`), paint("dim", ` in account ${account}`));
  printChanges(screen, changes);
  printGaps(screen, gaps);
  const summary = summaryOf(changes);
  if (summary === undefined) screen.say("Nothing to change.");
  else screen.say(`${summary}. Hash of this plan: ${hash}`);
}

async function apply(call: CommandCall, paths: readonly string[], options: ApplyOptions): Promise<ExitCode> {
  const { screen } = call;
  const files = await specFiles(call, paths);
  const { hash } = options;
  if (hash !== undefined && files.length > 1)
    throw usageError(
      `A hash is of the plan of one manifest, and there are ${files.length}.`,
      "Name one file.",
    );
  if (hash === undefined)
    requireYes(
      options,
      `This changes a cloud account by ${files.length} manifests: \`argosy plan\` shows how.`,
    );
  const results = await withTranslator(call, options, async (client) => {
    const all: ReconcileResult[] = [];
    for (const { yaml } of files) {
      call.signal.throwIfAborted();
      const spec = await client.submit(yaml);
      const result = await applyOne(call, client, spec, targetOf(options), hash).catch((thrown) => {
        throw printPartial(screen, toAppError(thrown));
      });
      if (!screen.json) printResult(screen, result);
      all.push(result);
    }
    return all;
  });
  if (screen.json) screen.document({ results });
  return exitCodes.ok;
}

/** Applies one manifest; on a terminal, tells first what takes its time. */
async function applyOne(
  { screen }: CommandCall,
  client: TranslatorClient,
  { kind, name }: SpecReference,
  target: Target,
  hash: string | undefined,
): Promise<ReconcileResult> {
  if (screen.hasReader) screen.say(paint("dim", `Applying ${kind}/${name} …`));
  return client.reconcile(kind, name, { ...target, ...(hash !== undefined && { hash }) });
}

interface PartialChange {
  action: ChangeAction;
  resource_type: string;
  resource: string;
  account: string;
}

interface PartialFacts {
  created?: string[];
  updated?: string[];
  deleted?: string[];
  failed?: PartialChange;
  not_tried?: PartialChange[];
}

/** Prints what a failed reconcile or removal did, which change failed, and which were not tried. */
export function printPartial(screen: Screen, error: AppError): AppError {
  const facts = (error.details.facts ?? {}) as PartialFacts;
  const { created = [], updated = [], deleted = [], failed, not_tried = [] } = facts;
  if (screen.json) return error;
  printNames(screen, { created, updated, deleted });
  const line = ({ action, resource_type, resource, account }: PartialChange) =>
    `${action} ${resource_type} ${resource} in account ${account}`;
  if (failed !== undefined) screen.print(paint("red", `✗ ${line(failed)}`), ` failed: ${error.message}`);
  for (const one of not_tried) screen.print(paint("yellow", `- ${line(one)}`), " was not tried");
  return error;
}

function printNames(
  screen: Screen,
  { created, updated, deleted }: Pick<ReconcileResult, "created" | "updated" | "deleted">,
): void {
  for (const one of created) screen.print(paint("green", `+ ${one}`));
  for (const one of updated) screen.print(paint("yellow", `~ ${one}`));
  for (const one of deleted) screen.print(paint("red", `- ${one}`));
}

function printResult(screen: Screen, { kind, name, created, updated, deleted }: ReconcileResult): void {
  printNames(screen, { created, updated, deleted });
  const count = created.length + updated.length + deleted.length;
  screen.say(
    count === 0
      ? `${kind}/${name} is as the manifest says.`
      : `${kind}/${name}: ${created.length} created, ${updated.length} updated, ${deleted.length} deleted.`,
  );
}

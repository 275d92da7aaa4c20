import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { EvalRunHead } from "../../contracts/evals/eval-run.ts";
import { AppError } from "../../kit/app-error.ts";
import { checksumOf } from "../../kit/json/canonical-json.ts";
import type { LoadedEval, LoadedVariant } from "../dataset/load-eval.ts";
import type { KnownPrices } from "../running/observe-run.ts";
import {
  chosenTargets,
  type EvalTarget,
  isOwnTarget,
  planDigest,
  targetsOf,
} from "../running/plan-attempts.ts";

/** Choices of a command; absent ones are the file's. */
export interface EvalChoices {
  agent?: string | undefined;
  models?: readonly string[] | undefined;
  variants?: readonly LoadedVariant[] | undefined;
  /** In place of models and variants. */
  targets?: readonly EvalTarget[] | undefined;
  judgeModel?: string | undefined;
  tags?: readonly string[] | undefined;
  repeat?: number | undefined;
  concurrency?: number | undefined;
  budgetUsd?: number | undefined;
  /** True to ask the newest version, even one that its release gate keeps out of service. */
  candidate?: boolean | undefined;
  mode: EvalRunHead["mode"];
  /** Id of the run to continue, or `last`. */
  resume?: string | undefined;
}

/** Calls that an eval makes. */
export type EvalClient = Pick<
  DaemonClient,
  | "run"
  | "getTrace"
  | "clearHistory"
  | "getCassetteText"
  | "deleteCassette"
  | "getAgent"
  | "getManifest"
  | "listProviders"
  | "embed"
  | "complete"
>;

/** Everything that is known before a run. */
export interface PlannedEval {
  agent: string;
  agentChecksum: string;
  /** Checksum of the agent's newest manifest, as the agent's versions have it. */
  manifest: string;
  /** Fingerprint of the version that must answer; absent: the one in service. */
  fingerprint: string | undefined;
  cases: LoadedEval["cases"];
  targets: readonly EvalTarget[];
  repeat: number;
  budgetUsd: number | undefined;
  digest: string;
}

/** Plans a run, and refuses one that can't begin: an unknown agent or tag, or recordings of more than one target. */
export async function planEval(
  loaded: LoadedEval,
  client: Pick<EvalClient, "getAgent" | "getManifest">,
  choices: EvalChoices,
): Promise<PlannedEval> {
  const { spec } = loaded;
  const agent = choices.agent ?? spec.agent;
  const repeat = choices.repeat ?? spec.repeat;
  const isCandidate = choices.candidate === true;
  if (isCandidate) requireWholeEval(choices);
  const targets = isCandidate
    ? targetsOf([], [])
    : await identified(client, agent, chosenTargets(loaded, choices));
  requireOneTarget(choices.mode, targets, repeat);
  const cases = casesWith(loaded, choices.tags);
  const { checksum: agentChecksum, manifest, fingerprint } = await askedVersion(client, agent, isCandidate);
  const ids = cases.map(({ id }) => id);
  const digest = planDigest(loaded, { targets, repeat, agent, agentChecksum, cases: ids });
  const budgetUsd = choices.budgetUsd ?? spec.budget_usd;
  return { agent, agentChecksum, manifest, fingerprint, cases, targets, repeat, budgetUsd, digest };
}

/** A release gate looks the run up, so it asks all cases of the version alone. */
function requireWholeEval({ models, variants, targets, tags, mode }: EvalChoices): void {
  const narrowed = [models, variants, targets, tags].some((chosen) => chosen !== undefined);
  if (!narrowed && mode === "live") return;
  throw new AppError(
    "invalid",
    "usage",
    "A run of the candidate asks all cases of the version alone, so it can't have other models, variants, tags or recordings.",
  );
}

/** Adds the checksums of other agents, so that a run is not resumed with another version of one. */
async function identified(
  client: Pick<EvalClient, "getAgent" | "getManifest">,
  own: string,
  targets: readonly EvalTarget[],
): Promise<EvalTarget[]> {
  const known = new Map<string, string>();
  const identifiedTargets: EvalTarget[] = [];
  for (const target of targets) {
    const { agent } = target;
    if (agent !== undefined && agent !== own && !known.has(agent))
      known.set(agent, (await askedVersion(client, agent, false)).checksum);
    identifiedTargets.push({ ...target, ...(agent !== undefined && { checksum: known.get(agent) }) });
  }
  return identifiedTargets;
}

function casesWith({ cases, file }: LoadedEval, tags: readonly string[] | undefined): LoadedEval["cases"] {
  if (tags === undefined) return cases;
  const chosen = cases.filter((one) => tags.some((tag) => one.tags.includes(tag)));
  if (chosen.length > 0) return chosen;
  throw new AppError("invalid", "usage", `No case of ${file} has the tag ${tags.join(" or ")}.`);
}

function requireOneTarget(mode: EvalRunHead["mode"], targets: readonly EvalTarget[], repeat: number): void {
  const isOwn = targets.length === 1 && targets.every(isOwnTarget);
  if (mode === "live" || (isOwn && repeat === 1)) return;
  throw new AppError(
    "invalid",
    "usage",
    `--${mode} keeps one recording for each case, so it can't be used with several models, variants or repetitions.`,
    { details: { hint: `Leave out --model, --variant and --repeat, or --${mode}.` } },
  );
}

/** Returns the version to ask: the one in service, or the newest one with its fingerprint, so that no other version can answer. */
async function askedVersion(
  client: Pick<EvalClient, "getAgent" | "getManifest">,
  agent: string,
  wantsCandidate: boolean,
): Promise<{ checksum: string; manifest: string; fingerprint?: string | undefined }> {
  const { status, error, candidate, fingerprint } = await client.getAgent(agent);
  const newest = wantsCandidate ? (candidate?.fingerprint ?? fingerprint) : undefined;
  if (newest !== undefined) {
    const manifest = checksumOf(await client.getManifest(agent));
    return { checksum: newest, manifest, fingerprint: newest };
  }
  if (status === "failed") {
    throw new AppError(
      "unprocessable",
      "agent_not_ready",
      `The agent ${agent} can't run: ${error ?? "its manifest is not valid"}.`,
    );
  }
  const text = await client.getManifest(agent);
  return {
    checksum: new Bun.CryptoHasher("sha256").update(text).digest("hex"),
    manifest: checksumOf(text),
  };
}

export async function knownPrices(client: Pick<EvalClient, "listProviders">): Promise<KnownPrices> {
  const { providers } = await client.listProviders();
  const free = new Set(providers.filter(({ local }) => local).map(({ name }) => name));
  const priced = new Set(
    providers.flatMap(({ name, models }) =>
      models.flatMap(({ model, price }) => (price === undefined ? [] : [`${name}/${model}`])),
    ),
  );
  const isFree = (provider: string) => free.has(provider);
  return { isFree, isKnown: (provider, model) => isFree(provider) || priced.has(`${provider}/${model}`) };
}

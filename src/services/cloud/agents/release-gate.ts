import type { OrgReleaseGate, ReleaseRules } from "../../../contracts/cloud/release.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { Requirement } from "../../../evals/gate/judge-requirement.ts";
import type { JudgedVersion, RequirementVerdict } from "../../../evals/hosted/judge-versions.ts";
import { AppError } from "../../../kit/app-error.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { type OrgActor, requireManager } from "../access/credentials.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudTables } from "../tables.ts";
import type { CloudAgentDeps } from "./deps.ts";
import { changeAgent, getAgent, type OrgAgentRow } from "./store.ts";
import { compileManifest } from "./wizard/compile-manifest.ts";
import { changedMeanwhile, laterThan } from "./write-agent.ts";

/** Judges a version of an org's agent by the runs of evals; it never asks a model. */
export type JudgeOrgRelease = (
  query: ReadQuery,
  tables: CloudTables,
  version: JudgedVersion & { slug: string },
  requires: readonly Requirement[],
) => Promise<RequirementVerdict[]>;

/** Dependencies of routes that deploy agents. */
export interface ReleaseDeps extends CloudAgentDeps {
  judgeRelease: JudgeOrgRelease;
}

/** The gate of an agent, and what it would say of the agent as it is. */
export async function readGate(deps: ReleaseDeps, { org }: OrgActor, name: string): Promise<OrgReleaseGate> {
  const { read, tables } = deps.storage;
  return presentGate(deps, org.slug, await getAgent(read, tables, org.id, name));
}

/** Replaces the rules of an agent's gate in any state. Only managers may: the gate binds those who deploy. */
export async function putRules(
  deps: ReleaseDeps,
  actor: OrgActor,
  name: string,
  rules: ReleaseRules,
): Promise<OrgReleaseGate> {
  requireManager(actor);
  const { storage, clock } = deps;
  const { tables, read, transact } = storage;
  const requires = requirementsOf(rules);
  const agent = await getAgent(read, tables, actor.org.id, name);
  const now = clock.now();
  const changed = await transact(async (tx) => {
    const row = await changeAgent(tx, tables, agent, ["draft", "deployed", "paused"], {
      requires: requires.length === 0 ? null : requires,
      updatedAt: laterThan(agent.updatedAt, now),
    });
    if (row !== undefined)
      await writeAudit(deps, tx, now, changeBy(actor, "agent.release_rules", name, { requires }));
    return row;
  });
  if (changed === undefined) throw changedMeanwhile(name);
  return presentGate(deps, actor.org.slug, changed);
}

/** What the audit of a deployment tells of the gate. */
export interface ReleaseDecision {
  /** Runs that counted, by eval. */
  runs?: Record<string, string>;
  /** Reason of the caller, and what the gate had against the version. */
  override?: { reason: string; refused: string[] };
}

/**
 * Requires that a version has passed the evals of its gate. Throws `release_refused` (422) with the reasons, which is audited. A manager's
 * `override` lets it pass all the same.
 */
export async function requireReleased(
  deps: ReleaseDeps,
  actor: OrgActor,
  agent: OrgAgentRow,
  checksum: string,
  override: string | undefined,
): Promise<ReleaseDecision> {
  if (override !== undefined) requireManager(actor);
  const verdicts = await judge(deps, actor.org.slug, agent, checksum);
  if (verdicts.length === 0) return {};
  const runs = Object.fromEntries(
    verdicts.flatMap(({ required, run }) => (run === undefined ? [] : [[required.eval, run]])),
  );
  const refused = verdicts.flatMap(({ reasons }) => reasons);
  if (refused.length === 0) return { runs };
  if (override !== undefined) return { runs, override: { reason: override, refused } };
  const { storage, clock } = deps;
  const detail = { checksum, refused };
  await storage.transact((tx) =>
    writeAudit(deps, tx, clock.now(), changeBy(actor, "agent.release_refused", agent.name, detail)),
  );
  throw releaseRefused(agent.name, refused);
}

const judge = (
  { storage: { read, tables }, judgeRelease }: ReleaseDeps,
  slug: string,
  { orgId, name, requires, releasedChecksum }: OrgAgentRow,
  checksum: string,
) =>
  judgeRelease(
    read,
    tables,
    { ownerId: orgId, slug, agentName: name, checksum, before: releasedChecksum ?? undefined },
    requires ?? [],
  );

async function presentGate(deps: ReleaseDeps, slug: string, agent: OrgAgentRow): Promise<OrgReleaseGate> {
  const checksum = agent.checksum ?? checksumOf(compileManifest(agent));
  const verdicts = await judge(deps, slug, agent, checksum);
  return {
    checksum,
    // What was deployed is deployed again without the gate, until it is changed.
    accepted: agent.spec !== null || verdicts.every(({ reasons }) => reasons.length === 0),
    requires: verdicts.map(({ required, reasons, run }) => ({ ...required, reasons, run: run ?? null })),
  };
}

/** Throws `invalid_request` for an eval that is named twice. */
function requirementsOf({ requires }: ReleaseRules): Requirement[] {
  const names = requires.map((required) => required.eval);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1) {
    const problem = { path: `requires[${twice}].eval`, message: `names ${names[twice]} a second time` };
    throw new AppError("invalid", "invalid_request", `${problem.path} ${problem.message}.`, {
      details: { problems: [problem] },
    });
  }
  return requires.map(({ eval: name, min_score = 1, no_regressions = false }) => ({
    eval: name,
    min_score,
    no_regressions,
  }));
}

function releaseRefused(name: string, reasons: readonly string[]): AppError {
  const message = `The release gate of ${name} refuses this version: ${reasons.join("; ")}.`;
  return new AppError("unprocessable", "release_refused", message, {
    details: {
      problems: reasons.map((reason) => ({ path: "release", message: reason })),
      hint: "Run the named evals, then deploy again. An owner or admin may deploy it all the same with `release_override` and a reason.",
    },
  });
}

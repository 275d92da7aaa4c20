import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { Requirement } from "../../../evals/gate/judge-requirement.ts";
import type { GateVerdict } from "../../../evals/hosted/judge-versions.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
import { checksumOf } from "../../../kit/json/canonical-json.ts";
import type { Query } from "../../../storage/storage.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { requireRight } from "../auth/tenant-role.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import type { AgentDeps } from "./deps.ts";
import type { SentSpec } from "./read-spec.ts";
import { isSameGate, nextGate, type StandingGate } from "./standing-gate.ts";

/** A version that is about to be published. */
export interface NewVersion {
  tenantId: string;
  name: string;
  checksum: string;
  /** Requirements in its manifest. */
  requires: readonly Requirement[];
  /** Gate of its name. */
  standing: StandingGate;
}

/** Judges a version by the runs of evals; it never asks a model. */
export type JudgeRelease = (tx: Query, tables: PlatformTables, version: NewVersion) => Promise<GateVerdict>;

/** Dependencies of routes that publish versions. */
export interface PublishDeps extends AgentDeps {
  judgeRelease: JudgeRelease;
}

interface Release {
  standing: StandingGate;
  /** Reason to publish in spite of a refusal. */
  override: string | undefined;
}

const refusedCode = "release_refused";

/**
 * Requires that a version has passed the evals of its name's gate and of `spec.release`, and returns the gate of the name from now on. Throws
 * `release_refused` with the reasons; with `override`, they are audited instead, if the person is an admin or owner. A version that passes is
 * audited with the runs that count, and so is a change of the gate.
 */
export async function requireReleased(
  { storage, clock, newId, judgeRelease }: PublishDeps,
  tx: Query,
  { tenantId, author, role }: TenantActor,
  { name, spec, manifest, place }: SentSpec,
  { standing, override }: Release,
): Promise<Requirement[] | null> {
  // Those whom the gate binds must not take it away.
  if (override !== undefined && role !== undefined) requireRight(role, "releaseOverride");
  const requires = manifest.spec.release?.requires ?? [];
  const checksum = checksumOf(spec);
  const next = nextGate(role, name, standing, requires);
  const isChanged = !isSameGate(next, standing.requires);
  const kept = next.length === 0 ? null : [...next];
  const { problems, runs } = await judgeRelease(tx, storage.tables, {
    tenantId,
    name,
    checksum,
    requires,
    standing,
  });
  if (problems.length > 0 && override === undefined) throw releaseRefused(name, problems.map(place));
  const isAccepted = problems.length === 0;
  const hasRuns = Object.keys(runs).length > 0;
  if (isAccepted && !hasRuns && !isChanged) return kept;
  const rules = isChanged ? { requires: next, required_before: standing.requires } : {};
  const detail = { agent: name, checksum, runs, ...rules };
  const entry = isAccepted
    ? { action: hasRuns ? "agent.release" : "agent.release_rules", detail }
    : {
        action: "agent.release_override",
        detail: { ...detail, reason: override, refused: problems.map(({ message }) => message) },
      };
  await writeAudit({ storage, newId }, tx, clock.now(), {
    actor: author,
    ownerId: tenantId,
    subject: name,
    ...entry,
  });
  return kept;
}

/** Audits a refusal, whose transaction stored nothing. */
export async function noteRefusal(
  { storage, clock, newId }: StoreDeps,
  { tenantId, author }: TenantActor,
  { name, spec }: SentSpec,
  thrown: unknown,
): Promise<void> {
  if (!(thrown instanceof AppError) || thrown.code !== refusedCode) return;
  const refused = (thrown.details.problems ?? []).map(({ message }) => message);
  const detail = { agent: name, checksum: checksumOf(spec), refused };
  await storage.transact((tx) =>
    writeAudit({ storage, newId }, tx, clock.now(), {
      actor: author,
      action: "agent.release_refused",
      ownerId: tenantId,
      subject: name,
      detail,
    }),
  );
}

function releaseRefused(name: string, problems: Problem[]): AppError {
  const reasons = problems.map(({ message }) => message).join("; ");
  const message = `The release gate of ${name} refuses this version: ${reasons}.`;
  return new AppError("unprocessable", refusedCode, message, {
    details: {
      problems,
      hint: "Run the named evals with this manifest as `spec`, then publish it again. `release_override` with a reason publishes it all the same.",
    },
  });
}

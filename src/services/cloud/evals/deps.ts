import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { EvalOwner, HostedEvalDeps } from "../../../evals/hosted/deps.ts";
import type { EvalWork } from "../../../evals/hosted/eval-work.ts";
import type { OwnerLife } from "../../../storage/owner-life.ts";
import type { OrgActor } from "../access/credentials.ts";
import type { CloudAgentDeps } from "../agents/deps.ts";
import { changeBy } from "../audit/change-by.ts";
import { orgOwners } from "../members/org-owner.ts";
import type { CloudRunDeps } from "../runs/deps.ts";

/** Dependencies of evals and their runs. */
export interface CloudEvalDeps extends CloudAgentDeps, CloudRunDeps {
  runtime: Pick<RuntimeClient, "run" | "cancel" | "register" | "unload" | "deregister" | "check" | "catalog">;
  evalWork: EvalWork;
  /** This process, as it keeps itself alive in the database. */
  owner: string;
  life: OwnerLife;
}

/** The cloud's part of what stored evals depend on. */
export const hosted = ({
  storage,
  clock,
  newId,
  log,
  sealer,
  owner,
  life,
}: CloudEvalDeps): HostedEvalDeps => ({
  service: "cloud",
  storage,
  clock,
  newId,
  log,
  sealer,
  process: owner,
  life,
  ownersOf: (ids) => orgOwners({ storage }, ids),
});

/** An org as the owner of evals. */
export const ownerOf = (actor: OrgActor): EvalOwner => ({
  ownerId: actor.org.id,
  author: changeBy(actor, "eval", "").actor,
});

import { isolated } from "../isolated.ts";

/** Texts of a tenant's evals, besides those of all stored evals. */
export const tenantEvalTexts = {
  lead: (tenant: string) =>
    `Tests that new versions of ${isolated(tenant)}'s agents can be required to pass.`,
  none: "An eval asks an agent questions and checks its answers. With spec.release.requires, an agent publishes only versions that pass.",
  deleteText: "Its runs are kept. Versions that require it can't be published without it.",
  numbered: (version: number) => `version ${version}`,
  candidate: (checksum: string) => `not published (${checksum.slice(0, 8)})`,
  credits: "Credits",
  runText:
    "Each question of a case is a run of the agent. It counts towards the tenant's limits and is charged.",
  manifest: "Manifest",
  manifestHint: "Asks this version, which is not published. Leave it empty to ask the current version.",
  budgetHint: "No further case starts once this many credits are charged. Leave it empty for no budget.",
  gateTitle: "The release gate refuses this version",
  gateText: "Run the evals that it requires with this manifest, then save again.",
  askGate: "Run its evals",
};

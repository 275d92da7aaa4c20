import type { ChangeAction } from "../../../contracts/translator/reconcile.ts";
import type { Coverage, SpecKind } from "../../../contracts/translator/translation.ts";
import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

/** Texts of the translator in the frame. */
export const translatorTexts = {
  title: "Translator",
  translate: "Translate",
  reference: "Reference",
  specs: "Manifests",
  accounts: "Accounts",
  coverage: "Coverage",
};

export const kindTexts: Readonly<Record<SpecKind, string>> = { Agent: "Agent", RAGPipeline: "RAG pipeline" };

export const coverageTexts: Readonly<Record<Coverage, string>> = {
  supported: "Supported",
  emulated: "Emulated",
  partial: "Partial",
  unsupported: "Unsupported",
};

/** Texts of the list of manifests, and of the editor of one. */
export const specTexts = {
  title: "Manifests",
  lead: "Manifests that become resources of a cloud. Each one can be planned, applied and checked for drift.",
  create: "New manifest",
  noneTitle: "Translate the first manifest",
  none: "Paste the manifest of an agent or a RAG pipeline. You see which cloud resources it becomes, and what is lost.",
  name: "Name",
  kind: "Kind",
  missing: "The manifest does not exist. It may have been deleted.",
  newTitle: "New manifest",
  editTitle: (name: string) => `Edit ${isolated(name)}`,
  editLead: "The translator checks it while you type. Nothing is stored or changed until you save.",
  manifest: "Manifest",
  save: "Save manifest",
  saved: (name: string) => `${isolated(name)} was saved.`,
  edit: "Edit",
  becomes: "What it becomes",
  waits: "Appears when the manifest is valid.",
  checking: "Checking…",
  valid: "Valid",
  invalid: "Has faults",
};

/** Texts of one manifest. */
export const specPageTexts = {
  account: "Account",
  view: "View",
  views: { resources: "Resources", plan: "Plan", drift: "Drift", manifest: "Manifest" },
  resources: "Resources",
  noResources: "The manifest becomes no resources.",
  graph: "Dependencies",
  graphHint: "An arrow leads from a resource to one that needs it.",
  outside: "another manifest",
  resource: "Resource",
  section: "From section",
  needs: "Needs",
  nothing: "–",
  config: "Config",
  show: "Show",
  showConfig: (name: string) => `Show the config of ${isolated(name)}`,
  configTitle: (name: string) => `Config of ${isolated(name)}`,
  gaps: "Gaps",
  noGaps: "Nothing is lost.",
  planTitle: (account: string) => `Changes in account ${isolated(account)}`,
  planNone: "Nothing to change: the account is like the manifest.",
  planCount: (created: number, updated: number, deleted: number) =>
    `${created} to create, ${updated} to change, ${deleted} to delete`,
  refresh: "Refresh",
  hash: "Plan hash",
  actions: { create: "Create", update: "Change", delete: "Delete" } satisfies Record<ChangeAction, string>,
  apply: "Apply",
  applyTitle: (account: string) => `Apply to ${isolated(account)}?`,
  applyText: (count: number) =>
    `Makes exactly these ${counted(count, "change")}, or nothing if the manifest or the account has changed since.`,
  applyDeletes: (count: number) => `${counted(count, "resource")} will be deleted. This cannot be undone.`,
  applying: "Applying",
  progress: (done: number, all: number) => `${done} of ${all} done`,
  applied: "Applied",
  applyFailed: "The apply ended early",
  steps: { waiting: "Waiting", begun: "Running", done: "Done", failed: "Failed", skipped: "Not tried" },
  keepsGoing: "It continues if you leave this page.",
  driftTitle: (account: string) => `Drift in account ${isolated(account)}`,
  noDrift: "No drift: the account is as it was last applied.",
  drifted: "The account differs from what was last applied. These changes would restore it.",
  destroy: "Destroy",
  destroyTitle: (name: string) => `Destroy ${isolated(name)}?`,
  destroyText:
    "Deletes its resources in all accounts, with what they hold, such as sessions and files, and then the manifest. This cannot be undone.",
  destroyAction: "Destroy resources and manifest",
  destroyed: (name: string, count: number) =>
    `${isolated(name)} was destroyed with ${counted(count, "resource")}.`,
};

/** Texts of accounts. */
export const accountTexts = {
  title: "Accounts",
  lead: "Accounts of runtime.yaml. The first of a provider is its default.",
  account: "Account",
  provider: "Provider",
  driver: "Driver",
  drivers: { embedded: "Embedded: calls no cloud", api: "The cloud's own API" } as Readonly<
    Record<string, string>
  >,
  held: (account: string) => `Resources of ${isolated(account)}`,
  heldOnlyEmbedded:
    "The translator lists the resources of embedded accounts. Look at a cloud's in its own console.",
  noneHeld: "The account has no resources. Apply a manifest to create some.",
  resource: "Resource",
  type: "Type",
  spec: "Manifest",
  updated: "Changed",
  choose: "Show",
  chooseOf: (account: string) => `Show the resources of ${isolated(account)}`,
};

/** Texts of the coverage matrix. */
export const coverageMatrixTexts = {
  title: "Coverage",
  lead: "What becomes of each section of a manifest.",
  provider: "Provider",
  section: "Section",
  coverage: "Coverage",
  resources: "Resources",
};

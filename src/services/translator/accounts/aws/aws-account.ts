import { withValueAt } from "../../../../declared/value-at-path.ts";
import { canonicalJson } from "../../../../kit/json/canonical-json.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import type { AccountResource, CloudAccount, OperationPort, ReadyResource } from "../account.ts";
import { type CloudPorts, notOurs, refusalError, unchangeable } from "../cloud-call.ts";
import { asSent } from "../held-config.ts";
import { configHash, markedName, marksFor, mergedLabels, unfinished, withoutMarks } from "../owner-marks.ts";
import { agentKind } from "./agent-kind.ts";
import { aliasKind } from "./alias-kind.ts";
import { AwsApi, type AwsSettings, cloud } from "./aws-api.ts";
import type { AwsHolding, AwsKind } from "./aws-kind.ts";
import { guardrailKind } from "./guardrail-kind.ts";
import { knowledgeBaseKind } from "./knowledge-base-kind.ts";
import { roleKind } from "./role-kind.ts";
import { vectorIndexKind } from "./vector-index-kind.ts";

/** The types that specs have; those inside others stand after them. */
const kindsBySpec: Readonly<Record<string, readonly AwsKind[]>> = {
  Agent: [roleKind, guardrailKind, agentKind, aliasKind],
  RAGPipeline: [roleKind, vectorIndexKind, knowledgeBaseKind],
};

/** An account of Amazon Web Services in one region, called through its APIs. */
export class AwsAccount implements CloudAccount {
  readonly provider = "aws";
  readonly driver = "api";
  readonly name: string;
  readonly #api: AwsApi;

  constructor(name: string, settings: AwsSettings, ports: CloudPorts) {
    this.name = name;
    this.#api = new AwsApi(settings, ports);
  }

  /** Reads a listing. Throws the cloud's refusal. */
  async check(signal: AbortSignal): Promise<void> {
    await guardrailKind.list(this.#api, [], signal);
  }

  async observe(
    spec: string,
    sent: readonly ReadyResource[],
    signal: AbortSignal,
  ): Promise<AccountResource[]> {
    const resources: AccountResource[] = [];
    for (const kind of kindsBySpec[spec.slice(0, spec.indexOf("/"))] ?? [])
      for (const { name, holding } of await this.#ownedBy(kind, spec, resources, signal))
        resources.push(heldResource(kind, holding, name, sent));
    return resources;
  }

  async create(
    spec: string,
    resource: ReadyResource,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<string> {
    const kind = kindOf(resource.resource_type);
    const { agentId } = resource.config;
    const inside =
      kind === aliasKind
        ? [{ id: String(agentId), resource_type: "bedrock.agent", name: "", config: {} }]
        : [];
    const owned = await this.#ownedBy(kind, spec, inside, signal);
    const there = owned.find(({ name }) => name === resource.name);
    if (there !== undefined) {
      const isSent = there.holding.tags["config-sha256"] === configHash(resource.config);
      if (!isSent) await this.#change(kind, spec, there.holding, resource, undefined, operation, signal);
      return there.holding.id;
    }
    const work = { api: this.#api, name: resource.name, operation, signal };
    const { tags, ...config } = resource.config;
    return kind.create(work, config, mergedLabels(undefined, undefined, tags, marksFor(spec, resource)));
  }

  async update(
    spec: string,
    id: string,
    resource: ReadyResource,
    operation: OperationPort,
    signal: AbortSignal,
    before?: JsonObject,
  ): Promise<void> {
    const kind = kindOf(resource.resource_type);
    const current = await kind.read(this.#api, id, signal);
    if (current === undefined) {
      const message = `${id} is gone. Reconcile again.`;
      throw refusalError({ cloud, action: `change ${resource.name}`, status: 404, code: "", message });
    }
    await this.#change(kind, spec, current, resource, before, operation, signal);
  }

  async delete(
    spec: string,
    { id, resource_type, name }: Pick<AccountResource, "id" | "resource_type" | "name">,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<void> {
    const kind = kindOf(resource_type);
    const current = await kind.read(this.#api, id, signal);
    if (current === undefined) return;
    if (markedName(current.tags, spec) === undefined) throw notOurs(cloud, id, spec);
    await kind.delete({ api: this.#api, name, operation, signal }, id);
  }

  async #ownedBy(
    kind: AwsKind,
    spec: string,
    resources: readonly AccountResource[],
    signal: AbortSignal,
  ): Promise<{ name: string; holding: AwsHolding }[]> {
    const owned: { name: string; holding: AwsHolding }[] = [];
    for (const id of await kind.list(this.#api, resources, signal)) {
      const holding = await kind.read(this.#api, id, signal);
      const name = holding && markedName(holding.tags, spec);
      if (holding !== undefined && name !== undefined) owned.push({ name, holding });
    }
    return owned;
  }

  async #change(
    kind: AwsKind,
    spec: string,
    current: AwsHolding,
    resource: ReadyResource,
    before: JsonObject | undefined,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<void> {
    if (markedName(current.tags, spec) === undefined) throw notOurs(cloud, current.id, spec);
    const { tags: wanted, ...config } = resource.config;
    const changed = kind.fixed.filter(
      (field) => canonicalJson(asSent(current.config[field], config[field])) !== canonicalJson(config[field]),
    );
    if (changed.length > 0) throw unchangeable(resource.name, changed);
    const tags = mergedLabels(current.tags, before?.tags, wanted, marksFor(spec, resource));
    const unwanted = Object.keys(current.tags).filter((key) => !Object.hasOwn(tags, key));
    const work = { api: this.#api, name: resource.name, operation, signal };
    await kind.update(work, current.id, { config, tags: withoutSystemTags(tags), unwanted });
  }
}

/** Tags that begin with `aws:` are the cloud's own, and can't be set. */
const withoutSystemTags = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).filter(([key]) => !key.startsWith("aws:")));

function heldResource(
  { resource_type }: AwsKind,
  { id, tags, config }: AwsHolding,
  name: string,
  sent: readonly ReadyResource[],
): AccountResource {
  // Every field of it is to be sent again.
  if (tags["config-sha256"] === unfinished) return { id, resource_type, name, config: {} };
  const last = sent.find((one) => one.resource_type === resource_type && one.name === name);
  const labelled = withValueAt(config, "tags", withoutMarks(tags));
  if (last === undefined) return { id, resource_type, name, config: labelled };
  return { id, resource_type, name, config: asSent(labelled, last.config) as JsonObject };
}

function kindOf(resourceType: string): AwsKind {
  const kind = Object.values(kindsBySpec)
    .flat()
    .find(({ resource_type }) => resource_type === resourceType);
  if (kind !== undefined) return kind;
  throw new Error(`Amazon Web Services has no resources of type ${resourceType}`);
}

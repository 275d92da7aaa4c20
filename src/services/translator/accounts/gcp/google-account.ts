import { toAppError } from "../../../../kit/app-error.ts";
import { canonicalJson, checksumOf } from "../../../../kit/json/canonical-json.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import type { AccountResource, CloudAccount, OperationPort, ReadyResource } from "../account.ts";
import { type CloudPorts, notOurs, refusalError, unchangeable } from "../cloud-call.ts";
import { asSent } from "../held-config.ts";
import { configHash, markedName } from "../owner-marks.ts";
import { cloud, GoogleApi, type GoogleApiSettings } from "./google-api.ts";
import { type GoogleKind, googleKinds } from "./google-kinds.ts";
import { bodyOf, heldConfig, heldResource, marksOf } from "./wire-resource.ts";

/** An account of Google Cloud: one project and location, called through its REST APIs. */
export class GoogleAccount implements CloudAccount {
  readonly provider = "gcp";
  readonly driver = "api";
  readonly name: string;
  readonly #api: GoogleApi;

  constructor(name: string, settings: GoogleApiSettings, ports: CloudPorts) {
    this.name = name;
    this.#api = new GoogleApi(settings, ports);
  }

  /** Signs in and reads a listing. Throws the cloud's refusal. */
  async check(signal: AbortSignal): Promise<void> {
    await this.#api.list("aiplatform", "ragCorpora", signal);
  }

  async observe(
    spec: string,
    sent: readonly ReadyResource[],
    signal: AbortSignal,
  ): Promise<AccountResource[]> {
    const resources: AccountResource[] = [];
    for (const kind of kindsOf(spec))
      for (const { name, wire } of await this.#ownedBy(kind, spec, signal))
        resources.push(heldResource(kind, wire, name, this.#api.parent, sent));
    return resources;
  }

  async create(
    spec: string,
    resource: ReadyResource,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<string> {
    const kind = kindOf(resource.resource_type);
    await this.#endBegun(kind, operation, signal);
    const owned = await this.#ownedBy(kind, spec, signal);
    const there = owned.find(({ name }) => name === resource.name);
    if (there !== undefined) {
      const isSent = marksOf(kind, there.wire)["config-sha256"] === configHash(resource.config);
      if (!isSent) await this.#change(kind, spec, there.wire, resource, undefined, operation, signal);
      return String(there.wire.name);
    }
    const { service, collection, idParameter } = kind;
    const action = `create ${resource.name}`;
    const made = await this.#api.call({
      service,
      method: "POST",
      path: `${this.#api.parent}/${collection}`,
      ...(idParameter !== undefined && { query: { [idParameter]: resourceId(resource.name) } }),
      body: bodyOf(kind, { spec, parent: this.#api.parent, resource }),
      action,
      signal,
    });
    const response = await this.#ended(kind, made, action, operation, signal);
    if (typeof response?.name === "string") return response.name;
    const ownResource = (await this.#ownedBy(kind, spec, signal)).find(({ name }) => name === resource.name);
    if (ownResource !== undefined) return String(ownResource.wire.name);
    const message = "The operation ended, but the resource isn't there.";
    throw refusalError({ cloud, action, status: 500, code: "", message });
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
    await this.#endBegun(kind, operation, signal);
    const action = `change ${resource.name}`;
    const current = await this.#read(kind, id, action, signal);
    if (current === undefined)
      throw refusalError({
        cloud,
        action,
        status: 404,
        code: "NOT_FOUND",
        message: `${id} is gone. Reconcile again.`,
      });
    await this.#change(kind, spec, current, resource, before, operation, signal);
  }

  async delete(
    spec: string,
    { id, resource_type, name }: Pick<AccountResource, "id" | "resource_type" | "name">,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<void> {
    const kind = kindOf(resource_type);
    await this.#endBegun(kind, operation, signal);
    const action = `delete ${name}`;
    const current = await this.#read(kind, id, action, signal);
    if (current === undefined) return;
    this.#requireOwned(kind, spec, current);
    const query = kind.deletesInside ? { query: { force: "true" } } : {};
    const begun = await this.#api.call({
      service: kind.service,
      method: "DELETE",
      path: id,
      ...query,
      action,
      signal,
    });
    if (begun !== undefined) await this.#ended(kind, begun, action, operation, signal);
  }

  async #ownedBy(
    kind: GoogleKind,
    spec: string,
    signal: AbortSignal,
  ): Promise<{ name: string; wire: JsonObject }[]> {
    const all = await this.#api.list(kind.service, kind.collection, signal);
    return all.flatMap((wire) => {
      const name = markedName(marksOf(kind, wire), spec);
      return name === undefined ? [] : [{ name, wire }];
    });
  }

  #read(
    { service }: GoogleKind,
    id: string,
    action: string,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    return this.#api.call({ service, method: "GET", path: id, action, signal });
  }

  #requireOwned(kind: GoogleKind, spec: string, wire: JsonObject): void {
    if (markedName(marksOf(kind, wire), spec) === undefined) throw notOurs(cloud, String(wire.name), spec);
  }

  async #change(
    kind: GoogleKind,
    spec: string,
    current: JsonObject,
    resource: ReadyResource,
    before: JsonObject | undefined,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<void> {
    this.#requireOwned(kind, spec, current);
    const { parent } = this.#api;
    const currentConfig = heldConfig(kind, current, parent, undefined);
    const changed = kind.fixed.filter(
      (field) =>
        canonicalJson(asSent(currentConfig[field], resource.config[field])) !==
        canonicalJson(resource.config[field]),
    );
    if (changed.length > 0) throw unchangeable(resource.name, changed);
    const action = `change ${resource.name}`;
    const body = bodyOf(kind, { spec, parent, resource, current, before });
    // A field of the mask that the body doesn't have is cleared.
    const mask = kind.fields.filter((field) => !kind.fixed.includes(field)).join(",");
    const begun = await this.#api.call({
      service: kind.service,
      method: "PATCH",
      path: String(current.name),
      ...(kind.hasMask && { query: { updateMask: mask } }),
      body,
      action,
      signal,
    });
    await this.#ended(kind, begun, action, operation, signal);
  }

  /** Returns what a call made: at once, or when its operation has ended. */
  async #ended(
    { isLong, service }: GoogleKind,
    answer: JsonObject | undefined,
    action: string,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<JsonObject | undefined> {
    if (!isLong || answer === undefined || typeof answer.name !== "string") return answer;
    await operation.began(answer.name);
    return this.#api.wait(service, answer.name, action, signal);
  }

  /** Waits for the operation that an earlier attempt began. Its error is not a failure of this attempt, which looks at what is there now. */
  async #endBegun(kind: GoogleKind, { begun }: OperationPort, signal: AbortSignal): Promise<void> {
    if (begun === undefined) return;
    try {
      await this.#api.wait(kind.service, begun, "end an earlier operation", signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (toAppError(thrown).kind === "upstream_timed_out") throw thrown;
    }
  }
}

/** The types that a spec of a kind can have. */
const kindsOf = (spec: string): readonly GoogleKind[] =>
  googleKinds.filter(
    ({ resource_type }) => (resource_type === "vertex.rag_corpus") === spec.startsWith("RAGPipeline/"),
  );

function kindOf(resourceType: string): GoogleKind {
  const kind = googleKinds.find(({ resource_type }) => resource_type === resourceType);
  if (kind !== undefined) return kind;
  throw new Error(`Google Cloud has no resources of type ${resourceType}`);
}

const idMax = 63;

/** The id of a resource whose ids the caller chooses: its name, or if that is too long its beginning with a hash. */
const resourceId = (name: string): string =>
  name.length <= idMax ? name : `${name.slice(0, idMax - 13)}-${checksumOf(name).slice(0, 12)}`;

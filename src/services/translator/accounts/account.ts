import type { CloudResource } from "../../../contracts/translator/translation.ts";
import type { JsonObject } from "../mapping/section-table.ts";

/** A resource that an account holds for a spec. */
export interface AccountResource {
  /** The id at the cloud, which bindings are replaced by. */
  id: string;
  resource_type: string;
  name: string;
  /** The account's values of the keys that were sent; drivers leave out values that the cloud added. */
  config: JsonObject;
}

/** A resource to be created or changed; its config has ids in place of references and no `bindings`. */
export type ReadyResource = Pick<CloudResource, "resource_type" | "name"> & { config: JsonObject };

/** Long work at the cloud: a driver tells the operation's name before it waits for it, so that another process can wait in its place. */
export interface OperationPort {
  /** The operation that an earlier attempt began for the same resource. */
  begun?: string | undefined;
  began(operation: string): Promise<void>;
}

/**
 * One account of a cloud. It sees and touches only resources labelled `managed-by=argosy` for the given spec, `<kind>/<name>`. Every
 * failure is an AppError: `upstream_failed` for the cloud's refusals, `upstream_timed_out`, or `rate_limited` for its quotas.
 */
export interface CloudAccount {
  readonly name: string;
  readonly provider: string;
  readonly driver: string;
  /** Calls the cloud, to see whether the account can be used. Absent: there is nothing to call. */
  check?(signal: AbortSignal): Promise<void>;
  /** Returns the resources that the account holds for the spec. `sent` are the configs that were last applied. */
  observe(spec: string, sent: readonly ReadyResource[], signal: AbortSignal): Promise<AccountResource[]>;
  /** Creates a resource and returns its id. If the resource is there already, from an attempt that broke off, it is changed instead. */
  create(
    spec: string,
    resource: ReadyResource,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<string>;
  /** `before` is what the account had for the keys that were sent last. */
  update(
    spec: string,
    id: string,
    resource: ReadyResource,
    operation: OperationPort,
    signal: AbortSignal,
    before?: JsonObject,
  ): Promise<void>;
  /** Deletes a resource; one that is gone already is not a failure. */
  delete(
    spec: string,
    held: Pick<AccountResource, "id" | "resource_type" | "name">,
    operation: OperationPort,
    signal: AbortSignal,
  ): Promise<void>;
}

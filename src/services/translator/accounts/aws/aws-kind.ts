import type { JsonObject } from "../../mapping/section-table.ts";
import type { AccountResource, OperationPort } from "../account.ts";
import type { Marks } from "../owner-marks.ts";
import type { AwsApi } from "./aws-api.ts";

/** A resource as the account holds it. */
export interface AwsHolding {
  id: string;
  tags: Marks;
  /** In the form of the body that creates it, without tags. */
  config: JsonObject;
}

/** Context of a call besides its resource. */
export interface AwsWork {
  api: AwsApi;
  /** The resource's name in the spec, for errors. */
  name: string;
  operation: OperationPort;
  signal: AbortSignal;
}

/** A type of resource at Amazon Web Services. */
export interface AwsKind {
  resource_type: string;
  /** Fields of the config that can't be changed after creation. */
  fixed: readonly string[];
  /** Returns the ids of all resources of the type; those inside others only for the `held` ones. */
  list(api: AwsApi, held: readonly AccountResource[], signal: AbortSignal): Promise<string[]>;
  /** Undefined: it is gone, or about to be. */
  read(api: AwsApi, id: string, signal: AbortSignal): Promise<AwsHolding | undefined>;
  /** Creates the resource with its tags, waits until it can be used, and returns its id. */
  create(work: AwsWork, config: JsonObject, tags: Marks): Promise<string>;
  /** Changes the resource and its tags, and waits until it can be used. `unwanted` tags are removed. */
  update(
    work: AwsWork,
    id: string,
    change: { config: JsonObject; tags: Marks; unwanted: readonly string[] },
  ): Promise<void>;
  /** Deletes the resource and waits until it is gone. */
  delete(work: AwsWork, id: string): Promise<void>;
}

/** Returns the elements of a mapping whose keys are listed. */
export const pick = (mapping: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(keys.flatMap((key) => (mapping[key] === undefined ? [] : [[key, mapping[key]]])));

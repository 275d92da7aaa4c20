import { and, asc, eq, inArray } from "drizzle-orm";
import type { ChangeAction } from "../../../../contracts/translator/reconcile.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { Query, Storage } from "../../../../storage/storage.ts";
import type { AccountResource, CloudAccount, ReadyResource } from "../account.ts";
import type { LocalAccountTables } from "./schema.ts";

export interface LocalAccountPorts {
  storage: Storage<LocalAccountTables>;
  clock: Clock;
  newId: NewId;
}

/** An account inside this installation. It holds resources for real: with ids, references between them, and failures on demand. */
export class LocalAccount implements CloudAccount {
  readonly driver = "embedded";
  readonly name: string;
  readonly provider: string;
  readonly #ports: LocalAccountPorts;

  constructor(name: string, provider: string, ports: LocalAccountPorts) {
    this.name = name;
    this.provider = provider;
    this.#ports = ports;
  }

  async observe(spec: string): Promise<AccountResource[]> {
    const { read, tables } = this.#ports.storage;
    const { localResources } = tables;
    const rows = await read
      .select()
      .from(localResources)
      .where(and(eq(localResources.account, this.name), eq(localResources.spec, spec)))
      .orderBy(asc(localResources.createdAt), asc(localResources.id));
    return rows.map(({ id, resourceType, name, config }) => ({
      id,
      resource_type: resourceType,
      name,
      config,
    }));
  }

  async create(spec: string, { resource_type, name, config }: ReadyResource): Promise<string> {
    const { storage, clock, newId } = this.#ports;
    const { localResources } = storage.tables;
    await this.#failIfTold("create", resource_type);
    const now = clock.now();
    const row = {
      account: this.name,
      id: `${resource_type}/${newId()}`,
      spec,
      resourceType: resource_type,
      name,
    };
    return storage.transact(async (tx) => {
      const [stored] = await tx
        .insert(localResources)
        .values({ ...row, config, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({
          target: [
            localResources.account,
            localResources.spec,
            localResources.resourceType,
            localResources.name,
          ],
          set: { config, updatedAt: now },
        })
        .returning({ id: localResources.id });
      return stored?.id ?? row.id;
    });
  }

  async update(_spec: string, id: string, { resource_type, config }: ReadyResource): Promise<void> {
    const { storage, clock } = this.#ports;
    const { localResources } = storage.tables;
    await this.#failIfTold("update", resource_type);
    const changed = await storage.transact((tx) =>
      tx
        .update(localResources)
        .set({ config, updatedAt: clock.now() })
        .where(and(eq(localResources.account, this.name), eq(localResources.id, id)))
        .returning({ id: localResources.id }),
    );
    if (changed.length > 0) return;
    throw new AppError("upstream_failed", "resource_gone", `The account has no resource ${id} any more.`, {
      details: { hint: "Reconcile again: what is missing is created." },
    });
  }

  async delete(_spec: string, { id, resource_type }: AccountResource): Promise<void> {
    const { storage } = this.#ports;
    const { localResources } = storage.tables;
    await this.#failIfTold("delete", resource_type);
    await storage.transact((tx) =>
      tx.delete(localResources).where(and(eq(localResources.account, this.name), eq(localResources.id, id))),
    );
  }

  /** Throws the failure that the account was told to have, and counts it down. */
  async #failIfTold(action: ChangeAction, resourceType: string): Promise<void> {
    const message = await this.#ports.storage.transact((tx) => this.#takeFailure(tx, action, resourceType));
    if (message !== undefined) throw new AppError("upstream_failed", "account_failed", message);
  }

  async #takeFailure(tx: Query, action: ChangeAction, resourceType: string): Promise<string | undefined> {
    const { localFailures } = this.#ports.storage.tables;
    const isTold = and(
      eq(localFailures.account, this.name),
      eq(localFailures.action, action),
      inArray(localFailures.resourceType, [resourceType, ""]),
    );
    const [failure] = await tx.select().from(localFailures).where(isTold).limit(1);
    if (failure === undefined) return undefined;
    const isThis = and(
      eq(localFailures.account, failure.account),
      eq(localFailures.action, failure.action),
      eq(localFailures.resourceType, failure.resourceType),
    );
    if (failure.remaining > 1)
      await tx
        .update(localFailures)
        .set({ remaining: failure.remaining - 1 })
        .where(isThis);
    else await tx.delete(localFailures).where(isThis);
    return failure.message;
  }
}

import { and, eq } from "drizzle-orm";
import type { SpecReference } from "../../../contracts/translator/translation.ts";
import type { OperationPort } from "../accounts/account.ts";
import type { ReconcileStorage } from "./applied-store.ts";

export interface OperationKey extends SpecReference {
  account: string;
  resource_type: string;
  resource: string;
}

/** Runs work that may begin an operation at the cloud. What it begins is stored before it is waited for, and forgotten when the work ends. */
export async function withOperation<Result>(
  storage: ReconcileStorage,
  key: OperationKey,
  startedAt: () => Date,
  work: (operation: OperationPort) => Promise<Result>,
): Promise<Result> {
  const { operations } = storage.tables;
  const { account, kind, name, resource_type: resourceType, resource: resourceName } = key;
  const row = { account, kind, name, resourceType, resourceName };
  const isThis = and(
    eq(operations.account, account),
    eq(operations.kind, kind),
    eq(operations.name, name),
    eq(operations.resourceType, resourceType),
    eq(operations.resourceName, resourceName),
  );
  const [known] = await storage.read.select().from(operations).where(isThis);
  let isStored = known !== undefined;
  const result = await work({
    begun: known?.operation,
    async began(operation) {
      isStored = true;
      await storage.transact((tx) =>
        tx
          .insert(operations)
          .values({ ...row, operation, startedAt: startedAt() })
          .onConflictDoUpdate({
            target: [
              operations.account,
              operations.kind,
              operations.name,
              operations.resourceType,
              operations.resourceName,
            ],
            set: { operation, startedAt: startedAt() },
          }),
      );
    },
  });
  if (isStored) await storage.transact((tx) => tx.delete(operations).where(isThis));
  return result;
}

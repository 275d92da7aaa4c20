import { and, asc, eq, gt, or } from "drizzle-orm";
import type {
  AccountFailure,
  HeldResource,
  HeldResourceList,
} from "../../../../contracts/translator/reconcile.ts";
import { decodeCursor, encodeCursor, refuseCursor } from "../../../../http/page-cursor.ts";
import { AppError } from "../../../../kit/app-error.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import type { JsonObject } from "../../mapping/section-table.ts";
import type { LocalAccountPorts } from "./local-account.ts";

/** Lists what an embedded account holds, by manifest, type and name. */
export async function listHeld(
  { storage }: LocalAccountPorts,
  account: string,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<HeldResourceList> {
  const { localResources: held } = storage.tables;
  const last = cursor === undefined ? undefined : readPlace(cursor);
  const isLater =
    last &&
    or(
      gt(held.spec, last.spec),
      and(eq(held.spec, last.spec), gt(held.resourceType, last.type)),
      and(eq(held.spec, last.spec), eq(held.resourceType, last.type), gt(held.name, last.name)),
    );
  const rows = await storage.read
    .select()
    .from(held)
    .where(and(eq(held.account, account), isLater))
    .orderBy(asc(held.spec), asc(held.resourceType), asc(held.name))
    .limit(limit + 1);
  const page = rows.slice(0, limit).map(presentHeld);
  const end = rows.length > limit ? page.at(-1) : undefined;
  const next = end && { next_cursor: encodeCursor([end.spec, end.resource_type, end.name]) };
  return { resources: page, ...next };
}

/** The last resource of the previous page. A database may refuse other characters. */
function readPlace(cursor: string): { spec: string; type: string; name: string } {
  const place = decodeCursor(cursor);
  const isText = (part: unknown): part is string =>
    typeof part === "string" && part.isWellFormed() && !part.includes("\0");
  const [spec, type, name] = place.filter(isText);
  if (place.length !== 3 || spec === undefined || type === undefined || name === undefined)
    throw refuseCursor();
  return { spec, type, name };
}

interface LocalRow {
  id: string;
  spec: string;
  resourceType: string;
  name: string;
  config: JsonObject;
  updatedAt: Date;
}

const presentHeld = ({ id, spec, resourceType, name, config, updatedAt }: LocalRow): HeldResource => ({
  id,
  spec,
  resource_type: resourceType,
  name,
  config,
  updated_at: updatedAt.toISOString(),
});

/** Changes a resource of an embedded account by hand, as a person would in a cloud's console. Throws `resource_not_found` (404). */
export async function editHeld(
  { storage, clock }: LocalAccountPorts,
  account: string,
  id: string,
  set: Readonly<Record<string, unknown>>,
): Promise<HeldResource> {
  const { localResources } = storage.tables;
  const isThis = and(eq(localResources.account, account), eq(localResources.id, id));
  return storage.transact(async (tx) => {
    const [row] = await tx.select().from(localResources).where(isThis);
    if (row === undefined)
      throw new AppError("not_found", "resource_not_found", `Account ${account} holds no resource ${id}.`);
    const config = structuredClone(row.config);
    for (const [path, value] of Object.entries(set)) setAt(config, path.split("."), value);
    const updatedAt = clock.now();
    await tx.update(localResources).set({ config, updatedAt }).where(isThis);
    return presentHeld({ ...row, config, updatedAt });
  });
}

/** Sets a value in a config; null removes it. Throws `invalid_request` (400) for a path through a value that is not a mapping. */
function setAt(config: JsonObject, [key = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (value === null) delete config[key];
    else define(config, key, value);
    return;
  }
  const inner = Object.hasOwn(config, key) ? config[key] : define(config, key, {});
  if (!isRecord(inner))
    throw new AppError("invalid", "invalid_request", `${key} is not a mapping, so nothing in it can be set.`);
  setAt(inner as JsonObject, rest, value);
}

/** Sets an own property, whatever its name. */
function define(config: JsonObject, key: string, value: unknown): unknown {
  Object.defineProperty(config, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
}

/** Makes the next calls of an embedded account fail. */
export async function failNext(
  { storage }: LocalAccountPorts,
  account: string,
  {
    action,
    resource_type: resourceType = "",
    times = 1,
    message = "The account was told to fail here.",
  }: AccountFailure,
): Promise<void> {
  const { localFailures } = storage.tables;
  await storage.transact((tx) =>
    tx
      .insert(localFailures)
      .values({ account, action, resourceType, message, remaining: times })
      .onConflictDoUpdate({
        target: [localFailures.account, localFailures.action, localFailures.resourceType],
        set: { message, remaining: times },
      }),
  );
}

import { and, desc, eq, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import { boundRow, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";

export type Identity = GatewayTables["identities"]["$inferSelect"];

/** Records a phone number that the channel itself verified, never one that a user only wrote. */
export async function noteIdentity(tx: Query, tables: GatewayTables, identity: Identity): Promise<void> {
  await identityUpsert(tx, tables).execute({ ...identity });
}

const identityUpsert = statement((tx: Query, { identities }: GatewayTables) =>
  tx
    .insert(identities)
    .values(boundRow(identities))
    .onConflictDoUpdate({
      target: [identities.tenantId, identities.channel, identities.phone, identities.externalUser],
      set: { verifiedAt: sql`excluded.verified_at` },
    })
    .prepare("note_identity"),
);

/** Returns the one address that verified a phone number, or null. Throws 409 if several did. */
export async function resolveIdentity(
  { read, tables: { identities } }: GatewayStorage,
  { tenantId, channel, phone }: { tenantId: string; channel: ChannelName; phone: string },
): Promise<string | null> {
  const rows = await read
    .select({ externalUser: identities.externalUser })
    .from(identities)
    .where(
      and(eq(identities.tenantId, tenantId), eq(identities.channel, channel), eq(identities.phone, phone)),
    )
    .limit(2);
  if (rows.length > 1) {
    throw new AppError("conflict", "identity_ambiguous", "More than one address verified this phone number.");
  }
  return rows[0]?.externalUser ?? null;
}

/** Returns the phone number that a user's address verified last. */
export async function findVerifiedPhone(
  query: ReadQuery,
  { identities }: GatewayTables,
  { tenantId, channel, externalUser }: Pick<Identity, "tenantId" | "channel" | "externalUser">,
): Promise<string | undefined> {
  const [row] = await query
    .select({ phone: identities.phone })
    .from(identities)
    .where(
      and(
        eq(identities.tenantId, tenantId),
        eq(identities.channel, channel),
        eq(identities.externalUser, externalUser),
      ),
    )
    .orderBy(desc(identities.verifiedAt))
    .limit(1);
  return row?.phone;
}

/** Forgets the numbers of an address that has moved: they are no longer verified. */
export async function dropIdentities(
  tx: Query,
  { identities }: GatewayTables,
  { tenantId, channel, externalUser }: Pick<Identity, "tenantId" | "channel" | "externalUser">,
): Promise<void> {
  await tx
    .delete(identities)
    .where(
      and(
        eq(identities.tenantId, tenantId),
        eq(identities.channel, channel),
        eq(identities.externalUser, externalUser),
      ),
    )
    .returning({ phone: identities.phone });
}

import { outboxTables } from "../../channels/outbox/schema.ts";
import type { GatewayArea } from "../../contracts/gateway/stored.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import { countBytes, storedBytesTables } from "../../storage/tables/counted-bytes.ts";
import { tallyRows } from "../../storage/tables/tallied-rows.ts";
import { accountTables } from "./accounts/schema.ts";
import { bindingTables } from "./bindings/schema.ts";
import { contactTables } from "./contacts/schema.ts";
import { conversationTables } from "./conversations/schema.ts";
import { deskTables } from "./desk/schema.ts";
import { identityTables } from "./identities/schema.ts";
import { inboundTables } from "./inbound/schema.ts";
import { mediaTables } from "./media/schema.ts";
import { reactionTables } from "./reactions/schema.ts";
import { reportTables } from "./reports/schema.ts";
import { roomTables } from "./room/schema.ts";
import { messageTally, outboxTally, statsTables } from "./stats/schema.ts";
import { trailTables } from "./trail/schema.ts";
import { webchatTables } from "./webchat/schema.ts";

/** Tables of the gateway. What it keeps for a tenant counts by tenant. */
export const tables = (columns: Columns) => {
  const all = allTables(columns);
  const counts: Record<GatewayArea, readonly object[]> = {
    messages: [
      all.contacts,
      all.contactAddresses,
      all.mergedIds,
      all.groupSpeakers,
      all.forgettings,
      all.forgottenSessions,
      all.conversations,
      all.conversationMessages,
      all.desk,
      all.deskEntries,
      all.deskSeen,
      all.messageAuthors,
      all.cannedReplies,
      all.messageWords,
      all.measured,
      all.tallies,
      all.webchatThreads,
      all.webchatMessages,
      all.mediaFiles,
      all.mediaChunks,
    ],
    deliveries: [all.inbound],
    outbox: [all.outbox],
    message_trail: [all.trail, all.reactions],
    channels: [all.accounts, all.bindings, all.identities, all.webchatSites],
  };
  for (const [area, counted] of Object.entries(counts))
    for (const table of counted) countBytes(table, { owner: "tenant_id", area });
  tallyRows(all.outbox, outboxTally);
  tallyRows(all.conversationMessages, messageTally);
  return all;
};

const allTables = (columns: Columns) => ({
  ...accountTables(columns),
  ...bindingTables(columns),
  ...contactTables(columns),
  ...conversationTables(columns),
  ...deskTables(columns),
  ...identityTables(columns),
  ...inboundTables(columns),
  ...mediaTables(columns),
  ...outboxTables(columns, "outbox"),
  ...reactionTables(columns),
  ...trailTables(columns),
  ...webchatTables(columns),
  ...reportTables(columns),
  ...statsTables(columns),
  ...roomTables(columns),
  ...storedBytesTables(columns),
});

export type GatewayTables = ReturnType<typeof tables>;
export type GatewayStorage = Storage<GatewayTables>;

/** Dependencies of code that reads and writes these tables. */
export interface GatewayStoreDeps {
  storage: GatewayStorage;
  clock: Clock;
  newId: NewId;
}

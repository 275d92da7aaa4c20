import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import { accountTables } from "./accounts/schema.ts";
import { bindingTables } from "./bindings/schema.ts";
import { conversationTables } from "./conversations/schema.ts";
import { identityTables } from "./identities/schema.ts";
import { inboundTables } from "./inbound/schema.ts";
import { outboxTables } from "./outbox/schema.ts";
import { reactionTables } from "./reactions/schema.ts";
import { trailTables } from "./trail/schema.ts";
import { webchatTables } from "./webchat/schema.ts";

/** Tables of the gateway. */
export const tables = (columns: Columns) => ({
  ...accountTables(columns),
  ...bindingTables(columns),
  ...conversationTables(columns),
  ...identityTables(columns),
  ...inboundTables(columns),
  ...outboxTables(columns),
  ...reactionTables(columns),
  ...trailTables(columns),
  ...webchatTables(columns),
});

export type GatewayTables = ReturnType<typeof tables>;
export type GatewayStorage = Storage<GatewayTables>;

/** Dependencies of code that reads and writes these tables. */
export interface StoreDeps {
  storage: GatewayStorage;
  clock: Clock;
  newId: NewId;
}

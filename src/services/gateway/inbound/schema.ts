import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { inboxTables } from "../../../channels/inbox/schema.ts";
import type { PlatformRunRequest } from "../../../contracts/platform/runs/runs.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Run of a message. It is stored before the platform is called, so that each try asks for the same run under the same key. */
export interface RunPlan {
  agent: string;
  request: PlatformRunRequest;
  /** Ids of the messages that the request's turns tell. */
  told?: string[];
  /** Calls of the platform that ended without a run, and the time of the first. */
  calls: number;
  /** Those among them that the platform refused with 429. */
  limited: number;
  firstCallAt: string;
}

/** Events of deliveries. The id of a message is also its id in the conversation. */
export const inboundTables = (columns: Columns) => inboxTables<RunPlan>(columns, "inbound");

export type InboundTables = ReturnType<typeof inboundTables>;
export type InboundRow = InboundTables["inbound"]["$inferSelect"];

/** A row of a message, with the message. */
export interface MessageRow {
  row: InboundRow;
  event: MessageEvent;
}

import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { boundRow, statement } from "../../../storage/statement.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Measure, ReportTables } from "./schema.ts";

export interface Measured {
  /** Id of what it was measured by: a message, or an entry of the desk. */
  id: string;
  tenantId: string;
  channel: ChannelName;
  measure: Measure;
  value: number;
  person?: string | null | undefined;
  agent?: string | null | undefined;
  at: Date;
}

/** Records a measure for the reports. */
export async function noteMeasure(
  tx: Query,
  tables: ReportTables,
  { person, agent, ...measured }: Measured,
): Promise<void> {
  await measureInsert(tx, tables).execute({
    ...measured,
    person: person ?? "",
    agent: agent ?? "",
  });
}

const measureInsert = statement((tx: Query, { measured }: ReportTables) =>
  tx.insert(measured).values(boundRow(measured)).prepare("note_measure"),
);

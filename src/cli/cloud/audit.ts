import type { Command } from "commander";
import type { CloudAuditQuery } from "../../contracts/cloud/audit.ts";
import type { Perform } from "../call.ts";
import { wholeNumber } from "../option-values.ts";
import { type CloudOptions, orgCommand, performShown } from "./with-cloud.ts";

/** The command for an org's audit log. */
export const auditCommand = (perform: Perform) =>
  orgCommand("audit", "list changes to the org, newest first")
    .option("--action <action>", "only this action")
    .option("--actor <actor>", "only this actor")
    .option("--since <instant>", "only from this instant on")
    .option("--until <instant>", "only before this instant")
    .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
    .option("--cursor <cursor>", "`next_cursor` of the previous page")
    .action(
      (
        { action, actor, since, until, limit, cursor, ...options }: CloudOptions & CloudAuditQuery,
        command: Command,
      ) =>
        performShown(perform, command, options, {
          ask: (client, org) =>
            client.audit(org, {
              ...(action !== undefined && { action }),
              ...(actor !== undefined && { actor }),
              ...(since !== undefined && { since }),
              ...(until !== undefined && { until }),
              ...(limit !== undefined && { limit }),
              ...(cursor !== undefined && { cursor }),
            }),
          show: (screen, { entries, next_cursor }) => {
            screen.table(
              ["AT", "ACTOR", "ACTION", "SUBJECT"],
              entries.map((entry) => [
                entry.at,
                entry.actor_name ?? entry.actor,
                entry.action,
                entry.subject_name ?? entry.subject ?? "",
              ]),
            );
            if (next_cursor !== undefined) screen.say(`More rows: --cursor ${next_cursor}`);
          },
        }),
    );

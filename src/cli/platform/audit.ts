import { Command } from "commander";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { paint } from "../terminal/paint.ts";
import { type PlatformOptions, tenantCommand, withOperator } from "./with-platform.ts";

interface AuditOptions extends PlatformOptions {
  action?: string;
  actor?: string;
  since?: string;
  until?: string;
  limit?: number;
  cursor?: string;
}

export const auditCommand = (perform: Perform) =>
  new Command("audit").description("show the audit log of operators' changes (operators)").addCommand(
    tenantCommand("list", "list changes of one tenant or all, newest first")
      .option("--action <action>", "only this action, such as plan.create")
      .option("--actor <actor>", "only entries of this actor, such as cli")
      .option("--since <instant>", "only changes from this instant on, such as 2026-03-01T00:00:00Z")
      .option("--until <instant>", "only changes before this instant")
      .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
      .option("--cursor <cursor>", "`next_cursor` of the previous page")
      .action((options: AuditOptions, command: Command) => perform(command, (call) => list(call, options))),
    { isDefault: true },
  );

async function list(call: CommandCall, options: AuditOptions): Promise<ExitCode> {
  const { screen } = call;
  const { url: _, tenant, ...query } = options;
  return withOperator(call, options, async (client, findTenant, tenantNames) => {
    const of = tenant === undefined ? {} : { tenant_id: await findTenant() };
    const page = await client.listAudit({ ...query, ...of });
    if (screen.json) screen.document(page);
    else if (page.entries.length === 0) screen.say("No changes.");
    else {
      const nameOf = await tenantNames();
      screen.table(
        ["AT", "ACTION", "ACTOR", "TENANT", "SUBJECT", "DETAIL"],
        page.entries.map((entry) => [
          entry.at,
          paint("bold", entry.action),
          entry.actor_name ?? entry.actor,
          entry.tenant_id === null ? "" : nameOf(entry.tenant_id),
          entry.subject_name ?? entry.subject ?? "",
          Object.keys(entry.detail).length === 0 ? "" : JSON.stringify(entry.detail),
        ]),
      );
      if (page.next_cursor !== undefined) screen.say(`More rows: --cursor ${page.next_cursor}`);
    }
    return exitCodes.ok;
  });
}

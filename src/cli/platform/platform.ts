import { Command } from "commander";
import type { Perform } from "../call.ts";
import { accountCommand } from "./account.ts";
import { adjustmentsCommand } from "./adjustments.ts";
import { agentsCommand } from "./agents.ts";
import { approvalsCommand } from "./approvals.ts";
import { costsCommand, revenueCommand } from "./attribution.ts";
import { auditCommand } from "./audit.ts";
import { statementCommand, usageCommand } from "./billing.ts";
import { collectionsCommand } from "./collections.ts";
import { connectionsCommand } from "./connections.ts";
import { documentsCommand } from "./documents.ts";
import { tenantEvalsCommand } from "./evals.ts";
import { grantsCommand } from "./grants.ts";
import { invoicesCommand } from "./invoices.ts";
import { emailChangesCommand, inviteCommand, operatorCommand, resetPasswordCommand } from "./operators.ts";
import { periodsCommand } from "./periods.ts";
import { plansCommand } from "./plans.ts";
import { runCommand, runsCommand } from "./runs.ts";
import { sessionCommands } from "./session.ts";
import { subscriptionsCommand } from "./subscriptions.ts";
import { tariffsCommand } from "./tariffs.ts";
import { membersCommand } from "./tenants/members.ts";
import { keysCommand, tenantsCommand } from "./tenants/tenants.ts";
import { usageEventsCommand } from "./usage-events.ts";
import { webhooksCommand } from "./webhooks.ts";

const commands = [
  accountCommand,
  tenantsCommand,
  membersCommand,
  keysCommand,
  agentsCommand,
  tenantEvalsCommand,
  runCommand,
  runsCommand,
  approvalsCommand,
  connectionsCommand,
  collectionsCommand,
  documentsCommand,
  usageCommand,
  statementCommand,
  costsCommand,
  revenueCommand,
  plansCommand,
  tariffsCommand,
  subscriptionsCommand,
  usageEventsCommand,
  grantsCommand,
  adjustmentsCommand,
  periodsCommand,
  invoicesCommand,
  webhooksCommand,
  auditCommand,
  operatorCommand,
  inviteCommand,
  resetPasswordCommand,
  emailChangesCommand,
];

export const platformGroup = (perform: Perform) => {
  const command = new Command("platform").description(
    "the agent platform: accounts, tenants, versioned agents, runs and billing",
  );
  for (const inner of sessionCommands(perform)) command.addCommand(inner);
  for (const define of commands) command.addCommand(define(perform));
  return command;
};

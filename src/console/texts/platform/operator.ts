import { isolated } from "../isolated.ts";

const ratings = { up: "Good answer", down: "Bad answer" } as const;

/** Texts for recorded runs, on every page. */
export const invocationTexts = {
  status: {
    in_progress: "Running",
    awaiting_approval: "Waiting for approval",
    ok: "OK",
    error: "Error",
    timeout: "Timed out",
    cancelled: "Cancelled",
    rejected: "Rejected",
    interrupted: "Interrupted",
  },
  pricing: { priced: "priced", unpriced: "unpriced" },
};

export const modelUsageTexts = {
  label: "Tokens by model",
  model: "Model",
  role: "Role",
  tokensIn: "In",
  cached: "Cached",
  tokensOut: "Out",
};

/** Texts of the operator's pages for tenants, agents, runs and margins. */
export const operatorTexts = {
  overview: "Overview",
  overviewLead: "Runs, tenants and open tasks of this month.",
  runs: "Runs",
  tokens: "Tokens",
  tokensNote: (input: string, output: string) => `${input} in, ${output} out`,
  credits: "Credits charged",
  creditsShort: "Credits",
  providerCost: "Provider cost",
  unknownNote: (runs: number) =>
    `unknown for ${runs === 1 ? "1 run" : `${runs} runs`}: add prices to providers.yaml or a tariff`,
  infraCost: "Machines",
  margin: "Margin",
  marginNote: "revenue minus costs",
  revenue: "Revenue",
  revenueNote: "billed, open months through today",
  anyTenant: "Any tenant",
  chooseTenant: "Name, code or id",
  noTenantFound: "No tenant matches.",
  overrun: "Overrun",
  overrunNote: "used beyond the reserved credits, not charged",
  byStatus: "Runs by status",
  share: "Share",
  byModel: "Models",
  tenants: "Tenants by use",
  attention: "Needs attention",
  noAttention: "No open tasks. All closed months are invoiced and all models have prices.",
  overdue: (count: number, isMore: boolean) =>
    count === 1
      ? "1 billing period is overdue"
      : `${isMore ? "More than " : ""}${count} billing periods are overdue`,
  uninvoiced: (count: number, isMore: boolean) =>
    count === 1 && !isMore
      ? "1 closed month with charges is not marked as invoiced"
      : `${isMore ? "At least " : ""}${count} closed months with charges are not marked as invoiced`,
  unpriced: (count: number) => (count === 1 ? "1 model has no tariff" : `${count} models have no tariff`),
  failing: (count: number) => (count === 1 ? "1 agent fails often" : `${count} agents fail often`),
  noRuns: "No runs in this month.",
  model: "Model",
  tenant: "Tenant",
  status: "Status",
  deleted: "deleted",
  active: "active",

  allTenants: "All tenants",
  allTenantsLead: "All tenants with their use in this month.",
  noTenants: "No tenants yet. People create tenants after they register.",
  plan: "Plan",
  agents: "Agents",
  owner: "Owner",
  ofCap: (percent: string) => `${percent} of the cap`,
  noCap: "no cap",
  created: "Created",
  running: "Running now",
  month: "This month",
  allTime: "All time",
  subscriptions: "Subscriptions",
  noSubscriptions: "None.",
  statement: "Statement",
  invocations: "Runs",
  changePlan: "Change plan",
  changePlanHint: "The new limits apply from the next run, the new fee from today.",
  planChanged: "Plan changed.",
  asTenant: "View as tenant",
  facts: "Facts",
  code: "Code",

  agentHealth: "Agent health",
  agentHealthLead: "Error rates of all agents. Errors are runs that failed, timed out or were interrupted.",
  noAgents: "No agent ran in this month.",
  agent: "Agent",
  errorRate: "Errors",
  lastRun: "Last run",

  invocationsLead: "All runs of all tenants, with charges and costs.",
  noInvocations: "No run matches. Choose another month or remove a filter.",
  noInvocationsYet: "No tenant's agent ran in this month.",
  anyStatus: "Any status",
  anyPricing: "Any pricing",
  tenantId: "Tenant id",
  started: "Started",
  question: "Question",
  answer: "Answer",
  duration: "Duration",
  cost: "Cost",
  invocation: "Run",
  session: "Session",
  version: "Version",
  held: "Reserved",
  heldNote: (tokens: string) => `up to ${tokens} tokens`,
  trace: "Trace",
  logLines: "Log lines",
  runsOfAgent: "Runs of the agent",
  feedback: "Feedback",
  verdict: ({ rating, label, note }: { rating?: "up" | "down"; label?: string; note?: string }) =>
    [rating === undefined ? undefined : ratings[rating], label, note]
      .filter((part) => part !== undefined)
      .map(isolated)
      .join(" · "),
  channelFeedback: "Feedback from a channel",
  channelVerdict: ({ rating, emoji, channel }: { rating: "up" | "down"; emoji: string; channel: string }) =>
    `${ratings[rating]}: ${isolated(emoji)} in ${channel}`,
  period: "Month",
  subscription: "Subscription",
  estimated: "Tokens counted by Argosy",
  yes: "yes",
  no: "no",
  usedOf: "Use by model",
  cached: "Cached",
  notPriced: "no tariff",
  error: "Error",
  standsFor: (count: number) => `represents ${count} identical runs in one second`,

  periods: "Billing periods",
  periodsLead:
    "Months of tenants and subscriptions. Each closes automatically two days after it ends. Then you can mark it as invoiced.",
  noPeriods: "No period matches this status.",
  noPeriodsYet: "No month has been closed yet. Each month of a tenant appears here once it is over.",
  overdueTitle: "Overdue",
  overdueMore: "There are more. `argosy platform periods overdue` lists all of them.",
  due: "Due",
  periodStatus: { open: "Open", closed: "Closed", facturado: "Invoiced" },
  anyPeriodStatus: "Any status",
  closedAt: "Closed",
  invoicedAt: "Invoiced",
  basePlan: "base plan",
  markInvoiced: "Mark as invoiced",
  markTitle: "Mark as invoiced?",
  markText: (amount: string) => `Confirms that the invoice for ${amount} was sent. This can't be undone.`,
  marked: (tenant: string, month: string) => `${month} of ${isolated(tenant)} is marked as invoiced.`,

  statementTitle: (month: string) => `Statement ${month}`,
  provisional: "Provisional: the month, or a period of it, is still open.",
  final: "Final",
  print: "Print",
  csv: "Download CSV",
  noCharges: "No charges in this month.",
  charge: "Charge",
  charges: "Charges in US dollars",
  currency: "US dollars",
  creditsByPlan: "Credits by plan",
  quantity: "Quantity",
  unitPrice: "Unit price",
  amount: "Amount",
  total: "Total",
  chargeTypes: {
    cuota: "Fee",
    activacion: "Activation",
    excedente_unidad: "Extra units",
    creditos_extra: "Extra credits",
    recarga: "Top-up",
    ajuste: "Adjustment",
  },
  creditsUsed: "Credits used",
  creditsIncluded: "Included",
  creditsGranted: "Granted",
  creditsExtra: "Extra",

  margins: "Margins",
  marginsByTenant: "Margins by tenant",
  marginsLead: "Revenue billed to each tenant, minus the costs of providers and machines.",
};

/** Texts of the dialog that resets a password. */
export const linkTexts = {
  mailed: (email: string) =>
    `It is on its way to ${isolated(email)} by e-mail. Copy it only if the e-mail does not arrive. It works once, for 24 hours.`,
};

export const resetTexts = {
  open: "Reset password",
  title: "Reset password?",
  text: (email: string) =>
    `Signs ${isolated(email)} out everywhere. The password stops working; with a link, they choose another one. API keys keep working. The audit log records it.`,
  action: "Reset password",
  doneTitle: "Link for a new password",
  onceTitle: "This link is shown only once",
  once: (email: string) => `Send it to ${isolated(email)}. It works once, for 24 hours.`,
  secret: "Link",
  copy: "Copy link",
  kept: "I have copied it",
};

/** Texts of the operator's page about people. */
export const peopleTexts = {
  title: "People",
  lead: "Help people who can't sign in, and confirm the e-mail addresses that they ask for.",
  resetFor: "Reset a password",
  email: "E-mail address of the account",
  next: "Continue",
  changes: "Requested e-mail addresses",
  noneTitle: "No requests",
  none: "People ask for another e-mail address on the page of their account. You send the link that confirms it.",
  present: "Account",
  wanted: "New address",
  expires: "Expires",
  actions: "Actions",
  link: "Create link",
  linkTitle: (email: string) => `Create link for ${isolated(email)}`,
  linkText: (email: string) =>
    `Send the link to ${isolated(email)} and nowhere else: who reads that mailbox may confirm the address.`,
  linkAction: "Create link",
  doneTitle: "Link for an e-mail address",
  onceTitle: "This link is shown only once",
  once: (email: string) => `Send it to ${isolated(email)}. It works once, for 24 hours.`,
  secret: "Link",
  copy: "Copy link",
  kept: "I have copied it",
};

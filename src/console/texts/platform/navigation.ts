/** Texts of the platform in the frame: its name, and its tenant pages by heading. */
export const platformTexts = {
  title: "Platform",
  signIn: "Sign in to the platform",
  account: "Account",
  ownAccount: "Your account",
  work: "Tenant",
  actions: "Actions",
  tenantAgents: "Agents of the tenant",
  tenants: "Tenants",
  agents: "Agents",
  approvals: "Approvals",
  documents: "Documents",
  evals: "Evals",
  usage: "Usage",
  statement: "Statement",
  connections: "Connections",
  members: "Members",
  keys: "API keys",
};

/** Names of the operator's pages, by heading. */
export const operatorNavTexts = {
  token: "operator token (PLATFORM_OPERATOR_TOKEN)",
  watch: "Operate",
  money: "Billing",
  overview: "Overview",
  tenants: "All tenants",
  people: "People",
  agents: "Agent health",
  invocations: "Runs",
  tariffs: "Tariffs",
  plans: "Plans",
  subscriptions: "Subscriptions",
  periods: "Billing periods",
  invoices: "Invoices",
  margins: "Margins",
  audit: "Audit",
};

import { expect, test } from "bun:test";
import { type PlatformClient, platformClient } from "../../../../src/contracts/platform/clients/client.ts";
import { startPlatform } from "../../../support/platform.ts";
import { refusal } from "../../../support/refusal.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

/** A call of each method. Only its method and path matter here. */
const calls: { [Method in keyof PlatformClient]: (client: PlatformClient) => unknown } = {
  register: (client) => client.register({ email: "", password: "", displayName: "" }),
  login: (client) => client.login({ email: "", password: "" }),
  refresh: (client) => client.refresh("x"),
  logout: (client) => client.logout(),
  me: (client) => client.me(),
  usePasswordLink: (client) => client.usePasswordLink({ token: "x", password: "" }),
  changePassword: (client) => client.changePassword({ current: "", new: "" }),
  requestEmail: (client) => client.requestEmail({ email: "", current: "" }),
  confirmEmail: (client) => client.confirmEmail("x"),
  listSessions: (client) => client.listSessions(),
  endSession: (client) => client.endSession("x"),
  endOtherSessions: (client) => client.endOtherSessions(),
  deleteAccount: (client) => client.deleteAccount(),
  listTenants: (client) => client.listTenants(),
  createTenant: (client) => client.createTenant("x"),
  renameTenant: (client) => client.renameTenant("t", "x"),
  deleteTenant: (client) => client.deleteTenant("t"),
  listKeys: (client) => client.listKeys("t"),
  createKey: (client) => client.createKey("t", "x"),
  revokeKey: (client) => client.revokeKey("t", "h"),
  listMembers: (client) => client.listMembers("t"),
  changeRole: (client) => client.changeRole("t", "u", "viewer"),
  removeMember: (client) => client.removeMember("t", "u"),
  listInvitations: (client) => client.listInvitations("t"),
  inviteMember: (client) => client.inviteMember("t", { email: "b@example.com", role: "member" }),
  withdrawInvitation: (client) => client.withdrawInvitation("t", "i"),
  acceptInvitation: (client) => client.acceptInvitation("x"),
  actor: (client) => client.actor(),
  noticeDesk: (client) =>
    client.noticeDesk({ event: "desk.mention", occasion: "o", conversation_id: "c", channel: "echo" }),
  listAgents: (client) => client.listAgents(),
  getAgent: (client) => client.getAgent("a"),
  createOwnWebhook: (client) => client.createOwnWebhook({ url: "https://a.example", events: ["credits.80"] }),
  listOwnWebhooks: (client) => client.listOwnWebhooks(),
  deleteOwnWebhook: (client) => client.deleteOwnWebhook("w"),
  listOwnDeliveries: (client) => client.listOwnDeliveries("w"),
  createWebhook: (client) => client.createWebhook({ url: "https://a.example", events: ["credits.80"] }),
  listWebhooks: (client) => client.listWebhooks(),
  deleteWebhook: (client) => client.deleteWebhook("w"),
  listDeliveries: (client) => client.listDeliveries("w"),
  ownGrants: (client) => client.ownGrants(),
  ownInvoices: (client) => client.ownInvoices(),
  ownInvoice: (client) => client.ownInvoice("i"),
  ownInvoiceHtml: (client) => client.ownInvoiceHtml("i"),
  ownInvoicePdf: (client) => client.ownInvoicePdf("i"),
  ownStatement: (client) => client.ownStatement(),
  ownStatementCsv: (client) => client.ownStatementCsv(),
  issuePasswordLink: (client) => client.issuePasswordLink("a@example.com"),
  listEmailChanges: (client) => client.listEmailChanges(),
  issueEmailLink: (client) => client.issueEmailLink("x"),
  resetPassword: (client) => client.resetPassword("a@example.com"),
  readAgent: (client) => client.readAgent("a"),
  createAgent: (client) => client.createAgent({}),
  updateAgent: (client) => client.updateAgent("a", "kind: Agent"),
  deleteAgent: (client) => client.deleteAgent("a"),
  listVersions: (client) => client.listVersions("a"),
  getVersion: (client) => client.getVersion("a", 1),
  listVersionsById: (client) => client.listVersionsById("i"),
  getVersionById: (client) => client.getVersionById("i", 1),
  diffVersions: (client) => client.diffVersions("a", 1, 2),
  restoreVersion: (client) => client.restoreVersion("a", 1),
  agentStatus: (client) => client.agentStatus("a"),
  agentLogs: (client) => client.agentLogs("a"),
  agentMetrics: (client) => client.agentMetrics("a"),
  getInvocation: (client) => client.getInvocation("a", "i"),
  listRuns: (client) => client.listRuns(),
  usage: (client) => client.usage(),
  dailyUsage: (client) => client.dailyUsage(),
  catalog: (client) => client.catalog(),
  listEvals: (client) => client.listEvals(),
  getEval: (client) => client.getEval("e"),
  readEval: (client) => client.readEval("e"),
  putEval: (client) => client.putEval("e", "kind: Eval"),
  deleteEval: (client) => client.deleteEval("e"),
  startEvalRun: (client) => client.startEvalRun("e", {}),
  listEvalRuns: (client) => client.listEvalRuns(),
  getEvalRun: (client) => client.getEvalRun("r"),
  listEvalResults: (client) => client.listEvalResults("r"),
  cancelEvalRun: (client) => client.cancelEvalRun("r"),
  listConnections: (client) => client.listConnections(),
  putConnection: (client) => client.putConnection("c", { base_url: "https://c.example", material: {} }),
  deleteConnection: (client) => client.deleteConnection("c"),
  listCollections: (client) => client.listCollections(),
  getCollection: (client) => client.getCollection("c"),
  putCollection: (client) => client.putCollection("c"),
  deleteCollection: (client) => client.deleteCollection("c"),
  listDocuments: (client) => client.listDocuments("c"),
  getDocument: (client) => client.getDocument("c", "d"),
  listChunks: (client) => client.listChunks("c", "d"),
  putDocument: (client) => client.putDocument("c", "d", { bytes: new TextEncoder().encode("x") }),
  deleteDocument: (client) => client.deleteDocument("c", "d"),
  queryCollection: (client) => client.queryCollection("c", { query: "x" }),
  sendMessage: (client) => client.sendMessage({ channel: "echo", recipient: "x" }),
  getInvocationTrace: (client) => client.getInvocationTrace("a", "i"),
  getAnySubscription: (client) => client.getAnySubscription("x", "2026-03"),
  getSubscription: (client) => client.getSubscription("x"),
  recordUsage: (client) =>
    client.recordUsage({ event_id: "", subscription_id: "", unidad: "", cantidad: 1, ocurrido_en: "" }),
  giveFeedback: (client) => client.giveFeedback("i", { rating: "up" }),
  deleteFeedback: (client) => client.deleteFeedback("i"),
  giveChannelFeedback: (client) =>
    client.giveChannelFeedback("i", {
      rating: "up",
      channel: "echo",
      emoji: "👍",
      at: "2026-01-01T00:00:00Z",
    }),
  deleteChannelFeedback: (client) => client.deleteChannelFeedback("i"),
  forgetSession: (client) => client.forgetSession("s"),
  run: (client) => client.run("a", { query: "x" }),
  streamRun: (client) => client.streamRun("a", { query: "x" }).next(),
  tryAgent: (client) => client.tryAgent({ spec: "x", query: "x" }).next(),
  streamTicket: (client) => client.streamTicket("a"),
  listApprovals: (client) => client.listApprovals(),
  decideApproval: async (client) => {
    await client.decideApproval("i", "approve");
    await client.decideApproval("i", "reject");
  },
  streamDecision: async (client) => {
    await client.streamDecision("i", "approve").next();
    await client.streamDecision("i", "reject").next();
  },
  usageAttribution: (client) => client.usageAttribution({ by: "key" }),
  costAttribution: (client) => client.costAttribution({ by: "member" }),
  revenue: (client) => client.revenue(3),
  fileTariff: (client) =>
    client.fileTariff({
      provider: "",
      model: "",
      credits_per_1k_in_micros: 0,
      credits_per_1k_out_micros: 0,
    }),
  rerateRuns: (client) => client.rerateRuns({ dry_run: true }),
  listTariffs: (client) => client.listTariffs(),
  listModels: (client) => client.listModels(),
  searchTenants: (client) => client.searchTenants(),
  createPlan: (client) => client.createPlan({} as Parameters<PlatformClient["createPlan"]>[0]),
  listPlans: (client) => client.listPlans(),
  setTenantPlan: (client) => client.setTenantPlan("t", "p"),
  createSubscription: (client) =>
    client.createSubscription({ tenant_id: "", argo_code: "", plan_id: "", desde: "" }),
  previewSubscription: (client) =>
    client.previewSubscription({ tenant_id: "", argo_code: "", plan_id: "", desde: "" }),
  listSubscriptions: (client) => client.listSubscriptions(),
  scheduleSubscriptionPlan: (client) => client.scheduleSubscriptionPlan("s", "p", "now"),
  cancelSubscription: (client) => client.cancelSubscription("s", "now"),
  platformUsage: (client) => client.platformUsage(),
  listAllTenants: (client) => client.listAllTenants(),
  getTenant: (client) => client.getTenant("t"),
  listAllAgents: (client) => client.listAllAgents(),
  listInvocations: (client) => client.listInvocations(),
  getAnyInvocation: (client) => client.getAnyInvocation("i"),
  getAnyInvocationTrace: (client) => client.getAnyInvocationTrace("i"),
  listAudit: (client) => client.listAudit(),
  statement: (client) => client.statement("t"),
  statementCsv: (client) => client.statementCsv("t"),
  statementHtml: (client) => client.statementHtml("t"),
  createGrant: (client) => client.createGrant("t", { credits_micros: 1, reason: "trial" }),
  listGrants: (client) => client.listGrants("t"),
  createAdjustment: (client) => client.createAdjustment("t", { amount_micros: -1, reason: "refund" }),
  listAdjustments: (client) => client.listAdjustments("t"),
  listUsageEvents: (client) => client.listUsageEvents("s"),
  voidUsageEvent: (client) => client.voidUsageEvent("s", { event_id: "e", reason: "wrong" }),
  invoiceSettings: (client) => client.invoiceSettings(),
  putInvoiceSettings: (client) =>
    client.putInvoiceSettings({
      seller: { name: "S", address: "", tax_id: "", email: "", payment: "" },
      invoice_range: "I-",
      credit_note_range: "C-",
      due_days: 30,
    }),
  invoiceCustomer: (client) => client.invoiceCustomer("t"),
  putInvoiceCustomer: (client) =>
    client.putInvoiceCustomer("t", {
      customer: { name: "C", address: "", tax_id: "", email: "" },
      taxes: [],
      due_days: null,
      note: "",
    }),
  listInvoices: (client) => client.listInvoices(),
  invoicesCsv: (client) => client.invoicesCsv(),
  runInvoices: (client) => client.runInvoices({ period: "2026-03" }),
  markInvoicesPaid: (client) => client.markInvoicesPaid({ ids: ["i"] }),
  getInvoice: (client) => client.getInvoice("i"),
  invoiceHtml: (client) => client.invoiceHtml("i"),
  invoicePdf: (client) => client.invoicePdf("i"),
  voidInvoice: (client) => client.voidInvoice("i", "wrong"),
  createCreditNote: (client) => client.createCreditNote("i", { net_micros: 10_000, reason: "outage" }),
  listPeriods: (client) => client.listPeriods(),
  overduePeriods: (client) => client.overduePeriods(),
  markInvoiced: (client) => client.markInvoiced("p"),
};

/** Routes that this client does not call: common routes, a browser's socket, and those for a run's own token. */
const others = [
  /^GET \/(healthz|readyz|metrics|docs|openapi\.json)/,
  /^GET \/api\/v1\/agents\/:name\/run\/stream$/,
  /^POST \/api\/v1\/runs\/messages\/send$/,
];

onEachEngine("the platform's client", (engine) => {
  test("has a method for every route, and calls nothing that is none", async () => {
    const messages = { send: async () => ({ message_id: "m", status: "pending" }) };
    await using platform = await startPlatform(engine, (deps) => ({ ...deps, messages }));
    const routes = platform.routes
      .map(({ method, path }) => `${method} ${path.replace(/(?<=.)\/$/, "")}`)
      .filter((route) => !others.some((other) => other.test(route)));
    const asked = new Set<string>();
    const client = platformClient({
      baseUrl: "http://platform",
      fetch: async (request) => {
        asked.add(`${request.method} ${new URL(request.url).pathname}`);
        return Response.json({ frames: [] });
      },
    });
    for (const call of Object.values(calls)) await call(client);
    const formOf = (route: string) => new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`);
    const unreached = routes.filter((route) => ![...asked].some((call) => formOf(route).test(call)));
    const unknown = [...asked].filter((call) => !routes.some((route) => formOf(route).test(call)));
    expect({ unreached, unknown }).toEqual({ unreached: [], unknown: [] });
  });

  test("gives what was answered, what its headers say, and the refusal that was sent", async () => {
    await using platform = await startPlatform(engine);
    const { key } = await platform.tenant();
    const client = platformClient({ fetch: (request) => fetch(request), baseUrl: platform.url, apiKey: key });
    const spec = {
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "helper" },
      spec: { model: { primary: { provider: "lab", model: "test-model" } } },
    };
    await client.createAgent(JSON.stringify(spec));
    const sending = { idempotencyKey: "k" };
    const first = await client.run("helper", { query: "Hi" }, sending);
    expect(first).toMatchObject({ body: { status: "ok", answer: "Hello there." }, isReplayed: false });
    expect(await client.run("helper", { query: "Hi" }, sending)).toEqual({ ...first, isReplayed: true });
    const frames = await Array.fromAsync(client.streamRun("helper", { query: "Hi" }));
    expect(frames.map(({ type }) => type)).toEqual(["token", "done"]);
    const refused = await refusal(client.getAgent("nobody"));
    expect(refused).toMatchObject({ kind: "not_found", message: expect.any(String) });
    expect(await refusal(client.createAgent(spec))).toMatchObject({ kind: "conflict", code: "agent_exists" });
  });
});

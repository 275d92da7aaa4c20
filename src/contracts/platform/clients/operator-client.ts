import type { Trace } from "../../daemon/runs/run.ts";
import type { SourceFilter } from "../../daemon/runs/run-sources.ts";
import type { PageQuery } from "../../page-query.ts";
import { segment, withQuery } from "../../paths.ts";
import type {
  AdminAgentList,
  AdminInvocationDetail,
  AdminInvocationList,
  AdminTenant,
  AdminTenantList,
  AdminUsage,
  AuditList,
  TenantNameList,
} from "../admin.ts";
import type { CostAttribution } from "../attribution.ts";
import type { AccountLink, EmailChangeList, PasswordReset } from "../auth.ts";
import type { BillingPeriod, BillingPeriodList, OverduePeriodList, Statement } from "../billing/billing.ts";
import type {
  Adjustment,
  AdjustmentInput,
  AdjustmentList,
  ListedUsageEvent,
  UsageEventList,
  VoidedEventInput,
} from "../billing/corrections.ts";
import type { Grant, GrantInput, GrantList } from "../billing/grants.ts";
import type {
  CreditNoteInput,
  Invoice,
  InvoiceCustomer,
  InvoiceList,
  InvoiceMarkInput,
  InvoiceMarks,
  InvoiceRun,
  InvoiceRunInput,
  InvoiceSettings,
  InvoiceStatus,
  InvoiceSummary,
} from "../billing/invoices.ts";
import type { Plan, PlanInput, PlanList, TenantPlan } from "../billing/plans.ts";
import type { RevenueReport } from "../billing/revenue.ts";
import type {
  ChangeInstant,
  Subscription,
  SubscriptionInput,
  SubscriptionList,
  SubscriptionPreview,
} from "../billing/subscriptions.ts";
import type {
  KnownModelList,
  Rerated,
  RerateInput,
  Tariff,
  TariffInput,
  TariffList,
} from "../billing/tariffs.ts";
import type { NewWebhook, NoticeDeliveryList, WebhookInput, WebhookList } from "../notices.ts";
import type { InvocationStatus, PricingStatus } from "../observability.ts";
import type { PlatformCalls } from "./call-platform.ts";
import type { AttributionQuery } from "./tenant-client.ts";

/** `period` is a month, `YYYY-MM`; by default the current one. */
export interface PeriodPage extends PageQuery {
  period?: string;
}

export interface InvocationQuery extends PeriodPage {
  tenant_id?: string;
  agent_id?: string;
  status?: InvocationStatus;
  pricing_status?: PricingStatus;
  /** Default: `all`. */
  source?: SourceFilter;
  /** For a person: adds the beginnings of questions and answers, where traces keep them. */
  texts?: "true" | "false";
}

export interface PeriodQuery extends PeriodPage {
  tenant_id?: string;
  subscription_id?: string;
  status?: BillingPeriod["status"];
}

export interface InvoiceQuery extends PeriodPage {
  tenant_id?: string;
  status?: InvoiceStatus;
  overdue?: "true" | "false";
}

export interface AuditQuery extends PageQuery {
  tenant_id?: string;
  action?: string;
  actor?: string;
}

const keyed = (key: string | undefined) => (key === undefined ? {} : { headers: { "idempotency-key": key } });

/** Methods for operators, with an operator's access token or `X-Operator-Token`. */
export function operatorClient({ json, text, raw }: PlatformCalls) {
  const admin = "/api/v1/admin";
  const statementPath = (tenantId: string, form: string, period?: string) =>
    withQuery(`${admin}/tenants/${segment(tenantId)}/statement${form}`, { period });
  return {
    /** Stores a model's rates from an instant on. They are never changed. */
    fileTariff: (body: TariffInput) => json<Tariff>("POST", `${admin}/tariffs`, { body }),
    /** Prices unpriced runs of open periods with the tariffs stored now. */
    rerateRuns: (body: RerateInput) => json<Rerated>("POST", `${admin}/tariffs/rerate`, { body }),
    /** Splits a month by key, member or model, of one tenant or of all. */
    costAttribution: (query: AttributionQuery & { tenant_id?: string }) =>
      json<CostAttribution>("GET", withQuery(`${admin}/usage/attribution`, query)),
    /** Revenue, new and lost tenants of the last months. */
    revenue: (months?: number) => json<RevenueReport>("GET", withQuery(`${admin}/revenue`, { months })),
    /** Lists the tariffs in force at an instant, by default now. */
    listTariffs: (at?: string) => json<TariffList>("GET", withQuery(`${admin}/tariffs`, { at })),
    /** Providers and models that a tariff may be for. */
    listModels: () => json<KnownModelList>("GET", `${admin}/models`),
    createPlan: (body: PlanInput) => json<Plan>("POST", `${admin}/plans`, { body }),
    listPlans: () => json<PlanList>("GET", `${admin}/plans`),
    setTenantPlan: (tenantId: string, plan_id: string) =>
      json<TenantPlan>("PUT", `${admin}/tenants/${segment(tenantId)}/plan`, { body: { plan_id } }),

    createSubscription: (body: SubscriptionInput) =>
      json<Subscription>("POST", `${admin}/subscriptions`, { body }),
    listSubscriptions: (query: PeriodPage & { tenant_id?: string } = {}) =>
      json<SubscriptionList>("GET", withQuery(`${admin}/subscriptions`, query)),
    /** A subscription with its counters of a period, by default the current one. */
    getAnySubscription: (id: string, period?: string) =>
      json<Subscription>("GET", withQuery(`${admin}/subscriptions/${segment(id)}`, { period })),
    /** What it would be billed for past months. Stores nothing. */
    previewSubscription: (body: SubscriptionInput) =>
      json<SubscriptionPreview>("POST", `${admin}/subscriptions/preview`, { body }),
    scheduleSubscriptionPlan: (id: string, plan_id: string, at: ChangeInstant) =>
      json<Subscription>("PUT", `${admin}/subscriptions/${segment(id)}/plan`, { body: { plan_id, at } }),
    cancelSubscription: (id: string, at: ChangeInstant) =>
      json<Subscription>("POST", `${admin}/subscriptions/${segment(id)}/cancel`, { body: { at } }),

    /** Makes a link with which a person chooses a password, and ends their sessions. */
    issuePasswordLink: (email: string) =>
      json<AccountLink>("POST", `${admin}/password-links`, { body: { email } }),
    listEmailChanges: () => json<EmailChangeList>("GET", `${admin}/email-changes`),
    /** Makes the link that confirms a person's new e-mail address. */
    issueEmailLink: (userId: string) =>
      json<AccountLink>("POST", `${admin}/email-changes/${segment(userId)}/link`),
    /** Gives a person a password, which the answer alone shows and which they must change, and ends their sessions. */
    resetPassword: (email: string) =>
      json<PasswordReset>("POST", `${admin}/password-reset`, { body: { email } }),
    platformUsage: (period?: string) => json<AdminUsage>("GET", withQuery(`${admin}/usage`, { period })),
    listAllTenants: (query: PeriodPage = {}) =>
      json<AdminTenantList>("GET", withQuery(`${admin}/tenants`, query)),
    /** Finds tenants by a part of their name or code, or by their id. */
    searchTenants: (query: { search?: string; limit?: number } = {}) =>
      json<TenantNameList>("GET", withQuery(`${admin}/tenant-names`, query)),
    getTenant: (id: string, period?: string) =>
      json<AdminTenant>("GET", withQuery(`${admin}/tenants/${segment(id)}`, { period })),
    listAllAgents: (query: PeriodPage = {}) =>
      json<AdminAgentList>("GET", withQuery(`${admin}/agents`, query)),
    listInvocations: (query: InvocationQuery = {}) =>
      json<AdminInvocationList>("GET", withQuery(`${admin}/invocations`, query)),
    getAnyInvocation: (id: string) =>
      json<AdminInvocationDetail>("GET", `${admin}/invocations/${segment(id)}`),
    /** The steps of a run. Throws `trace_not_found` if they aren't kept. */
    getAnyInvocationTrace: (id: string) => json<Trace>("GET", `${admin}/invocations/${segment(id)}/trace`),
    listAudit: (query: AuditQuery = {}) => json<AuditList>("GET", withQuery(`${admin}/audit`, query)),

    /** Gives a tenant credits, used after the included ones. */
    /** `key`: the same key gives the same grant again. */
    createGrant: (tenantId: string, body: GrantInput, key?: string) =>
      json<Grant>("POST", `${admin}/tenants/${segment(tenantId)}/grants`, { body, ...keyed(key) }),
    listGrants: (tenantId: string, query: PageQuery = {}) =>
      json<GrantList>("GET", withQuery(`${admin}/tenants/${segment(tenantId)}/grants`, query)),

    /** Adds a signed charge to an open month. */
    /** `key`: the same key gives the same adjustment again. */
    createAdjustment: (tenantId: string, body: AdjustmentInput, key?: string) =>
      json<Adjustment>("POST", `${admin}/tenants/${segment(tenantId)}/adjustments`, { body, ...keyed(key) }),
    listAdjustments: (tenantId: string, query: PageQuery = {}) =>
      json<AdjustmentList>("GET", withQuery(`${admin}/tenants/${segment(tenantId)}/adjustments`, query)),
    listUsageEvents: (subscriptionId: string, query: PeriodPage = {}) =>
      json<UsageEventList>(
        "GET",
        withQuery(`${admin}/subscriptions/${segment(subscriptionId)}/usage-events`, query),
      ),
    /** Lets a usage event of an open period count no longer. */
    voidUsageEvent: (subscriptionId: string, body: VoidedEventInput) =>
      json<ListedUsageEvent>("POST", `${admin}/subscriptions/${segment(subscriptionId)}/usage-events/void`, {
        body,
      }),

    invoiceSettings: () => json<InvoiceSettings>("GET", `${admin}/invoice-settings`),
    putInvoiceSettings: (body: InvoiceSettings) =>
      json<InvoiceSettings>("PUT", `${admin}/invoice-settings`, { body }),
    invoiceCustomer: (tenantId: string) =>
      json<InvoiceCustomer>("GET", `${admin}/tenants/${segment(tenantId)}/invoice-customer`),
    putInvoiceCustomer: (tenantId: string, body: InvoiceCustomer) =>
      json<InvoiceCustomer>("PUT", `${admin}/tenants/${segment(tenantId)}/invoice-customer`, { body }),
    listInvoices: (query: InvoiceQuery = {}) =>
      json<InvoiceList>("GET", withQuery(`${admin}/invoices`, query)),
    /** A header, then one line per invoice. */
    invoicesCsv: (query: InvoiceQuery = {}) =>
      text(withQuery(`${admin}/invoices`, { ...query, format: "csv" })),
    /** Issues up to 200 invoices of a month. */
    runInvoices: (body: InvoiceRunInput) => json<InvoiceRun>("POST", `${admin}/invoices`, { body }),
    markInvoicesPaid: (body: InvoiceMarkInput) =>
      json<InvoiceMarks>("POST", `${admin}/invoices/paid`, { body }),
    getInvoice: (id: string) => json<Invoice>("GET", `${admin}/invoices/${segment(id)}`),
    /** A page for printing. */
    invoiceHtml: (id: string) => text(`${admin}/invoices/${segment(id)}/html`),
    invoicePdf: async (id: string) =>
      new Uint8Array(
        await (await raw("GET", `${admin}/invoices/${segment(id)}/pdf`, { accept: "*/*" })).arrayBuffer(),
      ),
    /** Voids an open invoice; returns its credit note. */
    voidInvoice: (id: string, reason: string) =>
      json<InvoiceSummary>("POST", `${admin}/invoices/${segment(id)}/void`, { body: { reason } }),
    createCreditNote: (id: string, body: CreditNoteInput) =>
      json<InvoiceSummary>("POST", `${admin}/invoices/${segment(id)}/credit-notes`, { body }),

    /** Adds a webhook for notices of all tenants. The answer alone shows its secret. */
    createWebhook: (body: WebhookInput) => json<NewWebhook>("POST", `${admin}/webhooks`, { body }),
    listWebhooks: () => json<WebhookList>("GET", `${admin}/webhooks`),
    deleteWebhook: (id: string) => json<void>("DELETE", `${admin}/webhooks/${segment(id)}`),
    listDeliveries: (id: string, query: PageQuery = {}) =>
      json<NoticeDeliveryList>("GET", withQuery(`${admin}/webhooks/${segment(id)}/deliveries`, query)),

    statement: (tenantId: string, period?: string) =>
      json<Statement>("GET", statementPath(tenantId, "", period)),
    /** A header, then one line per charge. */
    statementCsv: (tenantId: string, period?: string) => text(statementPath(tenantId, ".csv", period)),
    /** A page for printing. */
    statementHtml: (tenantId: string, period?: string) => text(statementPath(tenantId, ".html", period)),
    listPeriods: (query: PeriodQuery = {}) =>
      json<BillingPeriodList>("GET", withQuery(`${admin}/billing-periods`, query)),
    overduePeriods: (page: PageQuery = {}) =>
      json<OverduePeriodList>("GET", withQuery(`${admin}/billing-periods/overdue`, page)),
    /** Marks a closed period as invoiced; only once. */
    markInvoiced: (periodId: string) =>
      json<BillingPeriod>("POST", `${admin}/billing-periods/${segment(periodId)}/facturado`),
  };
}

import { lazy } from "react";
import type { SignedInAs } from "../../contracts/console/session.ts";
import { type Area, type Commands, isWithin, type NavBadge, type NavGroup, type Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { approvalsWaiting } from "../texts/counted.ts";
import { operatorNavTexts as operator, platformTexts as texts } from "../texts/platform/navigation.ts";
import { accountPath, operatorPath, personPath, platformPath } from "./platform-paths.ts";
import { tenantIdOf } from "./tenant-id.ts";

const isPerson = ({ person }: SignedInAs) => person !== undefined;
const isOperator = (signedIn: SignedInAs) => signedIn.operator;

const account: NavGroup = { title: texts.account, isOpenTo: isPerson };
const tenant: NavGroup = { title: texts.work, isOpenTo: isPerson };
const operate: NavGroup = { title: operator.watch, isOpenTo: isOperator };
const billing: NavGroup = { title: operator.money, isOpenTo: isOperator };

/** Approvals of the tenant that wait for a person. */
const waiting: NavBadge = {
  queryKey: ({ tenant: id }) => ["platform", id, "approvals", "waiting"],
  read: async (server, { tenant: id = "" }) => (await import("./find-commands.ts")).countWaiting(server, id),
  label: approvalsWaiting,
};

const commands: readonly Commands[] = [
  {
    group: texts.actions,
    queryKey: ({ signedIn, parameters }) => ["platform", "actions", isPerson(signedIn), parameters.tenant],
    read: async (_, context) => (await import("./find-commands.ts")).actionsFor(context),
  },
  {
    group: texts.tenants,
    queryKey: ({ signedIn, text }) =>
      isPerson(signedIn) || isOperator(signedIn) ? ["platform", "tenants", "commands", text] : undefined,
    read: async (server, context) => (await import("./find-commands.ts")).findTenants(server, context),
  },
  {
    group: texts.tenantAgents,
    queryKey: ({ signedIn, parameters: { tenant: id } }) =>
      isPerson(signedIn) && id !== undefined ? ["platform", id, "agents", "commands"] : undefined,
    read: async (server, context) => (await import("./find-commands.ts")).findAgents(server, context),
  },
];

const pages: readonly Page[] = [
  {
    path: platformPath,
    View: lazyView(() => import("./start-page.tsx")),
  },
  {
    path: "/platform/tenants",
    nav: { group: account, label: texts.tenants, icon: "tenants" },
    View: lazyView(() => import("./tenant/tenants/tenants-page.tsx")),
  },
  {
    path: accountPath,
    nav: { group: account, label: texts.ownAccount, icon: "user" },
    View: lazyView(() => import("./account/account-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents",
    nav: { group: tenant, label: texts.agents, icon: "agents" },
    View: lazyView(() => import("./tenant/agents/agents-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/new",
    wide: true,
    View: lazyView(() => import("./tenant/agents/new-agent-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name",
    View: lazyView(() => import("./tenant/agents/agent-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name/edit",
    wide: true,
    View: lazyView(() => import("./tenant/agents/edit-agent-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name/run",
    wide: true,
    View: lazyView(() => import("./tenant/runs/run-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name/invocations/:id",
    View: lazyView(() => import("./tenant/runs/invocation-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/approvals",
    nav: { group: tenant, label: texts.approvals, icon: "approvals", badge: waiting },
    View: lazyView(() => import("./tenant/approvals/approvals-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/documents",
    nav: { group: tenant, label: texts.documents, icon: "book" },
    View: lazyView(() => import("./tenant/documents/documents-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/documents/:collection",
    View: lazyView(() => import("./tenant/documents/collection-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/evals",
    nav: { group: tenant, label: texts.evals, icon: "check" },
    View: lazyView(() => import("./tenant/evals/evals-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/eval-runs/:id",
    View: lazyView(() => import("./tenant/evals/eval-run-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/usage",
    nav: { group: tenant, label: texts.usage, icon: "chart" },
    View: lazyView(() => import("./tenant/usage/usage-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/statement",
    nav: { group: tenant, label: texts.statement, icon: "invoice" },
    View: lazyView(() => import("./tenant/statement/statement-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/invoices",
    nav: { group: tenant, label: texts.invoices, icon: "invoice" },
    View: lazyView(() => import("./tenant/invoices/invoices-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/notices",
    nav: { group: tenant, label: texts.notices, icon: "send" },
    View: lazyView(() => import("./tenant/notices/notices-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/connections",
    nav: { group: tenant, label: texts.connections, icon: "connection" },
    View: lazyView(() => import("./tenant/connections/connections-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/members",
    nav: { group: tenant, label: texts.members, icon: "users" },
    View: lazyView(() => import("./tenant/members/members-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/keys",
    nav: { group: tenant, label: texts.keys, icon: "key" },
    View: lazyView(() => import("./tenant/keys/keys-page.tsx")),
  },
  {
    path: operatorPath,
    nav: { group: operate, label: operator.overview, icon: "gauge", isStart: true },
    View: lazyView(() => import("./operator/overview/overview-page.tsx")),
  },
  {
    path: "/platform/operator/tenants",
    nav: { group: operate, label: operator.tenants, icon: "tenants" },
    View: lazyView(() => import("./operator/tenants/tenants-page.tsx")),
  },
  {
    path: "/platform/operator/tenants/:id",
    View: lazyView(() => import("./operator/tenants/tenant-page.tsx")),
  },
  {
    path: "/platform/operator/people",
    nav: { group: operate, label: operator.people, icon: "users" },
    View: lazyView(() => import("./operator/people/people-page.tsx")),
  },
  {
    path: "/platform/operator/agents",
    nav: { group: operate, label: operator.agents, icon: "agents" },
    View: lazyView(() => import("./operator/agents/agents-page.tsx")),
  },
  {
    path: "/platform/operator/invocations",
    wide: true,
    nav: { group: operate, label: operator.invocations, icon: "list" },
    View: lazyView(() => import("./operator/invocations/invocations-page.tsx")),
  },
  {
    path: "/platform/operator/invocations/:id",
    View: lazyView(() => import("./operator/invocations/invocation-page.tsx")),
  },
  {
    path: "/platform/operator/tariffs",
    nav: { group: billing, label: operator.tariffs, icon: "price" },
    View: lazyView(() => import("./operator/tariffs/tariffs-page.tsx")),
  },
  {
    path: "/platform/operator/plans",
    nav: { group: billing, label: operator.plans, icon: "plan" },
    View: lazyView(() => import("./operator/plans/plans-page.tsx")),
  },
  {
    path: "/platform/operator/subscriptions",
    nav: { group: billing, label: operator.subscriptions, icon: "users" },
    View: lazyView(() => import("./operator/subscriptions/subscriptions-page.tsx")),
  },
  {
    path: "/platform/operator/periods",
    nav: { group: billing, label: operator.periods, icon: "invoice" },
    View: lazyView(() => import("./operator/periods/periods-page.tsx")),
  },
  {
    path: "/platform/operator/invoices",
    nav: { group: billing, label: operator.invoices, icon: "invoice" },
    View: lazyView(() => import("./operator/invoices/invoices-page.tsx")),
  },
  {
    path: "/platform/operator/tenants/:id/statement",
    View: lazyView(() => import("./operator/statement/statement-page.tsx")),
  },
  {
    path: "/platform/operator/tenants/:id/events/:subscription",
    View: lazyView(() => import("./operator/usage-events/usage-events-page.tsx")),
  },
  {
    path: "/platform/operator/margins",
    nav: { group: billing, label: operator.margins, icon: "costs" },
    View: lazyView(() => import("./operator/margins/margins-page.tsx")),
  },
  {
    path: "/platform/operator/costs",
    nav: { group: billing, label: operator.costs, icon: "costs" },
    View: lazyView(() => import("./operator/costs/costs-page.tsx")),
  },
  {
    path: "/platform/operator/revenue",
    nav: { group: billing, label: operator.revenue, icon: "chart" },
    View: lazyView(() => import("./operator/revenue/revenue-page.tsx")),
  },
  {
    path: "/platform/operator/notices",
    nav: { group: operate, label: operator.notices, icon: "send" },
    View: lazyView(() => import("./operator/notices/notices-page.tsx")),
  },
  {
    path: "/platform/operator/audit",
    nav: { group: operate, label: operator.audit, icon: "audit" },
    View: lazyView(() => import("./operator/audit/audit-page.tsx")),
  },
];

/** Returns the function that decides whether a session may see the page at a path. */
function accessTo(path: string): Pick<Page, "isOpenTo"> {
  if (path === platformPath) return {};
  return { isOpenTo: isWithin(path, operatorPath) ? isOperator : isPerson };
}

const ExpiredView = lazyView(() => import("./account/expired-password-page.tsx"));

/** The platform's area, for tenants and for the platform's operator. */
export const platformArea: Area = {
  path: platformPath,
  title: texts.title,
  icon: "tenants",
  service: "platform",
  pages: pages.map((page) => ({ ...page, ...accessTo(page.path) })),
  // Without an account, its first page offers the sign-in.
  isOpenTo: () => true,
  // The owner of this machine who opens the daemon starts in the Studio.
  startOf: ({ operator: mayOperate, local }, isHome) =>
    mayOperate && (isHome || !local) ? operatorPath : undefined,
  parametersOf: (location) => ({ tenant: tenantIdOf(location) }),
  commands,
  NavHead: lazy(() => import("./tenant/tenant-switcher-view.tsx")),
  menuOf: ({ ways }, signedIn) =>
    isPerson(signedIn)
      ? [{ label: texts.ownAccount, href: accountPath, icon: "user" }]
      : ways.person
        ? [{ label: texts.signIn, href: personPath, icon: "user" }]
        : [],
  barrierOf: ({ person }) => (person?.password_expired ? ExpiredView : undefined),
  token: operator.token,
};

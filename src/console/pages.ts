import { type LazyView, lazyView } from "./shell/lazy-view.tsx";
import { areaTexts, navTexts } from "./texts/shell.ts";

/** The parts of the console. Those of the gateway, the cloud and the translator join here. */
export type Area = "studio" | "platform";

/** The sides of the platform: what a tenant sees, and what its operator does. */
export type Side = "tenant" | "operator";

export interface Page {
  /** A pattern of wouter: `/studio/agents/:name`. */
  path: string;
  area: Area;
  side?: Side;
  /** In the navigation, under a heading; pages without it are reached from others. */
  nav?: { group: string; label: string; icon: IconName };
  /** Uses the whole width of the window. */
  wide?: boolean;
  View: LazyView;
}

export type IconName =
  | "agents"
  | "approvals"
  | "audit"
  | "book"
  | "chart"
  | "compare"
  | "connection"
  | "costs"
  | "gauge"
  | "gallery"
  | "heart"
  | "home"
  | "invoice"
  | "key"
  | "list"
  | "memory"
  | "models"
  | "plan"
  | "play"
  | "plug"
  | "price"
  | "tape"
  | "tenants"
  | "tool"
  | "trace"
  | "users";

const { studio, platform, operator } = navTexts;

/** Every page, each loaded when it is opened. A new one is a file and a line here. */
export const pages: readonly Page[] = [
  {
    path: "/studio",
    area: "studio",
    nav: { group: studio.design, label: studio.home, icon: "home" },
    View: lazyView(() => import("./studio/home/home-page.tsx")),
  },
  {
    path: "/studio/agents",
    area: "studio",
    nav: { group: studio.design, label: studio.agents, icon: "agents" },
    View: lazyView(() => import("./studio/agents/agents-page.tsx")),
  },
  {
    path: "/studio/gallery",
    area: "studio",
    nav: { group: studio.design, label: studio.gallery, icon: "gallery" },
    View: lazyView(() => import("./studio/gallery/gallery-page.tsx")),
  },
  {
    path: "/studio/agents/new",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./studio/agents/new-agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name",
    area: "studio",
    View: lazyView(() => import("./studio/agents/agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name/edit",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./studio/agents/edit-agent-page.tsx")),
  },
  {
    path: "/studio/playground",
    area: "studio",
    wide: true,
    nav: { group: studio.design, label: studio.playground, icon: "play" },
    View: lazyView(() => import("./studio/playground/playground-page.tsx")),
  },
  {
    path: "/studio/approvals",
    area: "studio",
    nav: { group: studio.watch, label: studio.approvals, icon: "approvals" },
    View: lazyView(() => import("./studio/approvals/approvals-page.tsx")),
  },
  {
    path: "/studio/traces",
    area: "studio",
    wide: true,
    nav: { group: studio.watch, label: studio.traces, icon: "trace" },
    View: lazyView(() => import("./studio/traces/traces-page.tsx")),
  },
  {
    path: "/studio/traces/:id",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./studio/traces/trace-page.tsx")),
  },
  {
    path: "/studio/recordings",
    area: "studio",
    nav: { group: studio.watch, label: studio.recordings, icon: "tape" },
    View: lazyView(() => import("./studio/recordings/recordings-page.tsx")),
  },
  {
    path: "/studio/recordings/:id",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./studio/recordings/recording-page.tsx")),
  },
  {
    path: "/studio/costs",
    area: "studio",
    nav: { group: studio.watch, label: studio.costs, icon: "costs" },
    View: lazyView(() => import("./studio/costs/costs-page.tsx")),
  },
  {
    path: "/studio/metrics",
    area: "studio",
    nav: { group: studio.watch, label: studio.metrics, icon: "chart" },
    View: lazyView(() => import("./studio/metrics/metrics-page.tsx")),
  },
  {
    path: "/studio/memory",
    area: "studio",
    nav: { group: studio.parts, label: studio.memory, icon: "memory" },
    View: lazyView(() => import("./studio/memory/memory-page.tsx")),
  },
  {
    path: "/studio/memory/:agent/:session",
    area: "studio",
    View: lazyView(() => import("./studio/memory/session-page.tsx")),
  },
  {
    path: "/studio/knowledge",
    area: "studio",
    nav: { group: studio.parts, label: studio.knowledge, icon: "book" },
    View: lazyView(() => import("./studio/knowledge/knowledge-page.tsx")),
  },
  {
    path: "/studio/knowledge/pipelines/edit",
    area: "studio",
    View: lazyView(() => import("./studio/knowledge/pipeline-page.tsx")),
  },
  {
    path: "/studio/knowledge/:collection",
    area: "studio",
    View: lazyView(() => import("./studio/knowledge/collection-page.tsx")),
  },
  {
    path: "/studio/tools",
    area: "studio",
    nav: { group: studio.parts, label: studio.tools, icon: "tool" },
    View: lazyView(() => import("./studio/tools/tools-page.tsx")),
  },
  {
    path: "/studio/tools/:name",
    area: "studio",
    View: lazyView(() => import("./studio/tools/tool-page.tsx")),
  },
  {
    path: "/studio/mcp",
    area: "studio",
    nav: { group: studio.parts, label: studio.mcp, icon: "plug" },
    View: lazyView(() => import("./studio/mcp/mcp-page.tsx")),
  },
  {
    path: "/studio/models",
    area: "studio",
    nav: { group: studio.parts, label: studio.models, icon: "models" },
    View: lazyView(() => import("./studio/models/models-page.tsx")),
  },
  {
    path: "/studio/doctor",
    area: "studio",
    nav: { group: studio.parts, label: studio.doctor, icon: "heart" },
    View: lazyView(() => import("./studio/doctor/doctor-page.tsx")),
  },

  {
    path: "/platform",
    area: "platform",
    View: lazyView(() => import("./platform/start-page.tsx")),
  },
  {
    path: "/platform/tenants",
    area: "platform",
    side: "tenant",
    nav: { group: platform.account, label: platform.tenants, icon: "tenants" },
    View: lazyView(() => import("./platform/tenant/tenants/tenants-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents",
    area: "platform",
    side: "tenant",
    nav: { group: platform.work, label: platform.agents, icon: "agents" },
    View: lazyView(() => import("./platform/tenant/agents/agents-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/new",
    area: "platform",
    side: "tenant",
    wide: true,
    View: lazyView(() => import("./platform/tenant/agents/new-agent-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name",
    area: "platform",
    side: "tenant",
    View: lazyView(() => import("./platform/tenant/agents/agent-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name/edit",
    area: "platform",
    side: "tenant",
    wide: true,
    View: lazyView(() => import("./platform/tenant/agents/edit-agent-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name/run",
    area: "platform",
    side: "tenant",
    wide: true,
    View: lazyView(() => import("./platform/tenant/runs/run-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/agents/:name/invocations/:id",
    area: "platform",
    side: "tenant",
    View: lazyView(() => import("./platform/tenant/runs/invocation-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/approvals",
    area: "platform",
    side: "tenant",
    nav: { group: platform.work, label: platform.approvals, icon: "approvals" },
    View: lazyView(() => import("./platform/tenant/approvals/approvals-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/usage",
    area: "platform",
    side: "tenant",
    nav: { group: platform.work, label: platform.usage, icon: "chart" },
    View: lazyView(() => import("./platform/tenant/usage/usage-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/connections",
    area: "platform",
    side: "tenant",
    nav: { group: platform.work, label: platform.connections, icon: "connection" },
    View: lazyView(() => import("./platform/tenant/connections/connections-page.tsx")),
  },
  {
    path: "/platform/t/:tenant/keys",
    area: "platform",
    side: "tenant",
    nav: { group: platform.work, label: platform.keys, icon: "key" },
    View: lazyView(() => import("./platform/tenant/keys/keys-page.tsx")),
  },

  {
    path: "/platform/operator",
    area: "platform",
    side: "operator",
    nav: { group: operator.watch, label: operator.overview, icon: "gauge" },
    View: lazyView(() => import("./platform/operator/overview/overview-page.tsx")),
  },
  {
    path: "/platform/operator/tenants",
    area: "platform",
    side: "operator",
    nav: { group: operator.watch, label: operator.tenants, icon: "tenants" },
    View: lazyView(() => import("./platform/operator/tenants/tenants-page.tsx")),
  },
  {
    path: "/platform/operator/tenants/:id",
    area: "platform",
    side: "operator",
    View: lazyView(() => import("./platform/operator/tenants/tenant-page.tsx")),
  },
  {
    path: "/platform/operator/agents",
    area: "platform",
    side: "operator",
    nav: { group: operator.watch, label: operator.agents, icon: "agents" },
    View: lazyView(() => import("./platform/operator/agents/agents-page.tsx")),
  },
  {
    path: "/platform/operator/invocations",
    area: "platform",
    side: "operator",
    wide: true,
    nav: { group: operator.watch, label: operator.invocations, icon: "list" },
    View: lazyView(() => import("./platform/operator/invocations/invocations-page.tsx")),
  },
  {
    path: "/platform/operator/invocations/:id",
    area: "platform",
    side: "operator",
    View: lazyView(() => import("./platform/operator/invocations/invocation-page.tsx")),
  },
  {
    path: "/platform/operator/tariffs",
    area: "platform",
    side: "operator",
    nav: { group: operator.money, label: operator.tariffs, icon: "price" },
    View: lazyView(() => import("./platform/operator/tariffs/tariffs-page.tsx")),
  },
  {
    path: "/platform/operator/plans",
    area: "platform",
    side: "operator",
    nav: { group: operator.money, label: operator.plans, icon: "plan" },
    View: lazyView(() => import("./platform/operator/plans/plans-page.tsx")),
  },
  {
    path: "/platform/operator/subscriptions",
    area: "platform",
    side: "operator",
    nav: { group: operator.money, label: operator.subscriptions, icon: "users" },
    View: lazyView(() => import("./platform/operator/subscriptions/subscriptions-page.tsx")),
  },
  {
    path: "/platform/operator/periods",
    area: "platform",
    side: "operator",
    nav: { group: operator.money, label: operator.periods, icon: "invoice" },
    View: lazyView(() => import("./platform/operator/periods/periods-page.tsx")),
  },
  {
    path: "/platform/operator/tenants/:id/statement",
    area: "platform",
    side: "operator",
    View: lazyView(() => import("./platform/operator/statement/statement-page.tsx")),
  },
  {
    path: "/platform/operator/margins",
    area: "platform",
    side: "operator",
    nav: { group: operator.money, label: operator.margins, icon: "costs" },
    View: lazyView(() => import("./platform/operator/margins/margins-page.tsx")),
  },
  {
    path: "/platform/operator/audit",
    area: "platform",
    side: "operator",
    nav: { group: operator.watch, label: operator.audit, icon: "audit" },
    View: lazyView(() => import("./platform/operator/audit/audit-page.tsx")),
  },
];

/** Where each area begins. */
export const homes: Readonly<Record<Area, string>> = { studio: "/studio", platform: "/platform" };

export const areaLabels: Readonly<Record<Area, string>> = areaTexts;

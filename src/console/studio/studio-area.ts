import type { Area, Commands, NavBadge, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { approvalsWaiting } from "../texts/counted.ts";
import { studioTexts as texts } from "../texts/studio/navigation.ts";
import { daemonOf } from "./use-daemon.ts";

const design: NavGroup = { title: texts.design };
const monitor: NavGroup = { title: texts.watch };
const resources: NavGroup = { title: texts.parts };

/** Approvals that wait for a person. */
const waiting: NavBadge = {
  queryKey: () => ["daemon", "approvals", "waiting"],
  read: async (server) =>
    (await daemonOf(server).listApprovals({ status: "pending", limit: 100 })).approvals.length,
  label: approvalsWaiting,
};

const pages: readonly Page[] = [
  {
    path: "/studio",
    nav: { group: design, label: texts.home, icon: "home", isStart: true },
    View: lazyView(() => import("./home/home-page.tsx")),
  },
  {
    path: "/studio/agents",
    nav: { group: design, label: texts.agents, icon: "agents" },
    View: lazyView(() => import("./agents/agents-page.tsx")),
  },
  {
    path: "/studio/gallery",
    nav: { group: design, label: texts.gallery, icon: "gallery" },
    View: lazyView(() => import("./gallery/gallery-page.tsx")),
  },
  {
    path: "/studio/agents/new",
    wide: true,
    View: lazyView(() => import("./agents/new-agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name",
    View: lazyView(() => import("./agents/agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name/edit",
    wide: true,
    View: lazyView(() => import("./agents/edit-agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name/history",
    View: lazyView(() => import("./agents/history/history-page.tsx")),
  },
  {
    path: "/studio/playground",
    wide: true,
    nav: { group: design, label: texts.playground, icon: "play" },
    View: lazyView(() => import("./playground/playground-page.tsx")),
  },
  {
    path: "/studio/dashboard",
    wide: true,
    nav: { group: monitor, label: texts.dashboard, icon: "gauge" },
    View: lazyView(() => import("./dashboard/dashboard-page.tsx")),
  },
  {
    path: "/studio/approvals",
    nav: { group: monitor, label: texts.approvals, icon: "approvals", badge: waiting },
    View: lazyView(() => import("./approvals/approvals-page.tsx")),
  },
  {
    path: "/studio/triggers",
    wide: true,
    nav: { group: monitor, label: texts.triggers, icon: "clock" },
    View: lazyView(() => import("./triggers/triggers-page.tsx")),
  },
  {
    path: "/studio/traces",
    wide: true,
    nav: { group: monitor, label: texts.traces, icon: "trace" },
    View: lazyView(() => import("./traces/traces-page.tsx")),
  },
  {
    path: "/studio/traces/compare",
    wide: true,
    View: lazyView(() => import("./traces/compare/compare-page.tsx")),
  },
  {
    path: "/studio/traces/:id",
    wide: true,
    View: lazyView(() => import("./traces/trace-page.tsx")),
  },
  {
    path: "/studio/recordings",
    nav: { group: monitor, label: texts.recordings, icon: "tape" },
    View: lazyView(() => import("./recordings/recordings-page.tsx")),
  },
  {
    path: "/studio/recordings/:id",
    wide: true,
    View: lazyView(() => import("./recordings/recording-page.tsx")),
  },
  {
    path: "/studio/evals",
    nav: { group: monitor, label: texts.evals, icon: "check" },
    View: lazyView(() => import("./evals/evals-page.tsx")),
  },
  {
    path: "/studio/evals/:name",
    View: lazyView(() => import("./evals/eval-page.tsx")),
  },
  {
    path: "/studio/eval-runs/:id",
    View: lazyView(() => import("./evals/run-page.tsx")),
  },
  {
    path: "/studio/eval-runs/:id/compare",
    View: lazyView(() => import("./evals/compare-page.tsx")),
  },
  {
    path: "/studio/costs",
    nav: { group: monitor, label: texts.costs, icon: "costs" },
    View: lazyView(() => import("./costs/costs-page.tsx")),
  },
  {
    path: "/studio/metrics",
    nav: { group: monitor, label: texts.metrics, icon: "chart" },
    View: lazyView(() => import("./metrics/metrics-page.tsx")),
  },
  {
    path: "/studio/memory",
    nav: { group: resources, label: texts.memory, icon: "memory" },
    View: lazyView(() => import("./memory/memory-page.tsx")),
  },
  {
    path: "/studio/memory/:agent/:session",
    View: lazyView(() => import("./memory/sessions/session-page.tsx")),
  },
  {
    path: "/studio/knowledge",
    nav: { group: resources, label: texts.knowledge, icon: "book" },
    View: lazyView(() => import("./knowledge/knowledge-page.tsx")),
  },
  {
    path: "/studio/knowledge/pipelines/edit",
    View: lazyView(() => import("./knowledge/pipelines/pipeline-page.tsx")),
  },
  {
    path: "/studio/knowledge/:collection",
    View: lazyView(() => import("./knowledge/collection-page.tsx")),
  },
  {
    path: "/studio/tools",
    nav: { group: resources, label: texts.tools, icon: "tool" },
    View: lazyView(() => import("./tools/tools-page.tsx")),
  },
  {
    path: "/studio/tools/:name",
    View: lazyView(() => import("./tools/tool-page.tsx")),
  },
  {
    path: "/studio/mcp",
    nav: { group: resources, label: texts.mcp, icon: "plug" },
    View: lazyView(() => import("./mcp/mcp-page.tsx")),
  },
  {
    path: "/studio/skills",
    nav: { group: resources, label: texts.skills, icon: "skill" },
    View: lazyView(() => import("./skills/skills-page.tsx")),
  },
  {
    path: "/studio/models",
    nav: { group: resources, label: texts.models, icon: "models" },
    View: lazyView(() => import("./models/models-page.tsx")),
  },
  {
    path: "/studio/ml",
    nav: { group: resources, label: texts.ml, icon: "chart" },
    View: lazyView(() => import("./ml/ml-page.tsx")),
  },
  {
    path: "/studio/mesh",
    nav: { group: resources, label: texts.mesh, icon: "graph" },
    View: lazyView(() => import("./mesh/mesh-page.tsx")),
  },
  {
    path: "/studio/doctor",
    nav: { group: resources, label: texts.doctor, icon: "heart" },
    View: lazyView(() => import("./doctor/doctor-page.tsx")),
  },
];

const commands: readonly Commands[] = [
  {
    group: texts.actions,
    queryKey: () => ["daemon", "actions"],
    read: async () => (await import("./find-commands.ts")).actions,
  },
  {
    group: texts.agents,
    queryKey: () => ["daemon", "agents", "commands"],
    read: async (server) => (await import("./find-commands.ts")).findAgents(daemonOf(server)),
  },
  {
    group: texts.traces,
    queryKey: ({ text }) => ["daemon", "traces", "commands", text],
    read: async (server, { text }) => (await import("./find-commands.ts")).findTraces(daemonOf(server), text),
  },
];

/** The daemon's area, for people who design agents and monitor their runs. */
export const studioArea: Area = {
  path: "/studio",
  title: texts.title,
  icon: "agents",
  service: "daemon",
  pages,
  isOpenTo: ({ daemon }) => daemon,
  commands,
  token: texts.token,
};

import type { Page } from "../page.ts";
import { lazyView } from "../shell/lazy-view.tsx";
import { navTexts } from "../texts/shell.ts";

const { studio } = navTexts;

/** The pages for people who design agents and monitor their runs. */
export const studioPages: readonly Page[] = [
  {
    path: "/studio",
    area: "studio",
    nav: { group: studio.design, label: studio.home, icon: "home" },
    View: lazyView(() => import("./home/home-page.tsx")),
  },
  {
    path: "/studio/agents",
    area: "studio",
    nav: { group: studio.design, label: studio.agents, icon: "agents" },
    View: lazyView(() => import("./agents/agents-page.tsx")),
  },
  {
    path: "/studio/gallery",
    area: "studio",
    nav: { group: studio.design, label: studio.gallery, icon: "gallery" },
    View: lazyView(() => import("./gallery/gallery-page.tsx")),
  },
  {
    path: "/studio/agents/new",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./agents/new-agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name",
    area: "studio",
    View: lazyView(() => import("./agents/agent-page.tsx")),
  },
  {
    path: "/studio/agents/:name/edit",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./agents/edit-agent-page.tsx")),
  },
  {
    path: "/studio/playground",
    area: "studio",
    wide: true,
    nav: { group: studio.design, label: studio.playground, icon: "play" },
    View: lazyView(() => import("./playground/playground-page.tsx")),
  },
  {
    path: "/studio/approvals",
    area: "studio",
    nav: { group: studio.watch, label: studio.approvals, icon: "approvals" },
    View: lazyView(() => import("./approvals/approvals-page.tsx")),
  },
  {
    path: "/studio/traces",
    area: "studio",
    wide: true,
    nav: { group: studio.watch, label: studio.traces, icon: "trace" },
    View: lazyView(() => import("./traces/traces-page.tsx")),
  },
  {
    path: "/studio/traces/:id",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./traces/trace-page.tsx")),
  },
  {
    path: "/studio/recordings",
    area: "studio",
    nav: { group: studio.watch, label: studio.recordings, icon: "tape" },
    View: lazyView(() => import("./recordings/recordings-page.tsx")),
  },
  {
    path: "/studio/recordings/:id",
    area: "studio",
    wide: true,
    View: lazyView(() => import("./recordings/recording-page.tsx")),
  },
  {
    path: "/studio/costs",
    area: "studio",
    nav: { group: studio.watch, label: studio.costs, icon: "costs" },
    View: lazyView(() => import("./costs/costs-page.tsx")),
  },
  {
    path: "/studio/metrics",
    area: "studio",
    nav: { group: studio.watch, label: studio.metrics, icon: "chart" },
    View: lazyView(() => import("./metrics/metrics-page.tsx")),
  },
  {
    path: "/studio/memory",
    area: "studio",
    nav: { group: studio.parts, label: studio.memory, icon: "memory" },
    View: lazyView(() => import("./memory/memory-page.tsx")),
  },
  {
    path: "/studio/memory/:agent/:session",
    area: "studio",
    View: lazyView(() => import("./memory/session-page.tsx")),
  },
  {
    path: "/studio/knowledge",
    area: "studio",
    nav: { group: studio.parts, label: studio.knowledge, icon: "book" },
    View: lazyView(() => import("./knowledge/knowledge-page.tsx")),
  },
  {
    path: "/studio/knowledge/pipelines/edit",
    area: "studio",
    View: lazyView(() => import("./knowledge/pipeline-page.tsx")),
  },
  {
    path: "/studio/knowledge/:collection",
    area: "studio",
    View: lazyView(() => import("./knowledge/collection-page.tsx")),
  },
  {
    path: "/studio/tools",
    area: "studio",
    nav: { group: studio.parts, label: studio.tools, icon: "tool" },
    View: lazyView(() => import("./tools/tools-page.tsx")),
  },
  {
    path: "/studio/tools/:name",
    area: "studio",
    View: lazyView(() => import("./tools/tool-page.tsx")),
  },
  {
    path: "/studio/mcp",
    area: "studio",
    nav: { group: studio.parts, label: studio.mcp, icon: "plug" },
    View: lazyView(() => import("./mcp/mcp-page.tsx")),
  },
  {
    path: "/studio/models",
    area: "studio",
    nav: { group: studio.parts, label: studio.models, icon: "models" },
    View: lazyView(() => import("./models/models-page.tsx")),
  },
  {
    path: "/studio/doctor",
    area: "studio",
    nav: { group: studio.parts, label: studio.doctor, icon: "heart" },
    View: lazyView(() => import("./doctor/doctor-page.tsx")),
  },
];

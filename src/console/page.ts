import type { LazyView } from "./shell/lazy-view.tsx";

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

import type { LazyView } from "./shell/lazy-view.tsx";

/** Areas of the console. The gateway, the cloud and the translator will add theirs here. */
export type Area = "studio" | "platform";

/** Sides of the platform: the pages for tenants, and those for the operator. */
export type Side = "tenant" | "operator";

export interface Page {
  /** A pattern of wouter, such as `/studio/agents/:name`. */
  path: string;
  area: Area;
  side?: Side;
  /** Entry in the navigation, under a heading. Pages without it are reached from other pages. */
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

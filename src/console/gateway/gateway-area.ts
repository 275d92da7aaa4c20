import { lazy } from "react";
import type { SignedInAs } from "../../contracts/console/session.ts";
import type { Area, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { gatewayPaths } from "./gateway-paths.ts";

const isOperator = ({ gateway }: SignedInAs): boolean => gateway === true;
const talk: NavGroup = { title: texts.talk };
const watch: NavGroup = { title: texts.watch };
const connect: NavGroup = { title: texts.connect };

const pages: readonly Page[] = [
  {
    path: gatewayPaths.stats,
    nav: { group: talk, label: texts.stats, icon: "home", isStart: true, isOpenTo: isOperator },
    View: lazyView(() => import("./start-page.tsx")),
  },
  {
    path: gatewayPaths.inbox,
    wide: true,
    nav: { group: talk, label: texts.inbox, icon: "chat" },
    View: lazyView(() => import("./inbox/inbox-page.tsx")),
  },
  {
    path: gatewayPaths.contacts,
    nav: { group: talk, label: texts.contacts, icon: "users" },
    View: lazyView(() => import("./contacts/contacts-page.tsx")),
  },
  {
    path: "/gateway/contacts/:id",
    View: lazyView(() => import("./contacts/contact-page.tsx")),
  },
  {
    path: gatewayPaths.phone(),
    wide: true,
    isOpenTo: isOperator,
    nav: { group: talk, label: texts.phone, icon: "phone" },
    View: lazyView(() => import("./phone/phone-page.tsx")),
  },
  {
    path: gatewayPaths.reports,
    nav: { group: watch, label: texts.reports, icon: "chart" },
    View: lazyView(() => import("./reports/reports-page.tsx")),
  },
  {
    path: gatewayPaths.outbox,
    wide: true,
    nav: { group: watch, label: texts.outbox, icon: "send" },
    View: lazyView(() => import("./outbox/outbox-page.tsx")),
  },
  {
    path: gatewayPaths.trail(),
    nav: { group: watch, label: texts.trail, icon: "trace" },
    View: lazyView(() => import("./trail/trail-page.tsx")),
  },
  {
    path: gatewayPaths.accounts,
    isOpenTo: isOperator,
    nav: { group: connect, label: texts.accounts, icon: "plug" },
    View: lazyView(() => import("./accounts/accounts-page.tsx")),
  },
  {
    path: "/gateway/accounts/:id",
    isOpenTo: isOperator,
    View: lazyView(() => import("./accounts/account-page.tsx")),
  },
];

/** The gateway's area, for its operators and for people who are the desk of a tenant. */
export const gatewayArea: Area = {
  path: gatewayPaths.stats,
  title: texts.title,
  icon: "chat",
  service: "gateway",
  pages,
  isOpenTo: ({ gateway, desk = [] }) => gateway === true || desk.length > 0,
  NavHead: lazy(() => import("./desk-switcher-view.tsx")),
  token: texts.token,
};

import type { Area, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { gatewayPaths } from "./gateway-paths.ts";

const talk: NavGroup = { title: texts.talk };
const watch: NavGroup = { title: texts.watch };
const connect: NavGroup = { title: texts.connect };

const pages: readonly Page[] = [
  {
    path: gatewayPaths.stats,
    nav: { group: talk, label: texts.stats, icon: "home", isStart: true },
    View: lazyView(() => import("./stats/stats-page.tsx")),
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
    nav: { group: talk, label: texts.phone, icon: "phone" },
    View: lazyView(() => import("./phone/phone-page.tsx")),
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
    nav: { group: connect, label: texts.accounts, icon: "plug" },
    View: lazyView(() => import("./accounts/accounts-page.tsx")),
  },
  {
    path: "/gateway/accounts/:id",
    View: lazyView(() => import("./accounts/account-page.tsx")),
  },
];

/** The gateway's area, for its operators. */
export const gatewayArea: Area = {
  path: gatewayPaths.stats,
  title: texts.title,
  icon: "chat",
  service: "gateway",
  pages,
  isOpenTo: ({ gateway }) => gateway === true,
  token: texts.token,
};

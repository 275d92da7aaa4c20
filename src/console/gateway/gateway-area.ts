import type { Area, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { gatewayPaths } from "./gateway-paths.ts";

const connect: NavGroup = { title: texts.connect };

const pages: readonly Page[] = [
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
  path: "/gateway",
  title: texts.title,
  service: "gateway",
  pages,
  isOpenTo: ({ gateway }) => gateway === true,
  token: texts.token,
};

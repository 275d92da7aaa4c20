import type { Area, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { operationsTexts as texts } from "../texts/operations/operations.ts";

const own: NavGroup = { title: texts.process };
const data: NavGroup = { title: texts.data };

const pages: readonly Page[] = [
  {
    path: "/operations",
    nav: { group: own, label: texts.workers, icon: "gauge", isStart: true },
    View: lazyView(() => import("./workers/workers-page.tsx")),
  },
  {
    path: "/operations/logs",
    wide: true,
    nav: { group: own, label: texts.logs, icon: "list" },
    View: lazyView(() => import("./logs/logs-page.tsx")),
  },
  {
    path: "/operations/storage",
    nav: { group: data, label: texts.storage, icon: "memory" },
    View: lazyView(() => import("./storage/storage-page.tsx")),
  },
  {
    path: "/operations/backups",
    nav: { group: data, label: texts.backups, icon: "clip" },
    View: lazyView(() => import("./backups/backups-page.tsx")),
  },
];

/** The operations area, for the owner of the machine. */
export const operationsArea: Area = {
  path: "/operations",
  title: texts.title,
  icon: "system",
  service: "daemon",
  pages,
  isOpenTo: ({ daemon, local }) => daemon && local,
};

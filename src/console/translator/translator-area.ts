import type { Area, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { translatorTexts as texts } from "../texts/translator/translator.ts";
import { translatorPaths } from "./translator-paths.ts";

const translate: NavGroup = { title: texts.translate };
const reference: NavGroup = { title: texts.reference };

const pages: readonly Page[] = [
  {
    path: translatorPaths.specs,
    nav: { group: translate, label: texts.specs, icon: "list", isStart: true },
    View: lazyView(() => import("./specs/specs-page.tsx")),
  },
  {
    path: translatorPaths.newSpec,
    wide: true,
    View: lazyView(() => import("./specs/new-spec-page.tsx")),
  },
  {
    path: "/translator/specs/:kind/:name",
    View: lazyView(() => import("./specs/spec-page.tsx")),
  },
  {
    path: "/translator/specs/:kind/:name/edit",
    wide: true,
    View: lazyView(() => import("./specs/edit-spec-page.tsx")),
  },
  {
    path: translatorPaths.accounts,
    nav: { group: translate, label: texts.accounts, icon: "cloud" },
    View: lazyView(() => import("./accounts/accounts-page.tsx")),
  },
  {
    path: translatorPaths.coverage,
    nav: { group: reference, label: texts.coverage, icon: "check" },
    View: lazyView(() => import("./coverage/coverage-page.tsx")),
  },
];

/** The manifest translator's area. */
export const translatorArea: Area = {
  path: translatorPaths.specs,
  title: texts.title,
  icon: "graph",
  service: "translator",
  pages,
  isOpenTo: ({ translator }) => translator === true,
};

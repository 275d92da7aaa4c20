import { lazy } from "react";
import type { SignedInAs } from "../../contracts/console/session.ts";
import type { Area, Commands, NavGroup, Page } from "../area.ts";
import { lazyView } from "../parts/states/lazy-view.tsx";
import { cloudTexts as texts } from "../texts/cloud/cloud.ts";
import { cloudAccountPath, cloudPath, cloudSignInPath } from "./cloud-paths.ts";
import { orgSlugOf } from "./org-slug.ts";

const isMember = ({ cloud }: SignedInAs) => cloud === true;

const build: NavGroup = { title: texts.build, isOpenTo: isMember };
const manage: NavGroup = { title: texts.manage, isOpenTo: isMember };

const pages: readonly Page[] = [
  {
    path: cloudPath,
    View: lazyView(() => import("./start-page.tsx")),
  },
  {
    path: cloudSignInPath,
    View: lazyView(() => import("./sign-in-page.tsx")),
  },
  {
    path: cloudAccountPath,
    View: lazyView(() => import("./account/account-page.tsx")),
  },
  {
    path: "/cloud/o/:org/agents",
    nav: { group: build, label: texts.agents, icon: "agents" },
    View: lazyView(() => import("./agents/agents-page.tsx")),
  },
  {
    path: "/cloud/o/:org/new-agent",
    wide: true,
    View: lazyView(() => import("./agents/new-agent-page.tsx")),
  },
  {
    path: "/cloud/o/:org/agents/:name",
    View: lazyView(() => import("./agents/agent-page.tsx")),
  },
  {
    path: "/cloud/o/:org/agents/:name/edit",
    wide: true,
    View: lazyView(() => import("./agents/edit-agent-page.tsx")),
  },
  {
    path: "/cloud/o/:org/evals",
    nav: { group: build, label: texts.evals, icon: "check" },
    View: lazyView(() => import("./evals/evals-page.tsx")),
  },
  {
    path: "/cloud/o/:org/eval-runs/:id",
    View: lazyView(() => import("./evals/eval-run-page.tsx")),
  },
  {
    path: "/cloud/o/:org/usage",
    nav: { group: build, label: texts.usage, icon: "chart" },
    View: lazyView(() => import("./usage/usage-page.tsx")),
  },
  {
    path: "/cloud/o/:org/keys",
    nav: { group: manage, label: texts.keys, icon: "key" },
    View: lazyView(() => import("./keys/keys-page.tsx")),
  },
  {
    path: "/cloud/o/:org/providers",
    nav: { group: manage, label: texts.providers, icon: "models" },
    View: lazyView(() => import("./providers/providers-page.tsx")),
  },
  {
    path: "/cloud/o/:org/members",
    nav: { group: manage, label: texts.members, icon: "users" },
    View: lazyView(() => import("./members/members-page.tsx")),
  },
  {
    path: "/cloud/o/:org/audit",
    nav: { group: manage, label: texts.audit, icon: "audit" },
    View: lazyView(() => import("./audit/audit-page.tsx")),
  },
];

const commands: readonly Commands[] = [
  {
    group: texts.agents,
    queryKey: ({ signedIn, parameters: { org } }) =>
      isMember(signedIn) && org !== undefined ? ["cloud", org, "agents", "commands"] : undefined,
    read: async (server, context) => (await import("./find-commands.ts")).findAgents(server, context),
  },
];

/** The managed cloud's area, for people of its orgs. */
export const cloudArea: Area = {
  path: cloudPath,
  title: texts.title,
  icon: "cloud",
  service: "cloud",
  pages: pages.map((page) =>
    [cloudPath, cloudSignInPath].includes(page.path) ? page : { ...page, isOpenTo: isMember },
  ),
  // Without an account of the cloud, its first page offers the sign-in.
  isOpenTo: () => true,
  parametersOf: (location) => ({ org: orgSlugOf(location) }),
  commands,
  NavHead: lazy(() => import("./org-switcher-view.tsx")),
  menuOf: ({ ways }, signedIn) =>
    ways.cloud === undefined
      ? []
      : [
          ...(isMember(signedIn)
            ? [{ label: texts.ownAccount, href: cloudAccountPath, icon: "user" as const }]
            : []),
          { label: isMember(signedIn) ? texts.another : texts.signIn, href: cloudSignInPath, icon: "cloud" },
        ],
};

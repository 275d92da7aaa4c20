export const scheme = "argosy";

const id = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/** Console pages that a link may open. `true`: the page takes one id after its name. */
const pages: Readonly<Record<string, { path: string; takesId: boolean }>> = {
  home: { path: "/studio", takesId: false },
  agents: { path: "/studio/agents", takesId: true },
  approvals: { path: "/studio/approvals", takesId: false },
  costs: { path: "/studio/costs", takesId: false },
  gallery: { path: "/studio/gallery", takesId: false },
  knowledge: { path: "/studio/knowledge", takesId: true },
  models: { path: "/studio/models", takesId: false },
  playground: { path: "/studio/playground", takesId: false },
  traces: { path: "/studio/traces", takesId: true },
};

export const approvalsPath = "/studio/approvals";

/**
 * Returns the console's path for `argosy://agents/support`; undefined for anything that is not in the list. Any web page can open such a
 * link, so a link only shows a page: it never starts, approves or changes anything.
 */
export function pathOfDeepLink(link: string): string | undefined {
  const [, name = "", rest] = /^argosy:\/\/([a-z]+)(?:\/([^/?#]*))?\/?$/.exec(link) ?? [];
  const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
  if (page === undefined) return undefined;
  if (rest === undefined || rest === "") return page.path;
  return page.takesId && id.test(rest) ? `${page.path}/${rest}` : undefined;
}

/** Returns the path of the first deep link among the arguments of a process. */
export function pathInArguments(argv: readonly string[]): string | undefined {
  const link = argv.find((argument) => argument.startsWith(`${scheme}:`));
  return link === undefined ? undefined : pathOfDeepLink(link);
}

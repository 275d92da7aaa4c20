import { matchRoute, useLocation, useRouter } from "wouter";
import {
  type Area,
  isWithin,
  type NavGroup,
  type NavPlace,
  openAreas,
  type Page,
  useAreas,
} from "../area.ts";
import { useSession } from "../session/session.tsx";

/** A place in the navigation, with the address of its page. */
export interface NavEntry extends NavPlace {
  area: Area;
  href: string;
  preload: () => void;
  /** Values of the area's path parameters. */
  parameters: Readonly<Record<string, string | undefined>>;
}

/** Returns the areas that this session can open. */
export function useOpenAreas(): Area[] {
  const { state, signedIn } = useSession();
  return openAreas(useAreas(), state, signedIn);
}

/** Returns the navigation at this address: the area, and its pages by heading. */
export function useNav(): { area: Area | undefined; groups: { group: NavGroup; entries: NavEntry[] }[] } {
  const [location] = useLocation();
  const open = useOpenAreas();
  const area = open.find(({ path }) => isWithin(location, path)) ?? open[0];
  const entries = useEntries().filter((entry) => entry.area === area);
  const groups = new Map<NavGroup, NavEntry[]>();
  for (const entry of entries) {
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  }
  return { area, groups: [...groups].map(([group, ofGroup]) => ({ group, entries: ofGroup })) };
}

/** Returns every page that this session can open from the navigation. */
export function useEntries(): NavEntry[] {
  const [location] = useLocation();
  const { signedIn } = useSession();
  return useOpenAreas().flatMap((area) => {
    const parameters = area.parametersOf?.(location) ?? {};
    return area.pages.flatMap(({ nav, path, View, isOpenTo }) => {
      if (nav === undefined) return [];
      if ([isOpenTo, nav.isOpenTo, nav.group.isOpenTo].some((isOpen) => isOpen?.(signedIn) === false))
        return [];
      const href = addressOf(path, parameters);
      return href === undefined ? [] : [{ ...nav, area, href, parameters, preload: View.preload }];
    });
  });
}

function addressOf(
  pattern: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  if (names.some((name) => parameters[name] === undefined)) return undefined;
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => parameters[name] ?? "");
}

/** Returns the page for the address, if there is one. */
export function usePage(): Page | undefined {
  const { parser } = useRouter();
  const [location] = useLocation();
  return useAreas()
    .flatMap(({ pages }) => pages)
    .find(({ path }) => matchRoute(parser, path, location)[0]);
}

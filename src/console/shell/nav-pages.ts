import { useLocation } from "wouter";
import type { Area, Page } from "../page.ts";
import { pages } from "../pages.ts";
import { useTenantId } from "../platform/tenant-id.ts";
import { type Session, useSession } from "../session/session.tsx";

export interface NavEntry {
  page: Page;
  href: string;
}

/** Returns the areas available in this session. */
export function useAreas(): Area[] {
  return areasOf(useSession());
}

function areasOf({ state, signedIn }: Session): Area[] {
  const areas: Area[] = [];
  if (state.services.includes("daemon") && signedIn.daemon) areas.push("studio");
  // Without a platform session, the area's first page offers the sign-in.
  if (state.services.includes("platform")) areas.push("platform");
  return areas;
}

/** Returns the navigation at this address: the area, and its pages by heading. */
export function useNavPages(): { area: Area; groups: { group: string; entries: NavEntry[] }[] } {
  const [location] = useLocation();
  const session = useSession();
  const tenant = useTenantId();
  const areas = areasOf(session);
  const area: Area = location.startsWith("/platform") ? "platform" : (areas[0] ?? "studio");
  const entries = entriesOf(session, tenant).filter(({ page }) => page.area === area);
  const names = [...new Set(entries.map(({ page }) => page.nav?.group ?? ""))];
  return {
    area,
    groups: names.map((group) => ({
      group,
      entries: entries.filter(({ page }) => page.nav?.group === group),
    })),
  };
}

/** Returns every page that this session can open. */
export function useEntries(): NavEntry[] {
  const session = useSession();
  return entriesOf(session, useTenantId());
}

function entriesOf(session: Session, tenant: string | undefined): NavEntry[] {
  const { signedIn } = session;
  const areas = areasOf(session);
  return pages.flatMap((page) => {
    if (page.nav === undefined || !areas.includes(page.area)) return [];
    if (page.side === "operator" && !signedIn.operator) return [];
    if (page.side === "tenant" && signedIn.person === undefined) return [];
    if (!page.path.includes(":tenant")) return [{ page, href: page.path }];
    return tenant === undefined ? [] : [{ page, href: page.path.replace(":tenant", tenant) }];
  });
}

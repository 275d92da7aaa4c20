import { SegmentedControl } from "@mantine/core";
import { lazy, Suspense } from "react";
import { Link, useLocation } from "wouter";
import type { Area, Page } from "../page.ts";
import { areaLabels, homes } from "../pages.ts";
import { useSession } from "../session/session.tsx";
import { shellTexts } from "../texts/shell.ts";
import { BrandMark } from "./brand-mark.tsx";
import { Icon } from "./icon.tsx";
import { useAreas, useNavPages } from "./nav-pages.ts";

const TenantSwitcherView = lazy(() => import("../platform/tenant/tenant-switcher-view.tsx"));

/** Links by area and heading. */
export function Navigation() {
  const [location, go] = useLocation();
  const { state } = useSession();
  const areas = useAreas();
  const { area, groups } = useNavPages();
  return (
    <nav aria-label={shellTexts.navigation} className="ar-navigation">
      <Link className="ar-brand" href={homes[area]}>
        <BrandMark />
        {shellTexts.product}
      </Link>
      {areas.length > 1 && (
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={shellTexts.areas}
          value={area}
          data={areas.map((value) => ({ value, label: areaLabels[value] }))}
          onChange={(value) => go(homes[value as Area])}
        />
      )}
      {area === "platform" && (
        <Suspense>
          <TenantSwitcherView />
        </Suspense>
      )}
      <div>
        {groups.map(({ group, entries }) => (
          <div key={group}>
            <div className="ar-nav-group" id={`nav-${group}`}>
              {group}
            </div>
            <ul className="ar-nav-list" aria-labelledby={`nav-${group}`}>
              {entries.map(({ page, href }) => (
                <li key={href}>
                  <NavEntry page={page} href={href} isCurrent={isCurrent(location, href)} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <div className="ar-side-foot ar-soft">
        <small>{shellTexts.version(state.version)}</small>
      </div>
    </nav>
  );
}

function NavEntry({ page, href, isCurrent }: { page: Page; href: string; isCurrent: boolean }) {
  if (page.nav === undefined) return null;
  return (
    <Link
      className="ar-nav"
      href={href}
      aria-current={isCurrent ? "page" : undefined}
      onPointerEnter={page.View.preload}
      onFocus={page.View.preload}
    >
      <Icon name={page.nav.icon} />
      <span className="ar-clip">{page.nav.label}</span>
    </Link>
  );
}

/** Returns true if a link is current. An area's start page is the prefix of all others, so it is current only on an exact match. */
function isCurrent(location: string, href: string): boolean {
  if (location === href) return true;
  return href !== "/studio" && href !== "/platform/operator" && location.startsWith(`${href}/`);
}

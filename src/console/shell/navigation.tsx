import { Suspense } from "react";
import { Link, useLocation } from "wouter";
import { isWithin } from "../area.ts";
import { BrandMark } from "../design/brand-mark.tsx";
import { Icon } from "../parts/icon.tsx";
import { useSession } from "../session/session.tsx";
import { shellTexts } from "../texts/shell.ts";
import { AreaSwitcher } from "./area-switcher.tsx";
import { type NavEntry, useNav } from "./use-nav.ts";

/** Links by area and heading. */
export function Navigation() {
  const [location] = useLocation();
  const { state } = useSession();
  const { area, groups } = useNav();
  return (
    <nav aria-label={shellTexts.navigation} className="ar-navigation">
      <Link className="ar-brand" href={area?.path ?? "/"}>
        <BrandMark />
        {shellTexts.product}
      </Link>
      <AreaSwitcher />
      {area?.NavHead !== undefined && (
        <Suspense>
          <area.NavHead />
        </Suspense>
      )}
      <div>
        {groups.map(({ group, entries }) => (
          <div key={group.title}>
            <div className="ar-nav-group" id={`nav-${group.title}`}>
              {group.title}
            </div>
            <ul className="ar-nav-list" aria-labelledby={`nav-${group.title}`}>
              {entries.map((entry) => (
                <li key={entry.href}>
                  <NavLink entry={entry} isCurrent={isCurrent(location, entry)} />
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

function NavLink({ entry, isCurrent }: { entry: NavEntry; isCurrent: boolean }) {
  const { href, label, icon, preload } = entry;
  return (
    <Link
      className="ar-nav"
      href={href}
      aria-current={isCurrent ? "page" : undefined}
      onPointerEnter={preload}
      onFocus={preload}
    >
      <Icon name={icon} />
      <span className="ar-clip">{label}</span>
    </Link>
  );
}

/** Returns true if a link is current: its page, or one below it, is at this address. */
const isCurrent = (location: string, { href, isStart }: NavEntry): boolean =>
  isStart ? location === href : isWithin(location, href);

import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { Link, useLocation } from "wouter";
import { useServer } from "../api/use-server.tsx";
import { isWithin, type NavBadge } from "../area.ts";
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
  const { href, label, icon, preload, badge, parameters } = entry;
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
      {badge !== undefined && <Badge badge={badge} parameters={parameters} />}
    </Link>
  );
}

/** The number beside an entry. Nothing is shown for none, or while it is not known. */
function Badge({ badge, parameters }: { badge: NavBadge; parameters: NavEntry["parameters"] }) {
  const server = useServer();
  const { data = 0 } = useQuery({
    queryKey: badge.queryKey(parameters),
    queryFn: () => badge.read(server, parameters),
    retry: false,
  });
  if (data === 0) return null;
  return (
    <span className="ar-nav-badge ar-tabular">
      <span aria-hidden="true">{data > badgeMax ? `${badgeMax}+` : data}</span>
      <VisuallyHidden>{badge.label(data)}</VisuallyHidden>
    </span>
  );
}

/** Largest number that a badge shows. */
const badgeMax = 99;

/** Returns true if a link is current: its page, or one below it, is at this address. */
const isCurrent = (location: string, { href, isStart }: NavEntry): boolean =>
  isStart ? location === href : isWithin(location, href);

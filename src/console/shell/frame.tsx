import { ActionIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Suspense, useEffect, useRef } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { useServer } from "../api/use-server.tsx";
import { homeOf } from "../homes.ts";
import { pages } from "../pages.ts";
import { LoadingState } from "../parts/loading-state.tsx";
import { useSession } from "../session/session.tsx";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";
import { Navigation } from "./navigation.tsx";
import { NotFoundView } from "./not-found-view.tsx";
import { OfflineBanner } from "./offline-banner.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { PaletteButton } from "./palette-button.tsx";
import { usePage } from "./use-page.ts";
import { useView } from "./use-view.ts";
import { UserMenu } from "./user-menu.tsx";

/** Navigation, head, and the page for the address. */
export function Frame() {
  const [isOpen, drawer] = useDisclosure(false);
  const [DrawerView, loadDrawer] = useView(() => import("./drawer-view.tsx"));
  const [location] = useLocation();
  const { connection } = useServer();
  const main = useRef<HTMLElement>(null);
  const last = useRef(location);

  // A new page starts at the top, also for screen readers.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what changes
  useEffect(() => {
    const from = last.current;
    last.current = location;
    // The root redirects to an area's start page.
    if (from === location || from === "/") return;
    drawer.close();
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [location]);

  const page = usePage();
  return (
    <>
      <a className="ar-skip" href="#main">
        {shellTexts.skip}
      </a>
      <div className="ar-frame">
        <div className="ar-side">
          <Navigation />
        </div>
        {DrawerView !== undefined && <DrawerView opened={isOpen} close={drawer.close} />}
        <div className="ar-stage">
          <header className="ar-top">
            <ActionIcon
              className="ar-burger"
              variant="subtle"
              color="gray"
              aria-label={shellTexts.openNavigation}
              onClick={async () => {
                if (await loadDrawer()) drawer.open();
              }}
            >
              <Icon name="burger" />
            </ActionIcon>
            <PaletteButton />
            <UserMenu />
          </header>
          <OfflineBanner />
          <main id="main" ref={main} className="ar-main" tabIndex={-1} data-wide={page?.wide || undefined}>
            <PageBoundary key={location} connection={connection}>
              <Suspense fallback={<LoadingState />}>
                <Pages />
              </Suspense>
            </PageBoundary>
          </main>
        </div>
      </div>
    </>
  );
}

function Pages() {
  const { state, signedIn } = useSession();
  const home = homeOf(state.home, signedIn);
  return (
    <Switch>
      <Route path="/">
        <Redirect to={home} replace />
      </Route>
      {pages.map(({ path, View }) => (
        <Route key={path} path={path}>
          <View />
        </Route>
      ))}
      <Route>
        <NotFoundView />
      </Route>
    </Switch>
  );
}

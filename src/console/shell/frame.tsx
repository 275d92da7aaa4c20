import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { lazy, Suspense, useEffect, useRef } from "react";
import { Link, Redirect, Route, Switch, useLocation } from "wouter";
import { useServer } from "../api/use-server.tsx";
import { homeOf, mayOpen, useAreas } from "../area.ts";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { LoadingState } from "../parts/states/loading-state.tsx";
import { OfflineBanner } from "../parts/states/offline-banner.tsx";
import { useSession } from "../session/session.tsx";
import { shellTexts } from "../texts/shell.ts";
import { FailedReads } from "./failed-reads.tsx";
import { Navigation } from "./navigation.tsx";
import { PageBoundary } from "./page-boundary.tsx";
import { TopBar } from "./top-bar.tsx";
import { usePage } from "./use-nav.ts";
import { useView } from "./use-view.ts";

const SignInNeeded = lazy(() => import("../session/sign-in-needed-view.tsx"));

/** Navigation, head, and the page for the address. */
export function Frame() {
  const [isOpen, drawer] = useDisclosure(false);
  const [DrawerView, loadDrawer] = useView(() => import("./navigation-drawer-view.tsx"));
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
          <TopBar
            openNavigation={async () => {
              if (await loadDrawer()) drawer.open();
            }}
          />
          <OfflineBanner />
          <main id="main" ref={main} className="ar-main" tabIndex={-1} data-wide={page?.wide || undefined}>
            <FailedReads />
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
  const areas = useAreas();
  const home = homeOf(areas, state.home, signedIn);
  return (
    <Switch>
      <Route path="/">
        <Redirect to={home} replace />
      </Route>
      {/* The address of the gateway's console in its API. */}
      <Route path="/ui/*?">
        <Redirect to={home} replace />
      </Route>
      {areas.flatMap((area) =>
        area.pages.map((page) => {
          const View = area.barrierOf?.(signedIn) ?? page.View;
          return (
            <Route key={page.path} path={page.path}>
              {mayOpen(area, page, signedIn) ? <View /> : <SignInNeeded service={area.service} />}
            </Route>
          );
        }),
      )}
      <Route>
        <NotFoundView />
      </Route>
    </Switch>
  );
}

/** The page for an unknown address. */
function NotFoundView() {
  return (
    <>
      <PageHeader title={shellTexts.notFoundTitle} />
      <EmptyState text={shellTexts.notFoundHint}>
        <Button component={Link} href="/" variant="light">
          {shellTexts.toHome}
        </Button>
      </EmptyState>
    </>
  );
}

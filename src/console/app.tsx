import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import type { Server } from "./api/server.ts";
import { ServerProvider } from "./api/use-server.tsx";
import { readNonce } from "./design/nonce.ts";
import { theme } from "./design/theme.ts";
import { SessionProvider, useSessionPhase } from "./session/session.tsx";
import { Frame } from "./shell/frame.tsx";
import { Notices } from "./shell/notices.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { StartingView, UnreachableView } from "./shell/plain-views.tsx";
import { usePage } from "./shell/use-page.ts";

const SignInPage = lazy(() => import("./session/sign-in-page.tsx"));

const colorSchemes = localStorageColorSchemeManager({ key: "argosy-color-scheme" });

/** The console: its pages if the user is signed in, otherwise the sign-in page. */
export function App({ server }: { server: Server }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
      getStyleNonce={readNonce}
    >
      <Notices />
      <QueryClientProvider client={server.queries}>
        <ServerProvider server={server}>
          <PageBoundary connection={server.connection}>
            <Content server={server} />
          </PageBoundary>
        </ServerProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Content({ server }: { server: Server }) {
  const now = useSessionPhase(server);
  const page = usePage();
  // Loads the first page's code while the session is being read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first page alone
  useEffect(() => void page?.View.preload(), []);
  switch (now.phase) {
    case "starting":
      return <StartingView />;
    case "unreachable":
      return <UnreachableView retry={now.retry} />;
    case "signed-out":
      return (
        <Suspense fallback={<StartingView />}>
          <SignInPage state={now.state} failure={now.failure} signIn={now.signIn} />
        </Suspense>
      );
    case "signed-in":
      return (
        <SessionProvider session={now.session}>
          <Frame />
        </SessionProvider>
      );
  }
}

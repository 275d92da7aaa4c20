import {
  Button,
  Center,
  Loader,
  localStorageColorSchemeManager,
  MantineProvider,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import type { Server } from "./api/server.ts";
import { ServerProvider } from "./api/use-server.tsx";
import { type Area, AreasProvider } from "./area.ts";
import { BrandMark } from "./design/brand-mark.tsx";
import { readNonce } from "./design/nonce.ts";
import { theme } from "./design/theme.ts";
import { Notices } from "./parts/notices.tsx";
import { MinuteTickProvider } from "./parts/text/minute-tick.tsx";
import { SessionProvider, useSessionPhase } from "./session/session.tsx";
import { Frame } from "./shell/frame.tsx";
import { PageBoundary } from "./shell/page-boundary.tsx";
import { usePage } from "./shell/use-nav.ts";
import { shellTexts } from "./texts/shell.ts";

const SessionEndedView = lazy(() => import("./session/session-ended-view.tsx"));
const PasswordLinkPage = lazy(() => import("./session/password-link-page.tsx"));
const SignInPage = lazy(() => import("./session/sign-in-page.tsx"));

const colorSchemes = localStorageColorSchemeManager({ key: "argosy-color-scheme" });

/** The console: its pages if the user is signed in, otherwise the sign-in page. */
export function App({ server, areas }: { server: Server; areas: readonly Area[] }) {
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
            <AreasProvider value={areas}>
              <Content server={server} />
            </AreasProvider>
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
          <SignInPage {...now} />
        </Suspense>
      );
    case "password-link":
      return (
        <Suspense fallback={<StartingView />}>
          <PasswordLinkPage {...now} />
        </Suspense>
      );
    case "signed-in":
      return (
        <SessionProvider session={now.session}>
          <MinuteTickProvider>
            <Frame key={now.key} />
          </MinuteTickProvider>
          {now.hasEnded && (
            <Suspense>
              <SessionEndedView />
            </Suspense>
          )}
        </SessionProvider>
      );
  }
}

/** Shown until the session is known. */
function StartingView() {
  return (
    <Center mih="100dvh" role="status" aria-label={shellTexts.starting}>
      <Loader aria-hidden="true" />
    </Center>
  );
}

/** Shown if the first request got no answer. */
function UnreachableView({ retry }: { retry: () => void }) {
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack align="center" maw={420} ta="center">
        <BrandMark size={40} />
        <Title order={1}>{shellTexts.unreachableTitle}</Title>
        <Text className="ar-soft">{shellTexts.unreachableHint}</Text>
        <Button onClick={retry}>{shellTexts.retry}</Button>
      </Stack>
    </Center>
  );
}

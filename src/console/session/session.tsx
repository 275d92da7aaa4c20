import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ConsoleState, SessionRequest, SignedInAs } from "../../contracts/console/session.ts";
import { keyStore } from "../api/key-store.ts";
import type { Server } from "../api/server.ts";
import { takeVendorReturn } from "./vendor-return.ts";

/** The signed-in user and the features available to them. */
export interface Session {
  state: ConsoleState;
  signedIn: SignedInAs;
  signIn(request: SessionRequest): Promise<void>;
  signOut(): Promise<void>;
  /** Why the page's link, or the return from a vendor's page, did not sign in. */
  failure?: unknown;
}

/** The state of the session, including the data of the sign-in page. */
export type SessionPhase =
  | { phase: "starting" }
  | { phase: "unreachable"; retry: () => void }
  | { phase: "signed-out"; state: ConsoleState; failure?: unknown; signIn: Session["signIn"] }
  | { phase: "signed-in"; session: Session };

/**
 * Starts the session: by the one-time link, else with the browser's stored session, else without a credential if the server requires none.
 */
export function useSessionPhase(server: Server): SessionPhase {
  const [state, setState] = useState<ConsoleState>();
  const [failure, setFailure] = useState<unknown>();
  const [isUnreachable, setUnreachable] = useState(false);
  /** The user signed out: a late answer of the ended session must not begin another one. */
  const hasLeft = useRef(false);

  const signIn = useCallback(
    async (request: SessionRequest) => {
      const { key, ...begun } = await server.session.begin(request);
      keyStore.keep(key);
      hasLeft.current = false;
      setFailure(undefined);
      // Another account of the cloud has other orgs.
      if ("cloud" in request) server.queries.removeQueries({ queryKey: ["cloud"] });
      setState(begun);
    },
    [server],
  );
  const signOut = useCallback(async () => {
    hasLeft.current = true;
    try {
      await server.session.end();
    } catch (thrown) {
      hasLeft.current = false;
      throw thrown;
    }
    keyStore.forget();
    server.queries.clear();
    setState((now) => now && { ...now, signed_in: null });
  }, [server]);

  const start = useCallback(async () => {
    setUnreachable(false);
    const link = takeOpenLink();
    const returned = takeVendorReturn();
    try {
      if (link !== undefined || returned !== undefined) {
        try {
          if (link !== undefined) return await signIn({ link });
          if (returned !== undefined && "code" in returned) return await signIn({ cloud: returned });
          if (returned !== undefined) throw new Error(returned.refusal);
        } catch (thrown) {
          setFailure(thrown);
        }
      }
      const found = await server.session.read();
      if (found.signed_in === null && found.ways.open && link === undefined) await signIn({});
      else setState(found);
    } catch {
      setUnreachable(true);
    }
  }, [server, signIn]);

  useEffect(() => void start(), [start]);
  useEffect(
    () =>
      server.whenSessionEnds(() => {
        if (!hasLeft.current) void start();
      }),
    [server, start],
  );

  return useMemo<SessionPhase>(() => {
    if (isUnreachable) return { phase: "unreachable", retry: () => void start() };
    if (state === undefined) return { phase: "starting" };
    if (state.signed_in === null) return { phase: "signed-out", state, failure, signIn };
    return { phase: "signed-in", session: { state, signedIn: state.signed_in, signIn, signOut, failure } };
  }, [isUnreachable, state, failure, signIn, signOut, start]);
}

/**
 * Returns the one-time token of the link that opened this page. Removes it from the address at once, so that the history does not keep it.
 */
function takeOpenLink(): string | undefined {
  const token = /^#open=([\w-]+)$/.exec(location.hash)?.[1];
  if (token !== undefined) history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** Returns the session of this page. Only for components below the sign-in. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new Error("There is no session here.");
  return session;
}

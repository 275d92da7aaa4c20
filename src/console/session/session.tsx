import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ConsoleState, SessionRequest, SignedInAs } from "../../contracts/console/session.ts";
import { forgetDrafts } from "../api/draft-shelf.ts";
import { keyStore } from "../api/key-store.ts";
import type { Server } from "../api/server.ts";
import { notify } from "../parts/notices.tsx";
import { shellTexts } from "../texts/shell.ts";
import { takeVendorReturn } from "./vendor-return.ts";

/** The signed-in user and the features available to them. */
export interface Session {
  state: ConsoleState;
  signedIn: SignedInAs;
  signIn(request: SessionRequest): Promise<unknown>;
  signOut(): Promise<void>;
  /** Reads the identity again, after the page has changed it. */
  reread(): Promise<void>;
  /** Why the page's link, or the return from a vendor's page, did not sign in. */
  failure?: unknown;
}

/** The state of the session, including the data of the sign-in page. */
export type SessionPhase =
  | { phase: "starting" }
  | { phase: "unreachable"; retry: () => void }
  | { phase: "signed-out"; state: ConsoleState; failure?: unknown; signIn: Session["signIn"] }
  /** The page was opened by an operator's link to choose a password. */
  | { phase: "password-link"; token: string; signIn: Session["signIn"]; leave: () => void }
  /** `hasEnded`: the session ended by itself, and its page waits for the next sign-in. `key` changes when another person signs in then. */
  | { phase: "signed-in"; session: Session; hasEnded: boolean; key: number };

/**
 * Starts the session: by the one-time link, else with the browser's stored session, else without a credential if the server requires none.
 */
export function useSessionPhase(server: Server): SessionPhase {
  const [state, setState] = useState<ConsoleState>();
  const [failure, setFailure] = useState<unknown>();
  const [isUnreachable, setUnreachable] = useState(false);
  /** The user signed out: a late answer of the ended session must not begin another one. */
  const hasLeft = useRef(false);
  /** The last identity: a page stays while its session has ended by itself. */
  const last = useRef<SignedInAs>(null);
  last.current = state?.signed_in ?? last.current;
  const [key, setKey] = useState(0);
  const [passwordLink, setPasswordLink] = useState(() => takeToken("password"));

  const signIn = useCallback(
    async (request: SessionRequest) => {
      const { key, ...begun } = await server.session.begin(request);
      keyStore.keep(key);
      hasLeft.current = false;
      setFailure(undefined);
      // Another account has other orgs and tenants.
      if ("cloud" in request) void server.queries.resetQueries({ queryKey: ["cloud"] });
      if (last.current !== null && last.current.person?.id !== begun.signed_in?.person?.id) {
        void server.queries.resetQueries({ queryKey: ["platform"] });
        forgetDrafts(localStorage);
        setKey((now) => now + 1);
      }
      setState(begun);
      // A page that waited for the sign-in reads again what was refused.
      if (last.current !== null) void server.queries.invalidateQueries();
      return begun;
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
    forgetDrafts(sessionStorage);
    forgetDrafts(localStorage);
    server.queries.clear();
    last.current = null;
    setState((now) => now && { ...now, signed_in: null });
  }, [server]);

  const reread = useCallback(async () => setState(await server.session.read()), [server]);

  const start = useCallback(async () => {
    setUnreachable(false);
    const link = takeToken("open");
    const returned = takeVendorReturn();
    try {
      if (link !== undefined || returned !== undefined) {
        try {
          if (link !== undefined) return void (await signIn({ link }));
          if (returned !== undefined && "code" in returned) return void (await signIn({ cloud: returned }));
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

  /** Reads the session again after a refusal, once for all calls that are refused at the same time. */
  const checking = useRef<Promise<void>>(undefined);
  const check = useCallback(async () => {
    const before = last.current;
    if (hasLeft.current || before === null) return;
    try {
      let found: ConsoleState = await server.session.read();
      if (found.signed_in === null && found.ways.open) found = await signIn({});
      if (found.signed_in !== null && hasLost(before, found.signed_in)) notify(shellTexts.partlySignedOut);
      setState(found);
    } catch {
      // The banner reports a server that does not answer.
    }
  }, [server, signIn]);
  useEffect(
    () =>
      server.whenRefused(() => {
        checking.current ??= check().finally(() => {
          checking.current = undefined;
        });
      }),
    [server, check],
  );

  return useMemo<SessionPhase>(() => {
    if (isUnreachable) return { phase: "unreachable", retry: () => void start() };
    if (state === undefined) return { phase: "starting" };
    if (passwordLink !== undefined) {
      const leave = () => setPasswordLink(undefined);
      return { phase: "password-link", token: passwordLink, signIn, leave };
    }
    const signedIn = state.signed_in ?? last.current;
    if (signedIn === null) return { phase: "signed-out", state, failure, signIn };
    const session = { state, signedIn, signIn, signOut, reread, failure };
    return { phase: "signed-in", session, hasEnded: state.signed_in === null, key };
  }, [isUnreachable, state, key, failure, passwordLink, signIn, signOut, reread, start]);
}

/** Returns true if a session may do less than before. */
const hasLost = (before: SignedInAs, now: SignedInAs): boolean =>
  before.person?.id !== now.person?.id ||
  (["daemon", "operator", "gateway", "translator", "cloud"] as const).some(
    (permission) => before[permission] === true && now[permission] !== true,
  );

/**
 * Returns the one-time token of the link of this kind that opened this page. Removes it from the address at once, so that the history does
 * not keep it.
 */
export function takeToken(kind: "open" | "password" | "email"): string | undefined {
  const [, found, token] = /^#(\w+)=([\w-]+)$/.exec(location.hash) ?? [];
  if (found !== kind) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
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

import { useCallback, useEffect, useRef, useState } from "react";

/** Guards a page with unsaved changes against navigation. */
export interface LeaveGuard {
  isAsking: boolean;
  stay(): void;
  leave(): void;
  /** Runs `go` without asking. If `go` throws, the guard asks again as before. */
  pass<Result>(go: () => Promise<Result>): Promise<Result>;
}

/**
 * While `isDirty`, asks before the user leaves the page by a link, the command palette, the browser's back and forward, or by closing the
 * window. The router uses `history`, so the guard intercepts `history`.
 */
export function useLeaveGuard(isDirty: boolean): LeaveGuard {
  const [held, setHeld] = useState<() => void>();
  const isOff = useRef(false);

  useEffect(() => {
    if (!isDirty) return;
    const path = location.pathname;
    const push = history.pushState;
    const isElsewhere = (to: string | URL | null | undefined) =>
      to !== null && to !== undefined && new URL(to, location.href).pathname !== path;
    history.pushState = function guarded(state, unused, to) {
      if (isOff.current || !isElsewhere(to)) return push.call(history, state, unused, to);
      setHeld(() => () => history.pushState(state, unused, to));
    };
    // Back and forward can be cancelled only in browsers with the Navigation API; the router learns of them too early.
    const onNavigate = (event: NavigateEvent) => {
      if (isOff.current || event.navigationType !== "traverse" || !event.cancelable) return;
      if (!isElsewhere(event.destination.url)) return;
      event.preventDefault();
      const { key } = event.destination;
      setHeld(() => () => void window.navigation.traverseTo(key));
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.navigation?.addEventListener("navigate", onNavigate);
    addEventListener("beforeunload", onUnload);
    return () => {
      history.pushState = push;
      window.navigation?.removeEventListener("navigate", onNavigate);
      removeEventListener("beforeunload", onUnload);
    };
  }, [isDirty]);

  const pass = useCallback(async <Result>(go: () => Promise<Result>) => {
    isOff.current = true;
    try {
      return await go();
    } catch (thrown) {
      isOff.current = false;
      throw thrown;
    }
  }, []);
  const stay = useCallback(() => setHeld(undefined), []);
  const leave = useCallback(() => {
    if (held === undefined) return;
    setHeld(undefined);
    isOff.current = true;
    held();
  }, [held]);
  return { isAsking: held !== undefined, stay, leave, pass };
}

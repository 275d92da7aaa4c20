import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const nearPx = 80;

const isNearEnd = (): boolean =>
  window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - nearPx;

/**
 * Keeps the end of the page in view while it grows, until the reader scrolls up. `toEnd` scrolls to the end; `follow` does so only if the
 * reader is there.
 */
export function useAutoScroll(grown: unknown): {
  isFollowing: boolean;
  toEnd: () => void;
  follow: () => void;
} {
  const [isFollowing, setFollowing] = useState(true);
  const follows = useRef(true);
  const set = (follow: boolean) => {
    follows.current = follow;
    setFollowing(follow);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens once
  useEffect(() => {
    let before = window.scrollY;
    const scrolled = () => {
      const isUp = window.scrollY < before - 2;
      before = window.scrollY;
      if (isNearEnd()) set(true);
      else if (isUp) set(false);
    };
    window.addEventListener("scroll", scrolled, { passive: true });
    return () => window.removeEventListener("scroll", scrolled);
  }, []);
  const follow = useCallback(() => {
    if (follows.current) scrollToEnd();
  }, []);
  useLayoutEffect(() => {
    if (grown !== undefined) follow();
  }, [grown, follow]);
  return {
    isFollowing,
    follow,
    toEnd() {
      set(true);
      scrollToEnd();
    },
  };
}

const scrollToEnd = (): void => window.scrollTo({ top: document.documentElement.scrollHeight });

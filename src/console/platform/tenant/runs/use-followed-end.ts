import { useLayoutEffect, useRef } from "react";

/** Nearer than this to the end of the page, the reader follows what comes. */
const nearPx = 160;

/** Keeps the end of the page in sight while what is above it grows, unless the reader scrolled up. */
export function useFollowedEnd(grown: unknown) {
  const end = useRef<HTMLDivElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what grew is why the end moved
  useLayoutEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
    if (scrollHeight - clientHeight - scrollTop < nearPx + window.innerHeight / 2) {
      end.current?.scrollIntoView({ block: "end" });
    }
  }, [grown]);
  return end;
}

import { useElementSize } from "@mantine/hooks";
import type { ReactNode } from "react";

/** Scrolls content that may be too wide. While it is, the keyboard can focus and scroll it. */
export function SideScroll({ children }: { children: ReactNode }) {
  const outer = useElementSize();
  const inner = useElementSize();
  const isWider = inner.width > outer.width + 1;
  return (
    <div className="ar-scroll" ref={outer.ref} {...(isWider ? { tabIndex: 0 } : {})}>
      <div className="ar-scroll-inner" ref={inner.ref}>
        {children}
      </div>
    </div>
  );
}

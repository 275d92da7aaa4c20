import type { ReactNode } from "react";

/** The save button and the state of the draft, always visible at the lower edge of the window. */
export function SaveBar({ children }: { children: ReactNode }) {
  return <div className="ar-save-bar">{children}</div>;
}

import type { ReactNode } from "react";

/** The state of what is edited and the button that saves it, in sight at the lower edge however long the page is. */
export function SaveBar({ children }: { children: ReactNode }) {
  return <div className="ar-save-bar">{children}</div>;
}

import { useEffect } from "react";

/** Escape calls `stop` while something runs, unless a list or a dialog that is open takes it. */
export function useEscape(isRunning: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isRunning) return;
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !isTaken(event.target)) stop();
    };
    // Before anybody closes what is open: afterwards nobody knows that it was.
    window.addEventListener("keydown", pressed, { capture: true });
    return () => window.removeEventListener("keydown", pressed, { capture: true });
  }, [isRunning, stop]);
}

function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]') !== null) return true;
  return (
    target instanceof Element && target.getAttribute("aria-expanded") === "true" && target.role === "combobox"
  );
}

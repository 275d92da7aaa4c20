import { useEffect } from "react";

/** Calls `stop` on Escape while a run is active, unless an open list or dialog handles the key. */
export function useEscape(isRunning: boolean, stop: () => void): void {
  useEffect(() => {
    if (!isRunning) return;
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !isTaken(event.target)) stop();
    };
    // Captures the key before other handlers close a list or dialog, so that it can see that one is open.
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

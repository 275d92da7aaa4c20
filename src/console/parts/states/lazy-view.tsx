import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from "react";
import { LoadingState } from "./loading-state.tsx";

export interface LazyView {
  (): ReactNode;
  /** Preloads the code. A failure is reported when the component is shown, and does not reject the promise. */
  preload(): Promise<void>;
}

/**
 * Creates a component whose code is loaded when it is first shown. React's own `lazy` shows its fallback for at least 300 ms, which would
 * delay the first visit of each page.
 */
export function lazyView(read: () => Promise<{ default: ComponentType }>): LazyView {
  let Ready: ComponentType | undefined;
  const load = async () => {
    Ready = (await read()).default;
  };

  function View() {
    const [, showAgain] = useReducer((times: number) => times + 1, 0);
    const [failure, setFailure] = useState<{ thrown: unknown }>();
    const isMissing = Ready === undefined;
    // The code may have arrived since the render, so the effect renders again in any case.
    useEffect(() => {
      if (isMissing) load().then(showAgain, (thrown) => setFailure({ thrown }));
    }, [isMissing]);
    if (failure !== undefined) throw failure.thrown;
    return Ready === undefined ? <LoadingState /> : <Ready />;
  }

  return Object.assign(View, { preload: () => load().catch(() => undefined) });
}

import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from "react";
import { LoadingState } from "../parts/loading-state.tsx";

export interface LazyView {
  (): ReactNode;
  /** Loads its code ahead; what fails then is told when it is shown. */
  preload(): void;
}

/**
 * A component whose code is loaded when it is first shown. React's own `lazy` keeps what it shows meanwhile for 300 ms at
 * least, which every first visit of a page would wait for.
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
    // It may have come since this was drawn: what was drawn without it is drawn again in any case.
    useEffect(() => {
      if (isMissing) load().then(showAgain, (thrown) => setFailure({ thrown }));
    }, [isMissing]);
    if (failure !== undefined) throw failure.thrown;
    return Ready === undefined ? <LoadingState /> : <Ready />;
  }

  return Object.assign(View, { preload: () => void load().catch(() => undefined) });
}

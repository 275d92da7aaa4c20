import { type ComponentType, useRef, useState } from "react";
import { useServer } from "../api/use-server.tsx";

/**
 * Returns a part of the frame and `load`, which loads its code on first use. `load` returns false if the server did not answer, and reports
 * the lost connection.
 */
export function useView<Props>(
  read: () => Promise<{ default: ComponentType<Props> }>,
): [View: ComponentType<Props> | undefined, load: () => Promise<boolean>] {
  const { connection } = useServer();
  const [View, setView] = useState<ComponentType<Props>>();
  const hasFailed = useRef(false);
  const load = async () => {
    // A browser requests a module only once, so a retry needs a page reload.
    if (hasFailed.current && !connection.isLost()) location.reload();
    try {
      const { default: Loaded } = await read();
      setView(() => Loaded);
      return true;
    } catch {
      hasFailed.current = true;
      connection.lost();
      return false;
    }
  };
  return [View, load];
}

import { type ComponentType, useRef, useState } from "react";
import { useServer } from "../api/use-server.tsx";

/** A part of the frame whose code `load` gets when it is first wanted: false when no server gave it, which is told as any other call's failing. */
export function useView<Props>(
  read: () => Promise<{ default: ComponentType<Props> }>,
): [View: ComponentType<Props> | undefined, load: () => Promise<boolean>] {
  const { connection } = useServer();
  const [View, setView] = useState<ComponentType<Props>>();
  const hasFailed = useRef(false);
  const load = async () => {
    // A browser asks for the same module once; only a new page asks again.
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

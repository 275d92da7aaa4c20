import { Kbd } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useState } from "react";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";

const CommandPaletteView = lazy(() => import("./command-palette-view.tsx"));

/** Looks like a field and opens the command palette, which is one; so do Ctrl+K, Cmd+K and the slash. */
export function PaletteButton() {
  const [isWanted, setWanted] = useState(false);
  const open = async () => {
    setWanted(true);
    // From its second time on the palette is there, and listens.
    (await import("@mantine/spotlight")).spotlight.open();
  };
  useHotkeys([
    ["mod+K", open],
    ["/", open],
  ]);
  return (
    <>
      <button type="button" className="ar-palette-button" onClick={open} aria-keyshortcuts="Control+K">
        <Icon name="search" />
        <span className="ar-clip">{shellTexts.search}</span>
        <Kbd size="xs" aria-hidden="true">
          Ctrl K
        </Kbd>
      </button>
      {isWanted && (
        <Suspense>
          <CommandPaletteView />
        </Suspense>
      )}
    </>
  );
}

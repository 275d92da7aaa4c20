import { Kbd } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";
import { useView } from "./use-view.ts";

/** A button that looks like a field and opens the command palette, as do Ctrl+K, Cmd+K and the slash. */
export function PaletteButton() {
  const [View, load] = useView(() => import("./command-palette-view.tsx"));
  const open = async () => {
    if (View === undefined) await load();
    // Once loaded, the palette handles the shortcut itself.
    else (await import("@mantine/spotlight")).spotlight.open();
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
      {View !== undefined && <View />}
    </>
  );
}

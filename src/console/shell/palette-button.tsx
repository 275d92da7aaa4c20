import { Kbd } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";
import { useView } from "./use-view.ts";

/** Looks like a field and opens the command palette, which is one; so do Ctrl+K, Cmd+K and the slash. */
export function PaletteButton() {
  const [View, load] = useView(() => import("./command-palette-view.tsx"));
  const open = async () => {
    if (View === undefined) await load();
    // From its second time on the palette is there, and listens.
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

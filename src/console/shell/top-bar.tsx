import { ActionIcon, Kbd } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { Icon } from "../parts/icon.tsx";
import { shellTexts } from "../texts/shell.ts";
import { useNav } from "./use-nav.ts";
import { useView } from "./use-view.ts";

/** The head of every page: on narrow windows the navigation's button and whose pages these are, the search and the user menu. */
export function TopBar({ openNavigation }: { openNavigation: () => void }) {
  const { keysDialog, showKeys } = useKeysDialog();
  const { area } = useNav();
  return (
    <header className="ar-top">
      <ActionIcon
        className="ar-burger"
        variant="subtle"
        color="gray"
        aria-label={shellTexts.openNavigation}
        onClick={openNavigation}
      >
        <Icon name="burger" />
      </ActionIcon>
      <PaletteButton showKeys={showKeys} />
      {area?.NavHead !== undefined && (
        <div className="ar-top-head">
          <Suspense>
            <area.NavHead />
          </Suspense>
        </div>
      )}
      <UserMenu />
      {keysDialog}
    </header>
  );
}

/** A button that looks like a field and opens the command palette, as do Ctrl+K, Cmd+K and the slash. */
function PaletteButton({ showKeys }: { showKeys: () => void }) {
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
      {View !== undefined && <View showKeys={showKeys} />}
    </>
  );
}

/** The list of keys: its dialog, and the function that opens it. */
function useKeysDialog(): { keysDialog: ReactNode; showKeys: () => void } {
  const [View, load] = useView(() => import("./keys-dialog-view.tsx"));
  const [isOpen, dialog] = useDisclosure(false);
  const open = async () => {
    if (View !== undefined || (await load())) dialog.open();
  };
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || isTaken(event.target)) return;
      void latest.current();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  const view = View === undefined ? null : <View opened={isOpen} close={dialog.close} />;
  return { keysDialog: view, showKeys: () => void open() };
}

/** Returns true in a field or a dialog, where a key has its own meaning. */
const isTaken = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable="true"], [role="dialog"]') !== null;

/** The menu with the signed-in user, the colour scheme and the sign-out. Its code is loaded when it is first opened. */
function UserMenu() {
  const [View, load] = useView(() => import("./user-menu-view.tsx"));
  if (View !== undefined) return <View />;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={shellTexts.account}
      aria-haspopup="menu"
      onClick={load}
    >
      <Icon name="user" size={18} />
    </ActionIcon>
  );
}

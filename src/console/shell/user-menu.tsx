import { ActionIcon } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";

const UserMenuView = lazy(() => import("./user-menu-view.tsx"));

/** Who is signed in, how the console looks, and the way out; loaded when it is first opened. */
export function UserMenu() {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={shellTexts.account}
      aria-haspopup="menu"
      onClick={() => setWanted(true)}
    >
      <Icon name="user" size={18} />
    </ActionIcon>
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <UserMenuView />
    </Suspense>
  ) : (
    button
  );
}

import { ActionIcon } from "@mantine/core";
import { shellTexts } from "../texts/shell.ts";
import { Icon } from "./icon.tsx";
import { useView } from "./use-view.ts";

/** The menu with the signed-in user, the colour scheme and the sign-out. Its code is loaded when it is first opened. */
export function UserMenu() {
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

import { Drawer } from "@mantine/core";
import { shellTexts } from "../texts/shell.ts";
import { Navigation } from "./navigation.tsx";

/** The navigation on a narrow window. */
export default function DrawerView({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={264}
      padding="xs"
      title={shellTexts.product}
      closeButtonProps={{ "aria-label": shellTexts.closeNavigation }}
    >
      <Navigation />
    </Drawer>
  );
}

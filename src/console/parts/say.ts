import { notifications } from "@mantine/notifications";
import { partTexts } from "../texts/parts.ts";

/** A short word on what was done, at the edge of the window. */
export const say = (message: string): void =>
  void notifications.show({
    message,
    color: "sea",
    autoClose: 3500,
    closeButtonProps: { "aria-label": partTexts.close },
  });

import { notifications } from "@mantine/notifications";

/** A short word on what was done, at the edge of the window. */
export const say = (message: string): void =>
  void notifications.show({ message, color: "sea", autoClose: 3500 });

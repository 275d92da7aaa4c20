import { Notifications } from "@mantine/notifications";

/** The place where they appear. */
export default function NoticesView() {
  return <Notifications position="bottom-right" limit={4} />;
}

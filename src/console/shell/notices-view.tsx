import { Notifications } from "@mantine/notifications";

/** The place where they appear. */
export default function NoticesView() {
  return <Notifications position="bottom-left" limit={4} containerWidth={320} />;
}

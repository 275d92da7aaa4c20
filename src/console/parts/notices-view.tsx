import { Notifications } from "@mantine/notifications";

/** The container of the notices. */
export default function NoticesView() {
  return <Notifications position="bottom-left" limit={4} containerWidth={320} />;
}

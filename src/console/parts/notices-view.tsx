import { Notifications } from "@mantine/notifications";

/** The container of the notices: beside the navigation and above the buttons that save. */
export default function NoticesView() {
  return <Notifications className="ar-notices" position="bottom-left" limit={4} containerWidth={320} />;
}

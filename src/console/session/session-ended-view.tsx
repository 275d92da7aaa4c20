import { Modal } from "@mantine/core";
import { signInTexts as texts } from "../texts/shell.ts";
import { useSession } from "./session.tsx";
import SignInPage from "./sign-in-page.tsx";

/** The sign-in over a page whose session has ended: below it, the page keeps its place and what was typed. */
export default function SessionEndedView() {
  const session = useSession();
  return (
    <Modal
      opened
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      aria-label={texts.ended}
      transitionProps={{ duration: 0 }}
      onClose={() => {}}
    >
      <SignInPage {...session} hasEnded />
    </Modal>
  );
}

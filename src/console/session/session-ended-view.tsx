import { Modal } from "@mantine/core";
import { signInTexts as texts } from "../texts/shell.ts";
import { useSession } from "./session.tsx";
import SignInPage from "./sign-in-page.tsx";

/** The sign-in over a page whose session has ended: below it, the page keeps its place and what was typed. */
export default function SessionEndedView() {
  const session = useSession();
  return (
    <Modal.Root opened fullScreen closeOnEscape={false} transitionProps={{ duration: 0 }} onClose={() => {}}>
      <Modal.Content aria-label={texts.ended}>
        <SignInPage {...session} hasEnded />
      </Modal.Content>
    </Modal.Root>
  );
}

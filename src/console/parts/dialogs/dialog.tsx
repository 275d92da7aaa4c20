import { Modal, type ModalProps } from "@mantine/core";
import { useEffect } from "react";
import { partTexts } from "../../texts/parts.ts";

/**
 * A modal dialog. When it goes, the focus returns to what had it before. Mantine does so only for dialogs that are on the page while they
 * are closed.
 */
export function Dialog({ closeButtonProps, ...props }: ModalProps) {
  const { opened } = props;
  useEffect(() => {
    if (!opened) return;
    const before = document.activeElement;
    return () => {
      // After the dialog's elements are gone, nothing else has the focus.
      setTimeout(() => {
        if (before instanceof HTMLElement && document.activeElement === document.body)
          before.focus({ preventScroll: true });
      });
    };
  }, [opened]);
  return <Modal {...props} closeButtonProps={{ "aria-label": partTexts.close, ...closeButtonProps }} />;
}

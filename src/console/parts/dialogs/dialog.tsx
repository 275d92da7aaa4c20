import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useMemo } from "react";
import { partTexts } from "../../texts/parts.ts";

interface DialogProps extends ModalProps {
  /** True while nothing closes the dialog. */
  isHeld?: boolean | undefined;
}

/**
 * A modal dialog. When it goes, the focus returns to what had it before, or to the button of the menu that had it. Mantine does so only for
 * dialogs that are on the page while they are closed.
 */
export function Dialog({ closeButtonProps, isHeld = false, onClose, ...props }: DialogProps) {
  const { opened } = props;
  // While this renders, the menu is still on the page. It goes in the commit that opens the dialog.
  const before = useMemo(() => (opened ? placeOfFocus() : null), [opened]);
  useEffect(() => {
    if (before === null) return;
    return () => {
      const last = document.activeElement?.closest('[role="dialog"]') ? document.activeElement : null;
      // By now the dialog's elements are gone or closing. What has got the focus meanwhile keeps it.
      setTimeout(() => {
        const { activeElement, body } = document;
        if (activeElement === body || activeElement === last) before.focus({ preventScroll: true });
      });
    };
  }, [before]);
  return (
    <Modal
      {...props}
      onClose={() => {
        if (!isHeld) onClose();
      }}
      closeButtonProps={{ "aria-label": partTexts.close, disabled: isHeld, ...closeButtonProps }}
    />
  );
}

/** Returns the element with the focus. For an item of a menu, returns the menu's button, because the item goes when the menu closes. */
function placeOfFocus(): HTMLElement | null {
  const focused = document.activeElement;
  const button = focused?.closest('[role="menu"]')?.getAttribute("aria-labelledby");
  const place = button == null ? focused : document.getElementById(button);
  return place instanceof HTMLElement ? place : null;
}

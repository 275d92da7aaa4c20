import type { KeyboardEvent } from "react";

/** For every field whose text is sent: Enter sends, also with Ctrl or ⌘; Shift+Enter starts a new line. Enter may also end a word of an IME. */
export const sendsOnEnter = (send: () => void) => (event: KeyboardEvent<HTMLTextAreaElement>) => {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  send();
};

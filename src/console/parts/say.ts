/** Event for `Notices`, which loads the code that shows notices with the first one. */
export const noticeEvent = "argosy-notice";

/** Shows a short notice of a completed action at the edge of the window. */
export function say(message: string): void {
  window.dispatchEvent(new CustomEvent<string>(noticeEvent, { detail: message }));
}

/** What `Notices` listens for; it loads what shows them when there is the first one. */
export const noticeEvent = "argosy-notice";

/** A short word on what was done, at the edge of the window. */
export function say(message: string): void {
  window.dispatchEvent(new CustomEvent<string>(noticeEvent, { detail: message }));
}

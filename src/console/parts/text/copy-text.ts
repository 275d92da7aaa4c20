/** Copies a text to the clipboard. `near` is an element whose parent may hold a field for a moment. Returns false if the browser refuses. */
export async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  // Missing on pages without TLS, whatever its type says.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  try {
    await clipboard?.writeText(text);
    return clipboard === undefined ? copySelected(text, near) : true;
  } catch {
    return copySelected(text, near);
  }
}

/** Copies as the keyboard does, from a field that nobody sees. It stands beside the element, because a dialog keeps the focus within itself. */
function copySelected(text: string, near: HTMLElement): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.ariaHidden = "true";
  field.style.cssText = "position: fixed; inset: 0 auto auto 0; width: 1px; height: 1px; opacity: 0";
  near.after(field);
  try {
    field.select();
    return document.execCommand("copy");
  } finally {
    field.remove();
    near.focus();
  }
}

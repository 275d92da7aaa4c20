/** Copies a text to the clipboard. If the page may not write to it, a hidden field next to `near` has the focus for a moment. Returns false if the browser refuses. */
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

/** Copies the selected text of a hidden field. The field is next to `near`, because an open dialog takes the focus back from fields outside it. */
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

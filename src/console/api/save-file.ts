/** Offers a text of the page as a file to download. */
export const saveFile = (name: string, type: string, text: string): void =>
  saveBlob(name, new Blob([text], { type }));

/** Offers bytes as a file to download. */
export const saveBytes = (name: string, type: string, bytes: Uint8Array<ArrayBuffer>): void =>
  saveBlob(name, new Blob([bytes], { type }));

/** Offers a blob as a file to download. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

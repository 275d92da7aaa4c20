const control = /\p{Cc}/gu;

/**
 * Text that can't steer a terminal: ESC and the other control characters become visible signs; line ends and tabs stay.
 * For everything that a model, a file or a server may have written.
 */
export function neutralise(text: string): string {
  return text.replace(control, (character) => {
    if (character === "\n" || character === "\t") return character;
    // Alone it would write over the line; before a line feed it says nothing.
    if (character === "\r") return "";
    const code = character.charCodeAt(0);
    // Unicode has pictures for C0 and DEL, none for C1.
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\ufffd";
  });
}

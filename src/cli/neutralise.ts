const control = /\p{Cc}/gu;

/**
 * Returns text that cannot control a terminal: ESC and the other control characters become visible signs; line ends and tabs stay. For all
 * text that a model, a file or a server may have written.
 */
export function neutralise(text: string): string {
  return text.replace(control, (character) => {
    if (character === "\n" || character === "\t") return character;
    // Alone it would overwrite the line; before a line feed it has no meaning.
    if (character === "\r") return "";
    const code = character.charCodeAt(0);
    // Unicode has control pictures for C0 and DEL, none for C1.
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\ufffd";
  });
}

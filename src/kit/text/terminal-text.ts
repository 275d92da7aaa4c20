/**
 * Characters that control a terminal, end a line or change the direction of others: C0 except tab and line feed, DEL, C1, the separators of
 * lines and paragraphs, and the marks, embeddings, overrides and isolates of bidirectional text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;

/** Returns text that can't control a terminal: such characters become escapes, such as `\u001b`. JSON text keeps its value. */
export function escapeControls(text: string): string {
  return text.replace(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

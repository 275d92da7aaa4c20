/** The part of a key event that decides. */
interface PressedKey {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  nativeEvent: { isComposing: boolean };
}

/** Returns true for the keys that send a text of several lines, everywhere in the console: Ctrl+Enter, or Cmd+Enter. Enter begins a new line. */
export const isSendKey = ({ key, ctrlKey, metaKey, nativeEvent }: PressedKey): boolean =>
  key === "Enter" && (ctrlKey || metaKey) && !nativeEvent.isComposing;

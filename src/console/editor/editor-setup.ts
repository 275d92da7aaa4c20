import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { readNonce } from "../design/nonce.ts";
import { editorPhrases } from "../texts/editor.ts";

export type EditorLanguage = "yaml" | "json" | "text";

export interface EditorWish {
  language: EditorLanguage;
  label: string;
  isReadOnly: boolean;
  extensions?: Extension | undefined;
}

/** Returns the common setup of our editors. Escape, then Tab, leaves an editor by the keyboard. */
export function editorSetup({ language, label, isReadOnly, extensions = [] }: EditorWish): Extension {
  return [
    EditorView.cspNonce.of(readNonce()),
    // A scrollable area must be focusable by the keyboard, even if it is read-only.
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorView.lineWrapping,
    EditorState.phrases.of(editorPhrases),
    EditorState.readOnly.of(isReadOnly),
    EditorState.tabSize.of(2),
    lineNumbers(),
    foldGutter(),
    lintGutter(),
    highlightSpecialChars(),
    highlightSelectionMatches(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    isReadOnly ? [] : [highlightActiveLine(), highlightActiveLineGutter()],
    syntaxHighlighting(highlight),
    appearance,
    languageOf(language),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    extensions,
  ];
}

function languageOf(language: EditorLanguage): Extension {
  if (language === "yaml") return yaml();
  return language === "json" ? json() : [];
}

/** Uses CSS variables of the page, so that one theme serves both colour schemes. */
const appearance = EditorView.theme({
  "&": { backgroundColor: "var(--ar-raised)", color: "var(--ar-ink)", fontSize: "0.8125rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--ar-accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--ar-mono)", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "var(--ar-sunk)", color: "var(--ar-ink-soft)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--ar-accent) 7%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--ar-accent) 14%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ar-ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--ar-accent) 26%, transparent)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--ar-raised)",
    color: "var(--ar-ink)",
    border: "1px solid var(--ar-line-strong)",
    borderRadius: "6px",
  },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--ar-accent-soft)",
    color: "var(--ar-accent)",
  },
  // On the tint of a change, the colours of the syntax would have too little contrast.
  ".cm-deletedText, .cm-deletedText *, .cm-deletedChunk .cm-deletedText": {
    color: "var(--ar-ink) !important",
  },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: '"…"' },
  ".cm-panels": { backgroundColor: "var(--ar-sunk)", color: "var(--ar-ink)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--ar-sunk)", color: "var(--ar-ink-soft)", border: "none" },
});

const highlight = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--ar-accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ar-good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--ar-warn)" },
  { tag: [tags.comment, tags.meta, tags.punctuation, tags.separator], color: "var(--ar-ink-soft)" },
  { tag: tags.keyword, color: "var(--ar-warn)" },
  { tag: tags.invalid, color: "var(--ar-bad)" },
]);

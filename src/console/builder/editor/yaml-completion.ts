import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from "@codemirror/autocomplete";
import { EditorState, type Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { complete } from "../manifest/complete.ts";
import type { Schema } from "../manifest/schema-at.ts";
import { yamlCursor } from "../manifest/yaml-cursor.ts";

/** Completes keys and values of a manifest by its JSON Schema. */
export function yamlCompletion(schema: Schema): Extension {
  const source = (context: CompletionContext) => suggestionsAt(schema, context);
  return EditorState.languageData.of(() => [{ autocomplete: source }]);
}

function suggestionsAt(schema: Schema, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const place = yamlCursor(state.doc.toString(), pos);
  if (place === undefined) return null;
  if (!explicit && place.prefix === "" && !isAfterKey(state, pos)) return null;
  const options = complete(schema, place.path, place.prefix, place.value).map(
    ({ label, kind, insert, detail, info }): Completion => ({
      label,
      type: kind === "key" ? "property" : "enum",
      ...(detail === undefined ? {} : { detail }),
      ...(info === undefined ? {} : { info }),
      apply: (view, _, from, to) => put(view, insert, from, to),
    }),
  );
  return options.length === 0 ? null : { from: place.from, options, validFor: /^[\w./-]*$/ };
}

/** Returns true directly after `key: `, where the values of a choice are offered automatically. */
const isAfterKey = (state: EditorState, pos: number): boolean =>
  /: $/.test(state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from));

/** Inserts a completion. A key keeps the value that already follows it. */
function put(view: EditorView, insert: string, from: number, to: number): void {
  const rest = view.state.doc.sliceString(to, view.state.doc.lineAt(to).to);
  const written = /^\w*:/.test(rest) ? insert.replace(/:\s*$/, "") : insert;
  view.dispatch({
    changes: { from, to, insert: written },
    selection: { anchor: from + written.length },
    userEvent: "input.complete",
  });
  if (written.endsWith(": ")) startCompletion(view);
}

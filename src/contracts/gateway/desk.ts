import { type Static, Type } from "@sinclair/typebox";
import { normalized } from "../../kit/text/normalize.ts";

const visible = "^[^\\u0000]*$";

/** Name of the person for whom an operator's program acts, in `X-Acting-For`; percent-encoded if it isn't ASCII. */
export const actingForHeader = "x-acting-for";

/** Name under which a session of the console works at the desk; undefined: it came with a token that several may have. */
export function personAtDesk({
  person,
  local,
}: {
  person?: { display_name: string; email: string } | undefined;
  local?: boolean | undefined;
}): string | undefined {
  const plain = (text = "") =>
    text
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
      .trim();
  const name = plain(person?.display_name) || plain(person?.email) || (local === true ? "owner" : "");
  return name === "" ? undefined : [...name].slice(0, 120).join("");
}

export const conversationStates = ["open", "snoozed", "resolved"] as const;
export type ConversationState = (typeof conversationStates)[number];
export const ConversationState = Type.Unsafe<ConversationState>(
  Type.Union(
    conversationStates.map((state) => Type.Literal(state)),
    { fault: "must be open, snoozed or resolved" },
  ),
);

const personName = Type.String({ minLength: 1, maxLength: 120, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });

/** What people at the desk decided about a conversation. */
export const DeskState = Type.Object({
  assignee: Type.Union([Type.String(), Type.Null()], { description: "Person who answers it; null: nobody." }),
  labels: Type.Array(Type.String()),
  state: ConversationState,
  snoozed_until: Type.Union([Type.String(), Type.Null()]),
  needs_person: Type.Union(
    [
      Type.Object({
        reason: Type.String({ description: "The agent's own words, `run_failed: <code>` or `low_score`." }),
        since: Type.String(),
      }),
      Type.Null(),
    ],
    { description: "Why a person should look; null: nothing asks for one." },
  ),
});
export type DeskState = Static<typeof DeskState>;

export const AssignInput = Type.Object(
  { assignee: Type.Union([personName, Type.Null()]) },
  { additionalProperties: false },
);
export const LabelsInput = Type.Object(
  {
    labels: Type.Array(
      Type.String({ minLength: 1, maxLength: 50, pattern: "^[^\\u0000-\\u001f\\u007f]+$" }),
      { maxItems: 20, description: "All labels of the conversation; repeated ones count once." },
    ),
  },
  { additionalProperties: false },
);
export const NoteInput = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 4096, pattern: visible }) },
  { additionalProperties: false },
);
export const SnoozeInput = Type.Object(
  { until: Type.String({ format: "date-time", description: "ISO 8601; later than now." }) },
  { additionalProperties: false },
);

export const deskEntryKinds = [
  "note",
  "takeover",
  "release",
  "assigned",
  "labelled",
  "snoozed",
  "resolved",
  "reopened",
  "needs_person",
  "csat_asked",
  "csat",
] as const;
export type DeskEntryKind = (typeof deskEntryKinds)[number];

/** A private note, or a decision about a conversation. Users see neither. */
export const DeskEntry = Type.Object({
  id: Type.String(),
  conversation_id: Type.String(),
  kind: Type.Unsafe<DeskEntryKind>(Type.Union(deskEntryKinds.map((kind) => Type.Literal(kind)))),
  by: Type.Union([Type.String(), Type.Null()], { description: "Null: Argosy itself, or nobody was named." }),
  text: Type.String({
    description: "The note, the assignee, the labels, the end of a snooze, the reason, or the user's score.",
  }),
  at: Type.String(),
});
export type DeskEntry = Static<typeof DeskEntry>;
export const DeskEntryList = Type.Object({ entries: Type.Array(DeskEntry) });
export type DeskEntryList = Static<typeof DeskEntryList>;

export const CannedReplyInput = Type.Object(
  {
    tenant_id: Type.String({ minLength: 1, maxLength: 255, pattern: visible }),
    name: Type.String({ minLength: 1, maxLength: 50, pattern: "^[^\\u0000-\\u001f\\u007f]+$" }),
    text: Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: visible,
      description: "May name `{{name}}`, `{{address}}`, `{{agent}}` and `{{person}}`.",
    }),
  },
  { additionalProperties: false },
);
export type CannedReplyInput = Static<typeof CannedReplyInput>;
export const CannedReply = Type.Object({
  id: Type.String(),
  tenant_id: Type.String(),
  name: Type.String(),
  text: Type.String(),
  created_at: Type.String(),
});
export type CannedReply = Static<typeof CannedReply>;
export const CannedReplyList = Type.Object({ replies: Type.Array(CannedReply) });
export type CannedReplyList = Static<typeof CannedReplyList>;

/** Puts a conversation's values into a canned reply. What it doesn't know stays as it is written. */
export function fillCanned(
  text: string,
  values: Readonly<Record<string, string | null | undefined>>,
): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? "") : written,
  );
}

/** Persons whom a note mentions, as they are written: `@Ana`, or `@"Ana García"`. */
export const mentionsIn = (note: string): string[] =>
  [
    ...new Set(
      [
        ...note.matchAll(
          /(?<![\p{L}\p{N}@])@(?:"([^"]{1,120})"|([\p{L}\p{N}][\p{L}\p{N}\p{M}._'-]{0,119}))/gu,
        ),
      ]
        .map(([, quoted, word]) => (quoted ?? word?.replace(/[.'-]+$/u, "") ?? "").trim())
        .filter((name) => name !== ""),
    ),
  ].slice(0, 20);

/** True if one of the mentions is the person's whole name or the first word of it, in any case and with or without accents. */
export function isMentioned(person: string, mentions: readonly string[]): boolean {
  const name = folded(person);
  const [first] = name.split(/\s+/u);
  return mentions.some((mention) => [name, first].includes(folded(mention)));
}

const folded = (name: string) => normalized(name, "NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().trim();

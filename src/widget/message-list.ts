import type { VisitorThreadMessage } from "../contracts/gateway/webchat.ts";
import { element } from "./dom.ts";
import { type Rate, ratingButtons } from "./rating.ts";
import type { Texts } from "./texts.ts";

/** A message that was not sent may be tried again. */
export type SendState = "sending" | "failed" | "limited" | "sent";

interface Entry {
  row: HTMLElement;
  note: HTMLElement;
  at: string;
}

/** After all times that the server can name: the message is not stored yet. */
const notYet = "~";

/** Messages of a thread, oldest first. */
export class MessageList {
  readonly log: HTMLElement;
  readonly #texts: Texts;
  readonly #language: string;
  readonly #retry: (ref: string) => void;
  readonly #rate: Rate | undefined;
  readonly #entries = new Map<string, Entry>();

  /** Without `rate`, answers have no buttons to rate them. */
  constructor(texts: Texts, language: string, retry: (ref: string) => void, rate?: Rate) {
    this.#rate = rate;
    this.#texts = texts;
    this.#language = language;
    this.#retry = retry;
    this.log = element("div", {
      role: "log",
      class: "log",
      tabindex: "0",
      "aria-label": texts.messages,
    });
    this.clear();
  }

  clear(): void {
    this.#entries.clear();
    this.log.replaceChildren();
    if (this.#texts.greeting !== "") {
      this.log.append(
        element("div", { class: "row agente" }, bubble(this.#texts.agent, this.#texts.greeting)),
      );
    }
  }

  /** Shows a stored message, in place of the one that was sent under the same `ref`. Returns false if it is shown already. */
  show(message: VisitorThreadMessage): boolean {
    const { id, lado, texto, media, at, ref } = message;
    const isNew = !this.#entries.has(id);
    const own = ref === undefined ? undefined : this.#entries.get(ref);
    const entry = this.#entries.get(id) ?? own ?? this.#add(lado, texto);
    this.#entries.set(id, entry);
    if (!isNew) return false;
    if (own === undefined) for (const item of media) entry.row.append(attachment(item, this.#texts));
    entry.at = at;
    this.#place(entry);
    entry.note.replaceChildren(this.#timeOf(at));
    if (message.es_calificable && this.#rate) {
      entry.note.append(ratingButtons(message, this.#texts, this.#rate));
    }
    return own === undefined;
  }

  /** Shows a message that is being sent. */
  propose(ref: string, text: string): void {
    const entry = this.#add("visitante", text);
    this.#entries.set(ref, entry);
    this.#place(entry);
    this.mark(ref, "sending");
    this.log.scrollTop = this.log.scrollHeight;
  }

  mark(ref: string, state: Exclude<SendState, "sent">): void {
    const entry = this.#entries.get(ref);
    if (entry === undefined) return;
    entry.row.dataset.state = state;
    if (state === "sending") {
      entry.note.replaceChildren(this.#texts.sending);
      return;
    }
    const again = element("button", { type: "button" }, this.#texts.retry);
    again.addEventListener("click", () => this.#retry(ref));
    entry.note.replaceChildren(state === "limited" ? this.#texts.limited : this.#texts.failed, " ", again);
  }

  #add(side: string, text: string): Entry {
    const note = element("div", { class: "note" });
    const who = side === "visitante" ? this.#texts.you : this.#texts.agent;
    const row = element("div", { class: `row ${side}` });
    if (text !== "") row.append(bubble(who, text));
    row.append(note);
    return { row, note, at: notYet };
  }

  #place(entry: Entry): void {
    delete entry.row.dataset.state;
    const later = [...this.#entries.values()].find(({ row, at }) => row.isConnected && at > entry.at);
    const isAtEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 80;
    this.log.insertBefore(entry.row, later?.row ?? null);
    if (isAtEnd) this.log.scrollTop = this.log.scrollHeight;
  }

  #timeOf(at: string): HTMLElement {
    const time = new Date(at);
    const sameDay = time.toDateString() === new Date().toDateString();
    const form = sameDay
      ? ({ timeStyle: "short" } as const)
      : ({ dateStyle: "short", timeStyle: "short" } as const);
    return element("time", { datetime: at }, time.toLocaleString(this.#language, form));
  }
}

const bubble = (who: string, text: string) =>
  element("div", { class: "bubble" }, element("span", { class: "hidden" }, `${who}: `), text);

/** Only addresses of the web are links. */
function attachment(
  { kind, url = "", caption, filename }: VisitorThreadMessage["media"][number],
  texts: Texts,
): Node {
  const name = caption ?? filename ?? texts.attachment;
  if (!/^https?:\/\//i.test(url)) return document.createTextNode(name);
  const link = element("a", { class: "bubble", href: url, target: "_blank", rel: "noopener noreferrer" });
  if (kind === "image") {
    link.append(element("img", { src: url, alt: name, loading: "lazy", referrerpolicy: "no-referrer" }));
  } else link.append(name);
  return link;
}

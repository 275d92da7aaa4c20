import { visitorTextMax } from "../contracts/gateway/webchat-limits.ts";
import { element, icon, icons, readableOn } from "./dom.ts";
import type { Texts } from "./texts.ts";

export interface PanelOptions {
  texts: Texts;
  theme: "light" | "dark" | "auto";
  accent: string | undefined;
  position: string | undefined;
}

export interface PanelEvents {
  onSend(text: string): void;
  onToggle(isOpen: boolean): void;
}

const narrow = "(max-width: 480px)";

/** The button in the corner of the page and the dialog that it opens, in a tree that the page's styles do not reach. */
export class Panel {
  /** No style sheet of a page has rules for its name. */
  readonly host = document.createElement("argosy-chat");
  readonly #texts: Texts;
  readonly #events: PanelEvents;
  readonly #root: HTMLElement;
  readonly #launcher: HTMLButtonElement;
  readonly #badge: HTMLElement;
  readonly #dialog: HTMLElement;
  readonly #status: HTMLElement;
  readonly #announced: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  #unread = 0;

  constructor(
    { texts, theme, accent, position }: PanelOptions,
    log: HTMLElement,
    styles: string,
    events: PanelEvents,
  ) {
    this.#texts = texts;
    this.#events = events;
    this.#badge = element("span", { class: "badge", "aria-hidden": "true", hidden: "" });
    this.#launcher = element("button", { type: "button", class: "launcher" }, icon(icons.chat), this.#badge);
    this.#status = element("div", { class: "status", role: "status" });
    this.#announced = element("div", { class: "hidden", role: "status" });
    this.#field = element("textarea", {
      rows: "1",
      maxlength: String(visitorTextMax),
      placeholder: texts.placeholder,
      "aria-label": texts.placeholder,
      enterkeyhint: "send",
    });
    const close = element(
      "button",
      { type: "button", class: "close", "aria-label": texts.close },
      icon(icons.close),
    );
    const form = element(
      "form",
      {},
      this.#field,
      element("button", { class: "send", "aria-label": texts.send }, icon(icons.send)),
    );
    this.#dialog = element(
      "div",
      { role: "dialog", class: "dialog", "aria-label": texts.title, tabindex: "-1", hidden: "" },
      element("div", { class: "head" }, element("strong", {}, texts.title), close),
      log,
      this.#status,
      form,
    );
    this.#root = element(
      "section",
      { class: `root ${position === "left" ? "left" : ""}`, "aria-label": texts.title },
      this.#dialog,
      this.#launcher,
      this.#announced,
    );
    const tree = this.host.attachShadow({ mode: "open" });
    // A sheet made by a script needs no permission of the page's policy.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    tree.adoptedStyleSheets = [sheet];
    tree.append(this.#root);
    if (accent !== undefined) this.#root.style.setProperty("--given-accent", accent);
    this.#followTheme(theme);
    this.#launcher.addEventListener("click", () => this.toggle(!this.isOpen));
    close.addEventListener("click", () => this.toggle(false));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#field.addEventListener("input", () => this.#fitField());
    this.#dialog.addEventListener("keydown", (event) => this.#onKey(event));
    this.#label();
  }

  get isOpen(): boolean {
    return !this.#dialog.hidden;
  }

  /** Adds the widget to the page. Colors are known from then on. */
  show(): void {
    document.body.append(this.host);
    this.#root.style.setProperty("--on-accent", readableOn(getComputedStyle(this.#launcher).backgroundColor));
  }

  toggle(isOpen: boolean, takesFocus = true): void {
    if (isOpen === this.isOpen) return;
    this.#dialog.hidden = !isOpen;
    this.#root.classList.toggle("open", isOpen);
    this.#dialog.setAttribute("aria-modal", String(isOpen && matchMedia(narrow).matches));
    this.#label();
    this.#events.onToggle(isOpen);
    if (!takesFocus) return;
    if (!isOpen) this.#launcher.focus();
    // On a touch screen, the keyboard would hide the messages.
    else if (matchMedia("(pointer: coarse)").matches) this.#dialog.focus();
    else this.#field.focus();
  }

  setUnread(count: number): void {
    if (count > this.#unread) this.#announced.textContent = this.#unreadText(count);
    this.#unread = count;
    this.#label();
  }

  setStatus(text: string): void {
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #label(): void {
    const count = this.#unread;
    const name = this.isOpen ? this.#texts.close : this.#texts.open;
    this.#launcher.setAttribute("aria-expanded", String(this.isOpen));
    this.#launcher.setAttribute("aria-label", count === 0 ? name : `${name}, ${this.#unreadText(count)}`);
    this.#badge.textContent = count > 99 ? "99+" : String(count);
    this.#badge.hidden = count === 0;
  }

  #unreadText(count: number): string {
    return this.#texts.unread.replace("{n}", String(count));
  }

  #followTheme(theme: PanelOptions["theme"]): void {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const apply = () =>
      this.#root.classList.toggle("dark", theme === "dark" || (theme === "auto" && dark.matches));
    dark.addEventListener("change", apply);
    apply();
  }

  #submit(): void {
    const text = this.#field.value.trim();
    if (text === "") return;
    this.#field.value = "";
    this.#fitField();
    this.#events.onSend(text);
  }

  #fitField(): void {
    this.#field.style.height = "auto";
    this.#field.style.height = `${this.#field.scrollHeight}px`;
  }

  #onKey(event: KeyboardEvent): void {
    // The page's own shortcuts must not act on what is typed here.
    event.stopPropagation();
    const isTyping = event.target === this.#field && !event.isComposing;
    if (event.key === "Escape") this.toggle(false);
    else if (event.key === "Enter" && !event.shiftKey && isTyping) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "Tab" && this.#dialog.getAttribute("aria-modal") === "true")
      this.#keepFocus(event);
  }

  /** Over the whole screen, the keyboard stays in the dialog. */
  #keepFocus(event: KeyboardEvent): void {
    const stops = [...this.#dialog.querySelectorAll<HTMLElement>("button, textarea, a, [tabindex='0']")];
    const end = event.shiftKey ? stops[0] : stops.at(-1);
    if (event.target !== end && event.target !== this.#dialog) return;
    event.preventDefault();
    (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
  }
}
